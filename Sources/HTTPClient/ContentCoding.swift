import HTTPMessage

/// A content coding that can be undone (RFC 9110, section 8.4.1).
enum ContentCoding: Hashable, Sendable {
    /// RFC 1952; `x-gzip` is the same.
    case gzip
    /// The zlib format (RFC 1950), or, as many servers send, its bare deflate stream (RFC 1951).
    case deflate

    /// What a request offers.
    static let offer = "gzip, deflate"

    /// The codings of `fields`, in the order in which they were applied. Throws `badContentCoding` for one that is not
    /// known, and for more than `limit`.
    static func codings(in fields: HTTPFields, atMost limit: Int) throws(TransferError) -> [ContentCoding] {
        var codings: [ContentCoding] = []
        for member in CommaList(.contentEncoding, in: fields) {
            let name = String(member)
            switch name.lowercased() {
            // RFC 9110 keeps "identity" out of this field, servers send it all the same; "none" is an old way to say so.
            case "", "identity", "none": continue
            case "gzip", "x-gzip": codings.append(.gzip)
            case "deflate": codings.append(.deflate)
            default:
                throw TransferError(
                    .badContentCoding, during: .content,
                    "the content has the coding \"\(name.prefix(40))\", which is not known here (gzip and deflate are)"
                )
            }
            guard codings.count <= limit else {
                throw TransferError(
                    .badContentCoding, during: .content,
                    "the content has more than the \(limit) codings allowed, one upon another")
            }
        }
        return codings
    }
}

/// How far content is decoded before it is refused. `TransferOptions.maximumContentLength` goes in place of the limits of
/// expansion.
public struct DecodingLimits: Hashable, Sendable {
    /// Content codings one upon another; 5, as curl.
    public var maximumCodings = 5
    /// Decoded octets for each coded one, once `unlimitedOctets` are passed; 200. One layer of gzip can make 1,030, two a
    /// million. Others (curl, browsers): no limit.
    public var maximumExpansion: UInt64 = 200
    /// Decoded octets that are allowed whatever the coded ones; 64 MiB.
    public var unlimitedOctets: UInt64 = 64 << 20

    /// The defaults.
    public init() {}

    /// Whether `decoded` octets are too many for so many coded ones.
    func forbids(_ decoded: UInt64, outOf coded: UInt64) -> Bool {
        guard decoded > unlimitedOctets else { return false }
        let (most, overflows) = coded.multipliedReportingOverflow(by: maximumExpansion)
        return !overflows && decoded > most
    }
}
