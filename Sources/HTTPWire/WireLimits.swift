/// How much a peer may send before the exchange is refused. None of them limits content.
///
/// RFC 9110, section 5.4 leaves the numbers to the recipient. The defaults are generous: a client reads what
/// it asked for, so a limit only has to stop what no honest server sends.
public struct WireLimits: Hashable, Sendable {
    /// Octets of a head, from its status line to its empty line, line ends included; for each interim
    /// response anew.
    ///
    /// Others: Chromium 256 KiB, curl 300 KiB, Node 16 KiB, Go 10 MiB, nginx (from upstream) 4 or 8 KiB.
    public var maximumHeadOctets = 256 * 1024

    /// Octets of one line of a head or a trailer section, its line end included.
    ///
    /// Others: curl 100 KiB, Python's http.client 64 KiB, aiohttp 8190.
    public var maximumLineOctets = 64 * 1024

    /// Field lines in a head, folded ones counted once.
    ///
    /// Others: Python's http.client 100, Apache (requests) 100, Node 2000, curl 5000.
    public var maximumFieldLines = 1000

    /// Interim responses before the final one.
    ///
    /// Others: Go 5, curl and Chromium none but by octets.
    public var maximumInterimResponses = 32

    /// Octets of a trailer section, line ends included.
    ///
    /// Others: as their heads; Go (HTTP/1 server) 4 KiB.
    public var maximumTrailerOctets = 64 * 1024

    /// Field lines in a trailer section.
    public var maximumTrailerLines = 100

    /// Octets of one line with a chunk's size and extensions, its line end included; it limits leading zeros
    /// too.
    ///
    /// Others: Go 4 KiB; curl 16 digits, extensions without limit.
    public var maximumChunkLineOctets = 4 * 1024

    /// Octets of chunk extensions in a whole message, blanks included.
    ///
    /// Others: Node and hyper 16 KiB; Go counts what is beyond 16 octets a chunk.
    public var maximumChunkExtensionOctets = 16 * 1024

    /// The defaults.
    public init() {}
}
