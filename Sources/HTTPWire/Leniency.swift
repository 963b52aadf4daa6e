/// Which departures from the grammar are read all the same. What an RFC permits a recipient is on by default,
/// a deviation is off.
public struct Leniency: Hashable, Sendable {
    /// A line of a head or a trailer section may end with a lone LF, as RFC 9112, section 2.2 permits; never
    /// a line of the chunked coding.
    public var allowsBareLF = true

    /// Control characters other than CR, LF and NUL are kept in field values and reason phrases, as RFC 9110,
    /// section 5.5 permits; otherwise they are refused. Whoever prints them has to escape them.
    public var retainsControlOctets = true

    /// The parts of a status line may stand apart by several blanks, or by HTAB, as RFC 9112, section 4
    /// permits.
    public var allowsExtraBlanks = true

    /// A response that does not begin as a status line is read as HTTP/0.9: all of it is content. A
    /// deviation.
    public var allowsHTTP09 = false

    /// "chunked" repeated at the end of Transfer-Encoding counts once. A deviation from RFC 9112, section
    /// 6.1, which curl makes too: there are servers behind proxies that each add it.
    public var allowsRepeatedChunked = false

    /// Content-Length is not looked at: content ends with the connection. A deviation, for servers that count
    /// wrongly.
    public var ignoresContentLength = false

    /// The defaults.
    public init() {}
}
