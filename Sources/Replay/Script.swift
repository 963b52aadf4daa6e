/// What a replay server does, connection by connection.
public struct Script: Sendable {
    /// The connections in the order in which they are accepted.
    public var connections: [Connection]
    /// What every connection beyond `connections` gets.
    public var others: Connection

    /// A script of these connections; any further one is closed at once.
    public init(_ connections: [Connection] = [], others: Connection = Connection([.close])) {
        self.connections = connections
        self.others = others
    }

    /// A script that treats every connection alike.
    public init(everyConnection connection: Connection) {
        self.init([], others: connection)
    }

    /// The script of the connection `number`, counted from 0.
    func connection(_ number: Int) -> Connection {
        number < connections.count ? connections[number] : others
    }

    /// The steps of one connection. After the last one the server closes it.
    public struct Connection: Sendable {
        /// What the server does, in order.
        public var steps: [Step]
        /// Begins again with the first step after the last one, until the peer closes.
        public var isRepeating: Bool

        /// A connection of these steps.
        public init(_ steps: [Step], isRepeating: Bool = false) {
            self.steps = steps
            self.isRepeating = isRepeating
        }

        /// For each request without content, the same octets, on a connection that stays open.
        public static func answering(_ response: [UInt8]) -> Connection {
            Connection([.expectHead, .send(response)], isRepeating: true)
        }
    }

    /// One thing the server does on a connection.
    public enum Step: Sendable {
        /// Reads until the blank line and records what came as a new request. When the peer closes instead, the
        /// connection is over.
        case expectHead
        /// Reads the content of the last request and adds it to the record.
        case expectContent(ContentLength)
        /// Judges the last request as recorded so far; what is returned is a complaint, kept for the test.
        case check(@Sendable (RecordedRequest) -> String?)
        /// Sends these octets.
        case send([UInt8])
        /// Sends these octets so many times.
        case sendRepeated([UInt8], times: Int)
        /// Sends a part of generated content.
        case sendGenerated(seed: UInt64, range: Range<UInt64>)
        /// Waits.
        case pause(Duration)
        /// From here on hands octets to the kernel in pieces of this size. It may still merge them.
        case pieces(of: Int)
        /// Sends these octets past TLS, as if they were records.
        case sendUnprotected([UInt8])
        /// Changes the server's keys and asks the peer to change its own, in TLS 1.3 (RFC 8446, section 4.6.3).
        case updateKeys
        /// Shuts down sending, in TLS with a close_notify; what the peer sends can still be expected.
        case halfClose
        /// Closes in order: octets that have arrived are read and dropped, so that no reset overtakes the answer. In
        /// TLS with a close_notify first.
        case close
        /// Closes in order, but in TLS without a close_notify, as if the answer had been cut off.
        case closeWithoutNotify
        /// Closes with a reset; octets not yet delivered may be lost.
        case reset
        /// Neither sends nor receives, until the peer closes or the server stops.
        case stall

        /// Sends the text as UTF-8.
        public static func send(_ text: String) -> Step { .send(Array(text.utf8)) }

        /// Sends the first `count` octets of generated content.
        public static func sendGenerated(seed: UInt64, count: UInt64) -> Step {
            .sendGenerated(seed: seed, range: 0..<count)
        }
    }

    /// How much content a request is expected to have.
    public enum ContentLength: Hashable, Sendable {
        /// What its head says: Transfer-Encoding, else Content-Length, else none.
        case declared
        /// So many octets, whatever the head says.
        case octets(Int)
    }
}
