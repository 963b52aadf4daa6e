import Glibc
import Replay
import System

/// What a file holds, compared with the versions there are.
enum Verdict: Hashable, Sendable {
    case missing
    /// It is one of these, octet for octet; several only where they are alike.
    case whole(Set<Int>)
    /// It is the beginning of one, and no more.
    case beginning(of: Int)
    /// It has octets of several versions at their places.
    case mixture(String)
    /// It has octets of none.
    case foreign(String)

    /// Compares the file at a path.
    init(of path: String, in folder: Int32, _ versions: [FileVersion]) throws(SystemError) {
        guard try File.status(of: path, in: folder, followsLinks: false) != nil else {
            self = .missing
            return
        }
        let file = try File.open(path, in: folder, flags: O_RDONLY)
        var comparison = Comparison(versions)
        while case let octets = try File.readSome(65_536, from: file.rawValue), !octets.isEmpty {
            comparison.add(octets)
        }
        self = comparison.verdict
    }

    /// How many octets from its beginning on are those of a version.
    static func common(
        _ path: String, in folder: Int32, with version: FileVersion
    ) throws(SystemError) -> UInt64 {
        let file = try File.open(path, in: folder, flags: O_RDONLY)
        var offset: UInt64 = 0
        while case let octets = try File.readSome(65_536, from: file.rawValue), !octets.isEmpty {
            let wanted = version.content.octets(in: offset..<offset + UInt64(octets.count))
            let count = octets == wanted ? octets.count : zip(octets, wanted).prefix { $0 == $1 }.count
            offset += UInt64(count)
            if count < octets.count { break }
        }
        return min(offset, version.size)
    }

    /// Its name in the summary.
    var name: String {
        switch self {
        case .missing: "missing"
        case .whole: "whole"
        case .beginning: "short"
        case .mixture: "a mixture"
        case .foreign: "with foreign octets"
        }
    }

    /// For a person.
    var description: String {
        switch self {
        case .missing: "missing"
        case .whole(let versions): "version \(versions.sorted().map(String.init).joined(separator: " or "))"
        case .beginning(let version): "only the beginning of version \(version)"
        case .mixture(let parts), .foreign(let parts): "\(name): \(parts)"
        }
    }
}

/// The comparison of a file's octets, as they are read, with all versions.
private struct Comparison {
    /// Octets that are judged as one.
    private static let block = 64

    private let versions: [FileVersion]
    /// The versions that all octets so far are of.
    private var candidates: Set<Int>
    /// Which version each stretch of the file is of; -1: of none.
    private var stretches: [(version: Int, start: UInt64)] = []
    private var offset: UInt64 = 0

    init(_ versions: [FileVersion]) {
        self.versions = versions
        candidates = Set(versions.indices)
    }

    mutating func add(_ octets: [UInt8]) {
        let range = offset..<offset + UInt64(octets.count)
        let wanted = versions.map { $0.content.octets(in: range) }
        let equal = Set(versions.indices.filter { wanted[$0] == octets })
        candidates.formIntersection(equal)
        if let one = equal.intersection(candidates).min() ?? equal.min() {
            note(one, at: offset)
        } else {
            var start = 0
            while start < octets.count {
                let block = start..<min(start + Comparison.block, octets.count)
                let version = versions.indices.first { wanted[$0][block] == octets[block] }
                note(version ?? -1, at: offset + UInt64(start))
                start += Comparison.block
            }
        }
        offset = range.upperBound
    }

    private mutating func note(_ version: Int, at start: UInt64) {
        if stretches.last?.version != version { stretches.append((version, start)) }
    }

    var verdict: Verdict {
        let whole = candidates.filter { versions[$0].size == offset }
        if !whole.isEmpty { return .whole(whole) }
        if let version = candidates.filter({ versions[$0].size > offset }).min() {
            return .beginning(of: version)
        }
        let list = stretches.prefix(6).map { stretch in
            "\(stretch.version < 0 ? "none" : "version \(stretch.version)") from \(stretch.start)"
        }
        let parts = list.joined(separator: ", ") + (stretches.count > 6 ? ", …" : "") + " to \(offset)"
        let kinds = Set(stretches.map(\.version)).subtracting([-1])
        return kinds.count > 1 ? .mixture(parts) : .foreign(parts)
    }
}
