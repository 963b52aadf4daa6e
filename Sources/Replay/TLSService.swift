/// How a replay server speaks TLS.
public struct TLSService: Sendable {
    /// What the server does instead of a handshake, or in the middle of one.
    public enum Fault: Sendable {
        /// Closes when the ClientHello has come.
        case closeAfterClientHello
        /// Resets the connection when the ClientHello has come.
        case resetAfterClientHello
        /// Says nothing after the ClientHello until the peer closes.
        case stallAfterClientHello
        /// Closes after so many octets of its part of the handshake.
        case close(afterOctets: Int)
        /// Changes one octet of its part of the handshake, counted from 0.
        case spoil(octet: Int)
        /// Sends a fatal alert of this number (RFC 8446, section 6) and closes.
        case alert(UInt8, AlertStage)
        /// Answers the ClientHello with these octets, then closes.
        case answer([UInt8])

        /// Answers like a server of plain HTTP that was sent a ClientHello.
        public static let plainHTTP = Fault.answer(
            Array("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".utf8))
    }

    /// Where a handshake is when an alert ends it.
    public enum AlertStage: Hashable, Sendable, CaseIterable {
        /// In place of the ServerHello.
        case serverHello
        /// Behind the ServerHello, in place of the certificate; in TLS 1.3 encrypted.
        case certificate
        /// In place of the server's Finished of TLS 1.2. In TLS 1.3 the client has finished before: there the alert
        /// comes encrypted behind the handshake, in place of the tickets.
        case finished
    }

    /// The server's key and certificates.
    public var identity: TestIdentity
    /// The least version spoken.
    public var minimumVersion = Version.tls12
    /// The greatest version spoken.
    public var maximumVersion = Version.tls13
    /// Authorities (PEM) of which one must have issued the client's certificate; `nil`: none is asked for.
    public var clientAuthority: [UInt8]?
    /// Whether a client may leave the certificate out that it is asked for.
    public var isClientCertificateOptional = false
    /// The ciphers of TLS 1.2 and before, in OpenSSL's words.
    public var cipherList = "DEFAULT:@SECLEVEL=0"
    /// The ciphers of TLS 1.3, in OpenSSL's words.
    public var cipherSuites: String?
    /// The application protocols served, the best first; `nil`: the extension is ignored.
    public var protocols: [String]? = ["http/1.1"]
    /// Whether a client gets tickets to resume with (RFC 8446, section 4.6.1; RFC 5077).
    public var sendsTickets = true
    /// Whether sessions of TLS 1.2 are kept, to be resumed by their identifier.
    public var keepsSessions = true
    /// What goes wrong in the handshake.
    public var fault: Fault?
    /// The connections that have the fault; `nil`: all.
    public var faultyConnections: Set<Int>?

    /// A service of TLS 1.2 and 1.3 with this identity.
    public init(_ identity: TestIdentity) { self.identity = identity }

    /// The fault of a connection.
    func fault(ofConnection number: Int) -> Fault? {
        if let faultyConnections, !faultyConnections.contains(number) { return nil }
        return fault
    }
}

/// What became of the handshake of one connection.
public struct RecordedHandshake: Hashable, Sendable {
    /// The number of the connection, in order of acceptance, from 0.
    public let connection: Int
    /// The version agreed on, `TLSv1.3`; empty when the handshake did not get so far.
    public internal(set) var version = ""
    /// The cipher agreed on, in OpenSSL's words; empty when the handshake did not get so far.
    public internal(set) var cipher = ""
    /// The name in the ClientHello's server name indication; `nil`: it had none.
    public internal(set) var serverName: String?
    /// The application protocols offered in the ClientHello.
    public internal(set) var offeredProtocols: [String] = []
    /// Whether an earlier session went on.
    public internal(set) var isResumed = false
    /// The subject of the client's certificate, `CN = …`; `nil`: it sent none.
    public internal(set) var clientSubject: String?
    /// Why the handshake failed, in OpenSSL's words or as the fault; `nil`: it did not.
    public internal(set) var failure: String?
    /// The alert the client sent last (RFC 8446, section 6); 0 is close_notify.
    public internal(set) var receivedAlert: UInt8?

    init(connection: Int) { self.connection = connection }
}
