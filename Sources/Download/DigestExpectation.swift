public import HTTPMessage
public import System

/// A digest that something says certain octets have.
public struct DigestExpectation: Hashable, Sendable {
    /// Who says so.
    public enum Source: String, Hashable, Sendable {
        /// The person, of the file as it is kept.
        case checksum
        /// The server, of the whole representation (RFC 9530, section 3).
        case reprDigest = "Repr-Digest"
        /// The server, of the content of one message (RFC 9530, section 2).
        case contentDigest = "Content-Digest"
        /// As `contentDigest`, from before there was that (RFC 1864).
        case contentMD5 = "Content-MD5"
    }

    /// Who says so.
    public var source: Source
    /// How it is computed.
    public var algorithm: MessageDigest.Algorithm
    /// The digest.
    public var value: [UInt8]

    /// Whether it is of the content of one message alone: of a 206, of that part. All else is of the whole, however many
    /// messages it takes.
    public var isOfContent: Bool { source == .contentDigest || source == .contentMD5 }

    /// What a person expects.
    public init(_ checksum: Checksum) {
        self.init(source: .checksum, algorithm: checksum.algorithm, value: checksum.value)
    }

    init(source: Source, algorithm: MessageDigest.Algorithm, value: [UInt8]) {
        self.source = source
        self.algorithm = algorithm
        self.value = value
    }

    /// What the server says in the head of `response`. Not for answers to HEAD, whose fields tell of content that does
    /// not come.
    ///
    /// All of it is of octets before any content coding is undone (RFC 9530, appendix A). `isWhole` when all of the
    /// selected representation will be seen: the answer to a GET that is no part, or the last part of one that was kept so
    /// far. Of several algorithms in a field the strongest counts; md5 and SHA-1 prove nothing against an attacker, but
    /// find accidents (section 5). A field that cannot be read says nothing.
    public static func expectations(of response: HTTPResponse, isWhole: Bool) -> [DigestExpectation] {
        expectations(in: response.fields, of: response, isWhole: isWhole, computed: nil)
    }

    /// What `fields`, the header or trailer section of `response`, say by algorithms that are `computed`; `nil` stands for
    /// all.
    static func expectations(
        in fields: HTTPFields, of response: HTTPResponse, isWhole: Bool, computed: [MessageDigest.Algorithm]?
    ) -> [DigestExpectation] {
        var expectations: [DigestExpectation] = []
        if isWhole {
            expectations += strongest(.reprDigest, fields[.reprDigest], computed)
        }
        expectations += strongest(.contentDigest, fields[.contentDigest], computed)
        // RFC 2616 had Content-MD5 of a 206 be of the part, some servers had it of the whole, and so RFC 7231 removed it.
        if response.status == .ok, let value = fields[.contentMD5].flatMap({ ContentMD5(parsing: $0) }),
            computed?.contains(.md5) ?? true
        {
            expectations.append(DigestExpectation(source: .contentMD5, algorithm: .md5, value: value.value))
        }
        return expectations
    }

    /// The keys of the registry (RFC 9530, section 7.2), the strongest first; `sha-384` is sent without being there.
    private static let keys: [(String, MessageDigest.Algorithm)] = [
        ("sha-512", .sha512), ("sha-384", .sha384), ("sha-256", .sha256), ("sha", .sha1), ("md5", .md5),
    ]

    private static func strongest(
        _ source: Source, _ value: String?, _ computed: [MessageDigest.Algorithm]?
    ) -> [DigestExpectation] {
        guard let field = value.flatMap({ DigestField(parsing: $0) }) else { return [] }
        for (key, algorithm) in keys where computed?.contains(algorithm) ?? true {
            if let value = field[key] {
                return [DigestExpectation(source: source, algorithm: algorithm, value: value)]
            }
        }
        return []
    }
}

extension DigestExpectation: CustomStringConvertible {
    /// For a report, such as `sha-256 of Repr-Digest`.
    public var description: String { "\(algorithm) of \(source.rawValue)" }
}
