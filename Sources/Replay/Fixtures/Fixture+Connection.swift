extension Fixture {
    /// A server: a host, and how it behaves.
    public struct Server: Hashable, Sendable {
        /// What becomes of those who connect.
        public enum Reception: Hashable, Sendable {
            case accepted
            /// Nobody listens.
            case refused
            /// Neither accepted nor refused.
            case silent
        }

        /// Where it stands; 0: nowhere.
        public var line = 0
        /// The host that leads here, in lower case.
        public var host = "fixture.test"
        /// The port that leads here; `nil`: all that no other server of that host has.
        public var port: UInt16?
        /// How it speaks TLS; `nil`: not at all.
        public var tls: TLS?
        /// What becomes of those who connect.
        public var reception = Reception.accepted
        /// What happens at another address of the host, which comes first; `nil`: there is none.
        public var earlierAddress: Reception?
        /// Listens on ::1.
        public var usesIPv6 = false
        /// The first request of a connection decides which script it gets.
        public var takesAnyOrder = false
        /// Requests may come on any connection, in any order: each gets an exchange of a script, a request with what
        /// follows it up to the next.
        public var takesAnyConnection = false

        /// A server for `fixture.test`, without TLS.
        public init() {}

        /// A server for a host, without TLS.
        public init(host: String, port: UInt16? = nil) {
            self.host = host
            self.port = port
        }

        /// `HOST` or `HOST:PORT`, as fixtures write it.
        public var name: String { port.map { "\(host):\($0)" } ?? host }
    }

    /// How TLS is spoken.
    public struct TLS: Hashable, Sendable {
        /// The kind of a server's certificate.
        public enum Certificate: String, Hashable, Sendable, CaseIterable {
            case good
            case expired
            case notYetValid = "not-yet-valid"
            case wrongName = "wrong-name"
            case selfSigned = "self-signed"
            case unknownCA = "unknown-ca"
            /// Issued by an intermediate that is sent along.
            case chain
            /// Issued by an intermediate that is not sent along.
            case brokenChain = "broken-chain"
            /// For `*` in place of the host's first label, and for no address.
            case wildcard
            /// For `*` in place of the host's first two labels, which it must not match (RFC 9525, section 6.3).
            case deepWildcard = "deep-wildcard"
            /// With the host's name as its common name alone, where nobody may look for it (RFC 9110, section 4.3.4).
            case commonName = "common-name"
            /// For a name that is spelled like the host, which is an address.
            case addressAsName = "address-as-name"
        }

        /// Whether the client is asked for a certificate.
        public enum ClientCertificate: String, Hashable, Sendable, CaseIterable {
            case optional, required
        }

        /// What comes in place of the ServerHello.
        public enum Fault: Hashable, Sendable {
            case close, reset, stall
            /// An answer in plain HTTP.
            case http
            /// A fatal alert of this number (RFC 8446, section 6).
            case alert(UInt8)
        }

        /// The certificate.
        public var certificate = Certificate.good
        /// The only version spoken; `nil`: 1.2 and 1.3.
        public var version: TLSService.Version?
        /// Whether the client is asked for a certificate; `nil`: no.
        public var client: ClientCertificate?
        /// What comes in place of the ServerHello; `nil`: that.
        public var fault: Fault?

        /// TLS with a certificate of this kind.
        public init(_ certificate: Certificate = .good) { self.certificate = certificate }
    }

    /// The script of one connection.
    public struct Connection: Hashable, Sendable {
        /// Where it begins.
        public var line: Int
        /// The index of its server.
        public var server: Int
        /// What happens, in order.
        public var steps: [Located<Step>]

        /// A connection of these steps.
        public init(to server: Int = 0, line: Int = 0, _ steps: [Located<Step>] = []) {
            self.server = server
            self.line = line
            self.steps = steps
        }
    }

    /// What happens on a connection.
    public enum Step: Hashable, Sendable {
        /// `>` and its kin: the head of a request.
        case request(Request)
        /// `>>`: the content of the last request, all of it, without its transfer coding.
        case requestContent(FixtureContent)
        /// `>>>`: the next octets behind the head.
        case requestBody(FixtureContent)
        /// `<`: a line that is sent, without its CRLF.
        case sendLine([UInt8])
        /// `<|`: octets that are sent.
        case sendText([UInt8])
        /// `<<`: data that is sent.
        case send(FixtureContent)
        case pause(Duration)
        /// The client must send nothing meanwhile.
        case quiet(Duration)
        /// Sends in pieces of so many octets; `nil`: no longer.
        case pieces(Int?)
        case close, halfClose, reset, stall
        /// Closes without a close_notify.
        case cut
        case awaitClose
        /// What the client sends from here on is not looked at.
        case unread
        /// Waits until every connection with a `meet` of that name is there.
        case meet(String)
        case tls(TLS)
        case updateKeys
        /// Octets past TLS.
        case unprotected(FixtureContent)
        case interrupt
    }

    /// What the head of a request must be.
    public enum Request: Hashable, Sendable {
        /// `>=` and `>|`: these octets, in parts that remember their lines. They end with the blank line.
        case exactly([Located<[UInt8]>])
        /// `>`, `>~`, `>!`: conditions, of which the first is about the request line.
        case matching([Located<Condition>])
    }

    /// A condition about a head.
    public enum Condition: Hashable, Sendable {
        /// `>`: the request line is this, or a field line is.
        case line([UInt8])
        /// `>~`: the request line matches, or a field line does.
        case pattern(FixturePattern)
        /// `>!`: no field line has this name.
        case absent(String)
    }
}

/// Something that is wrong with a fixture, or that was not as it says.
public struct FixtureProblem: Error, Hashable, Sendable {
    /// The number of the line, from 1; 0: the file as a whole.
    public var line: Int
    /// What is wrong; may have several lines.
    public var message: String

    /// What is wrong at a line.
    public init(line: Int, _ message: String) {
        self.line = line
        self.message = message
    }
}

/// All that is wrong with the text of a fixture.
public struct FixtureSyntaxError: Error, Hashable, Sendable {
    /// In the order of their lines; at least one.
    public var problems: [FixtureProblem]

    /// What is wrong.
    public init(_ problems: [FixtureProblem]) { self.problems = problems }
}
