import Glibc
import HTTPClient
import HTTPMessage
import System

/// Where the record of a download lies, which is known before a request is sent.
struct RecordPlace: Hashable, Sendable {
    /// The folder, with its slash; empty where it is the download's own.
    let parent: String
    /// The name of the file, where it is fixed.
    let name: String?
    private let stem: String
    private let suffix: String

    /// Most records of one name that are looked at: several downloads may have wanted it.
    static let mostNumbers = 16

    /// `.NAME.rawget`, where the name is fixed.
    init(forFile path: String) {
        let (parent, name) = OutputFile.split(path)
        self.parent = parent
        self.name = name
        stem = ".\(OutputFile.shortened(name, to: 230))"
        suffix = ".rawget"
    }

    /// `.rawget-` and the beginning of the digest of `uri`, where the server may choose the name.
    init?(for uri: URI, in folder: String?) {
        let octets = Array("\(uri)".utf8)
        guard let digest = try? MessageDigest.digest(of: octets.span, by: .sha256) else { return nil }
        parent = folder.map { $0.isEmpty || $0.hasSuffix("/") ? $0 : "\($0)/" } ?? ""
        name = nil
        stem = ".rawget-\(Checksum.hex(Array(digest.prefix(8))))"
        suffix = ""
    }

    /// The path of the record `number`, from 0.
    func path(_ number: Int) -> String {
        "\(parent)\(stem)\(number == 0 ? "" : ".\(number)")\(suffix)"
    }
}

/// A record's place in a folder, that this download may write to.
struct RecordSlot: Sendable {
    private let place: RecordPlace
    private let number: Int
    /// Something that is of no use any more stands there.
    var isStale: Bool

    init(_ place: RecordPlace, _ number: Int, isStale: Bool) {
        self.place = place
        self.number = number
        self.isStale = isStale
    }

    /// Where it is, relative to the folder of the download.
    var path: String { place.path(number) }

    /// The place behind it; `nil` where that is too far.
    var next: RecordSlot? {
        number + 1 < RecordPlace.mostNumbers ? RecordSlot(place, number + 1, isStale: false) : nil
    }

    /// Removes the record. Those behind it move up, as far as nobody is using them: nobody looks past a free place.
    func remove(in folder: Int32, _ names: TakenNames) {
        // One that stays speaks of a part that is there no more, and is of no effect.
        try? File.remove(path, in: folder)
        // A process that was killed may have left it.
        let aside = ResumeRecord.aside(path)
        if ResumeRecord.isOwn(aside, in: folder) { try? File.remove(aside, in: folder) }
        for next in number + 1..<max(RecordPlace.mostNumbers, number + 2) {
            let path = place.path(next)
            guard case .record(let record) = ResumeRecord.read(path, in: folder), names.take(path) else {
                return
            }
            defer { names.giveBack(path) }
            guard let part = ResumeRecord.openPart(place.parent + record.part, in: folder, as: record.file),
                (try? File.claim(part.rawValue)) ?? false,
                (try? File.renameWithoutReplacing(path, to: place.path(next - 1), in: folder)) != nil
            else { return }
        }
    }
}

/// A part on disk that can be gone on with, open and claimed.
struct FoundPart: ~Copyable {
    let descriptor: FileDescriptor
    let record: ResumeRecord
    let slot: RecordSlot
    /// Paths relative to the folder of the download.
    let part: String
    let target: String
    /// How many octets of it count.
    let length: UInt64

    /// Gives the open part away.
    consuming func takeDescriptor() -> FileDescriptor { descriptor }
}

/// What a look for records found.
enum RecordSearch: ~Copyable {
    case found(FoundPart)
    /// Nothing to go on with; a record may be written there.
    case nothing(RecordSlot?)
}

extension RecordPlace {
    /// Looks for the record of a download of `uri` in `folder`. `names` are those of the run: what another transfer has is
    /// passed over. Throws `partInUse` where another process is writing the part.
    func search(for uri: URI, in folder: Int32, _ names: TakenNames) throws(TransferError) -> RecordSearch {
        var free: RecordSlot?
        for number in 0..<RecordPlace.mostNumbers {
            let path = path(number)
            guard names.take(path) else { continue }
            switch try look(at: number, for: uri, in: folder, names) {
            // Nobody looks further: each look costs as much as a small file.
            case .empty where free == nil:
                return .nothing(RecordSlot(self, number, isStale: false))
            case .empty:
                names.giveBack(path)
                return .nothing(free)
            case .stale where free == nil: free = RecordSlot(self, number, isStale: true)
            case .stale: names.giveBack(path)
            case .foreign: names.giveBack(path)
            case .found(let part):
                if let free { names.giveBack(free.path) }
                return .found(part)
            }
        }
        return .nothing(free)
    }

    private enum Look: ~Copyable {
        case found(FoundPart)
        case empty
        case stale
        /// It belongs to somebody else, or to another download that may still be gone on with.
        case foreign
    }

    private func look(
        at number: Int, for uri: URI, in folder: Int32, _ names: TakenNames
    ) throws(TransferError) -> Look {
        let path = path(number)
        guard names.folders.mustLook(at: path, in: folder) else { return .empty }
        // Once more where another process has changed the record before the part was claimed.
        for _ in 0..<3 {
            let record: ResumeRecord
            switch ResumeRecord.read(path, in: folder) {
            case .record(let found): record = found
            case .nothing: return .empty
            case .garbage: return .stale
            case .foreign: return .foreign
            }
            let part = parent + record.part
            guard let descriptor = ResumeRecord.openPart(part, in: folder, as: record.file) else {
                return .stale
            }
            // Long names have their beginning, and so their record, in common.
            guard record.uri == uri, name == nil || name == record.name else { return .foreign }
            try RecordPlace.claim(descriptor.rawValue, part)
            guard ResumeRecord.read(path, in: folder) == .record(record),
                RecordPlace.isStill(part, in: folder, descriptor.rawValue)
            else { continue }
            guard let length = record.trustedLength(of: descriptor.rawValue) else { return .stale }
            return .found(
                FoundPart(
                    descriptor: descriptor, record: record, slot: RecordSlot(self, number, isStale: true),
                    part: part, target: parent + record.name, length: length))
        }
        return .foreign
    }

    /// Throws `partInUse` where another process has the part.
    static func claim(_ descriptor: Int32, _ part: String) throws(TransferError) {
        let isOurs: Bool
        do throws(SystemError) { isOurs = try File.claim(descriptor) } catch {
            throw TransferError(storing: part, error)
        }
        guard !isOurs else { return }
        throw TransferError(.partInUse, during: .prepare, "another process is writing \(part)")
    }

    private static func isStill(_ part: String, in folder: Int32, _ descriptor: Int32) -> Bool {
        guard let own = try? File.status(of: descriptor),
            let found = try? File.status(of: part, in: folder, followsLinks: false)
        else { return false }
        return FileIdentity(own) == FileIdentity(found)
    }
}
