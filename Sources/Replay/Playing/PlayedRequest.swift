/// A request as it came to a server of a fixture.
public struct PlayedRequest: Hashable, Sendable {
    /// Most octets of its content that are kept: 1 MiB.
    package static let mostContent = 1 << 20

    /// The index of the server.
    public let server: Int
    /// The number of the connection to that server, in order of acceptance, from 0.
    public let connection: Int
    /// From the first octet to the blank line, both included.
    public let head: [UInt8]
    /// The first octets of the content, or of the body where a `>>>` line looks at that.
    public private(set) var content: [UInt8] = []
    /// How many octets there were in all.
    public private(set) var contentLength: UInt64 = 0

    init(server: Int, connection: Int, head: [UInt8]) {
        self.server = server
        self.connection = connection
        self.head = head
    }

    mutating func append(_ octets: [UInt8]) {
        content += octets.prefix(Self.mostContent - content.count)
        contentLength += UInt64(octets.count)
    }
}
