import Replay

/// Decides what data of a fixture gets a name: what is long, and what is used in several places. A fixture is made
/// twice: first to see what is used how often.
struct BlobTable {
    /// In the order of their first use.
    private(set) var blobs: [Fixture.Blob] = []
    private var names: [[UInt8]: String] = [:]
    private var uses: [[UInt8]: Int] = [:]
    private var isCounting = true

    /// Longest data that is written where it is used; what has more lines than `mostLines` is long, too.
    private static let longest = 1024
    private static let mostLines = 16

    /// All uses have been seen: from now on data gets names.
    mutating func beginNaming() { isCounting = false }

    /// Whether data has a name, or will get one.
    private func names(_ octets: [UInt8]) -> Bool {
        guard !octets.isEmpty, !isCounting else { return false }
        return uses[octets, default: 0] > 1 || octets.count > BlobTable.longest
            || octets.count(where: { $0 == 0x0A }) > BlobTable.mostLines
    }

    /// The data as it is written.
    mutating func content(_ octets: [UInt8]) -> FixtureContent {
        if isCounting { uses[octets, default: 0] += 1 }
        return names(octets) ? blob(octets) : .octets(octets)
    }

    private mutating func blob(_ octets: [UInt8]) -> FixtureContent {
        if let name = names[octets] { return .blob(name, .octets(octets)) }
        let name = blobs.isEmpty ? "content" : "content-\(blobs.count + 1)"
        names[octets] = name
        blobs.append(Fixture.Blob(name: name, content: .octets(octets)))
        return .blob(name, .octets(octets))
    }

    /// A body of chunks, whose content is written once where it has a name.
    mutating func content(_ body: ChunkedBody, _ octets: [UInt8]) -> FixtureContent {
        let content = body.contentOctets
        if isCounting { uses[content, default: 0] += 1 }
        // Many small chunks would be more to read than their octets.
        guard body.isComplete, names(content), body.content.count <= 64 else { return self.content(octets) }
        let whole = blob(content)
        var parts: [FixtureContent] = []
        var place = 0
        var used: UInt64 = 0
        for range in body.content {
            if place < range.lowerBound { parts.append(.octets(Array(octets[place..<range.lowerBound]))) }
            let end = used + UInt64(range.count)
            parts.append(body.content.count == 1 ? whole : .slice(whole, used..<end))
            used = end
            place = range.upperBound
        }
        if place < octets.count { parts.append(.octets(Array(octets[place...]))) }
        return .joined(parts)
    }
}
