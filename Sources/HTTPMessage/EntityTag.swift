/// A validator that names one version of a representation (RFC 9110, section 8.8.3).
public struct EntityTag: Hashable, Sendable {
    /// A weak tag stands for representations that are as good as each other, not the same octets.
    public let isWeak: Bool
    /// What stands between the quotes, each scalar an octet.
    public let opaque: String

    /// `nil` when `opaque` has what may not stand between the quotes: `"`, blanks, controls.
    public init?(_ opaque: String, isWeak: Bool = false) {
        guard opaque.unicodeScalars.allSatisfy({ UInt8(exactly: $0.value).map(Self.isTagOctet) ?? false })
        else {
            return nil
        }
        self.isWeak = isWeak
        self.opaque = opaque
    }

    /// Parses a whole field value: one tag and nothing else.
    public init?(parsing value: String) {
        var scanner = FieldScanner(value)
        guard let tag = EntityTag(reading: &scanner), scanner.isAtEnd else { return nil }
        self = tag
    }

    /// There is no quoted-pair here: "\" stands for itself.
    ///
    ///     entity-tag = [ %s"W/" ] DQUOTE *etagc DQUOTE
    ///     etagc      = %x21 / %x23-7E / obs-text
    fileprivate init?(reading scanner: inout FieldScanner) {
        let octets = scanner.octets
        var index = scanner.position
        isWeak = octets[index...].starts(with: "W/".utf8)
        if isWeak { index += 2 }
        guard index < octets.count, octets[index] == UInt8(ascii: "\"") else { return nil }
        let start = index + 1
        guard let end = octets[start...].firstIndex(where: { !Self.isTagOctet($0) }),
            octets[end] == UInt8(ascii: "\"")
        else { return nil }
        opaque = String(latin1: octets[start..<end])
        scanner.skip(to: end + 1)
    }

    /// The same octets: both are strong and equal (RFC 9110, section 8.8.3.2).
    public func strongly(matches other: EntityTag) -> Bool {
        !isWeak && !other.isWeak && opaque == other.opaque
    }

    /// As good as each other: equal, whether strong or weak (RFC 9110, section 8.8.3.2).
    public func weakly(matches other: EntityTag) -> Bool { opaque == other.opaque }

    private static func isTagOctet(_ octet: UInt8) -> Bool {
        octet >= 0x21 && octet != UInt8(ascii: "\"") && octet != 0x7F
    }
}

extension EntityTag: CustomStringConvertible {
    /// As in a field.
    public var description: String { "\(isWeak ? "W/" : "")\"\(opaque)\"" }
}

/// The value of If-Match and If-None-Match (RFC 9110, sections 13.1.1 and 13.1.2).
public enum EntityTagList: Hashable, Sendable {
    /// "*": whatever there is.
    case any
    /// One of these.
    case tags([EntityTag])

    /// `nil` unless the value is "*" or a list of one tag or more.
    ///
    ///     If-None-Match = "*" / #entity-tag
    public init?(parsing value: String) {
        var scanner = FieldScanner(value)
        if scanner.octets == [UInt8(ascii: "*")] {
            self = .any
            return
        }
        var tags: [EntityTag] = []
        repeat {
            scanner.skipBlanks()
            if scanner.isAtEnd { break }
            if scanner.next == UInt8(ascii: ",") { continue }
            guard let tag = EntityTag(reading: &scanner) else { return nil }
            tags.append(tag)
            scanner.skipBlanks()
        } while scanner.read(UInt8(ascii: ","))
        guard scanner.isAtEnd, !tags.isEmpty else { return nil }
        self = .tags(tags)
    }

    /// What If-Match asks: whether a strong match of `tag` is here.
    public func strongly(matches tag: EntityTag) -> Bool {
        switch self {
        case .any: true
        case .tags(let tags): tags.contains { $0.strongly(matches: tag) }
        }
    }

    /// What If-None-Match asks: whether a weak match of `tag` is here.
    public func weakly(matches tag: EntityTag) -> Bool {
        switch self {
        case .any: true
        case .tags(let tags): tags.contains { $0.weakly(matches: tag) }
        }
    }
}

extension EntityTagList: CustomStringConvertible {
    /// As in a field.
    public var description: String {
        switch self {
        case .any: "*"
        case .tags(let tags): tags.map(\.description).joined(separator: ", ")
        }
    }
}
