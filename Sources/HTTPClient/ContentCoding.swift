/// A content coding that can be undone (RFC 9110, section 8.4.1).
enum ContentCoding: Hashable, Sendable {
    /// RFC 1952; `x-gzip` is the same.
    case gzip
    /// The zlib format (RFC 1950), or, as many servers send, its bare deflate stream (RFC 1951).
    case deflate
}
