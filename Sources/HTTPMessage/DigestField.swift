/// The value of Content-Digest or Repr-Digest: digests of the same octets by several algorithms (RFC 9530).
public struct DigestField: Hashable, Sendable {
    /// One digest.
    public struct Digest: Hashable, Sendable {
        /// The key of the algorithm in IANA's registry, such as `sha-256`.
        public var algorithm: String
        /// The digest itself.
        public var value: [UInt8]
    }

    /// In their order; algorithms that nobody knows stand among them.
    public let digests: [Digest]
    /// Keys of algorithms whose digests have another length than here, so that no content could have them. They are not
    /// among the digests.
    public let malformed: [String]

    /// Parses the values of all lines of the field; `nil` when they are no dictionary, or when the member of a known
    /// algorithm is no byte sequence: then the field counts as missing (RFC 9651, section 2.2).
    ///
    /// A member of another kind under a key that is not known may be what a later version of the field has, and is passed
    /// over alone (RFC 9651, section 3.2). So is a digest of the wrong length, since a recipient may ignore any digest.
    /// Parameters mean nothing.
    public init?(parsing value: String) {
        guard let dictionary = StructuredDictionary(parsing: value) else { return nil }
        var digests: [Digest] = []
        var malformed: [String] = []
        for entry in dictionary.members {
            let length = DigestField.length(entry.key)
            guard case .octets(let octets) = entry.value.value else {
                guard length == nil else { return nil }
                continue
            }
            if let length, octets.count != length {
                malformed.append(entry.key)
            } else {
                digests.append(Digest(algorithm: entry.key, value: octets))
            }
        }
        self.digests = digests
        self.malformed = malformed
    }

    /// The digest by `algorithm`, a key of the registry.
    public subscript(algorithm: String) -> [UInt8]? {
        digests.first { $0.algorithm == algorithm }?.value
    }

    /// How many octets a digest has (RFC 9530, section 7.2, and `sha-384`, which servers send without it being there).
    private static func length(_ algorithm: String) -> Int? {
        switch algorithm {
        case "sha-512": 64
        case "sha-384": 48
        case "sha-256": 32
        case "sha": 20
        case "md5": 16
        case "adler", "crc32c", "unixcksum": 4
        case "unixsum": 2
        default: nil
        }
    }
}

/// The value of Content-MD5, which RFC 7231 removed: nobody agreed what it is of in a 206. Archives still send it.
public struct ContentMD5: Hashable, Sendable {
    /// 16 octets.
    public let value: [UInt8]

    /// Parses a field value: base64 of 16 octets, and nothing else (RFC 1864, section 2).
    public init?(parsing value: String) {
        guard let octets = Base64.decoded(value.utf8.span), octets.count == 16 else { return nil }
        self.value = octets
    }
}
