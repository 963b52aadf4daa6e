package import Transport

/// Why a transfer failed: the one error type that leaves the library.
public struct TransferError: Error, Hashable, Sendable {
    /// What a program branches on; each maps to one exit code. A struct, so that new codes break nobody.
    public struct Code: Hashable, Sendable {
        /// The code's name, as in `rawget`'s table of exit codes.
        public let name: String

        init(_ name: String) { self.name = name }
    }

    /// What was under way, which a bare code cannot tell.
    public enum Phase: String, Hashable, Sendable, CaseIterable {
        /// Before anything was sent: reading the URI, building the request.
        case prepare
        case resolve
        case connect
        case tls
        case send
        /// The request is out and no octet of the response has come.
        case firstByte
        case content
        /// Writing what was received.
        case store
    }

    /// What a program branches on.
    public var code: Code
    /// What was under way.
    public var phase: Phase
    /// One clause of facts for a person: host, limit, offset, RFC section. No full stop, no secrets.
    public var detail: String
    /// `errno` of the failed system call, where there was one.
    public var errno: Int32?
    /// What a later task goes on from, of a download of a session that has failed by itself; `nil` where there is nothing to
    /// go on from.
    public package(set) var resumeData: [UInt8]?
    /// Which of the causes that a code may have, where each is mended in its own way.
    package var cause: Cause?
    /// The file in which what was received is kept.
    package var part: String?
    /// What another try makes of that file; `nil`: nothing.
    package var continuation: Continuation?

    /// What another try makes of a file that is kept.
    package enum Continuation: Hashable, Sendable {
        /// It goes on with it.
        case goesOn
        /// It does where the caller asks for that, since the file has its final name.
        case goesOnIfAsked
        /// It begins anew, in the same file.
        case beginsAnew(reason: String)
    }

    /// What tells failures of one code apart.
    package enum Cause: Hashable, Sendable {
        case resolveTime
        case connectTime
        case totalTime
        /// No octet came for too long.
        case silence
        case speed
        /// The network that was in use is there no more.
        case networkLost
        case tls(TLSFailure.Cause)
        /// What came in place of a response is TLS.
        case speaksTLS
        /// A redirect leads to a scheme that the caller has ruled out.
        case redirectScheme
        /// A limit of no redirects at all.
        case noRedirects
    }

    /// An error with these facts.
    public init(_ code: Code, during phase: Phase, _ detail: String, errno: Int32? = nil) {
        self.code = code
        self.phase = phase
        self.detail = detail
        self.errno = errno
    }
}

extension TransferError: CustomStringConvertible {
    /// The detail.
    public var description: String { detail }
}

extension TransferError.Code {
    /// The URI's scheme is none that the client speaks.
    public static let unsupportedScheme = Self("unsupportedScheme")
    /// The URI cannot be read.
    public static let badURI = Self("badURI")
    /// No valid request can be made of what the caller gave beside the URI: method, target, fields, content.
    public static let badRequest = Self("badRequest")
    /// No address was found for the host.
    public static let notResolved = Self("notResolved")
    /// No address of the host could be connected to.
    public static let couldNotConnect = Self("couldNotConnect")
    /// Connections cannot begin at the interface or address that was asked for.
    public static let interfaceFailed = Self("interfaceFailed")
    /// What came is no response that HTTP/1.1 allows.
    public static let badResponse = Self("badResponse")
    /// What came has no head, as HTTP/0.9 has none, and that is not allowed.
    public static let headMissing = Self("headMissing")
    /// Content that the version of the request has no way to send.
    public static let uploadFailed = Self("uploadFailed")
    /// The representation is not newer, or not older, than was asked for.
    public static let conditionNotMet = Self("conditionNotMet")
    /// The content ended before it was whole.
    public static let incompleteContent = Self("incompleteContent")
    /// The content has a coding that was not asked for or cannot be undone.
    public static let badContentCoding = Self("badContentCoding")
    /// The content has another digest than was expected of it.
    public static let digestMismatch = Self("digestMismatch")
    /// A part of a representation was asked for, and what came is no such part.
    public static let rangeNotServed = Self("rangeNotServed")
    /// What is there of a representation cannot be gone on with.
    public static let badResume = Self("badResume")
    /// Another process is writing the same part.
    public static let partInUse = Self("partInUse")
    /// The response's status says that the request failed, and the caller asked to take that as an error.
    public static let httpFailure = Self("httpFailure")
    /// What was received could not be written.
    public static let writeFailed = Self("writeFailed")
    /// Something local could not be read.
    public static let readFailed = Self("readFailed")
    /// The system gave no memory.
    public static let outOfMemory = Self("outOfMemory")
    /// The TLS handshake failed.
    public static let tlsFailed = Self("tlsFailed")
    /// This side's certificate or key cannot be used.
    public static let clientCertificate = Self("clientCertificate")
    /// The list of ciphers cannot be used.
    public static let cipher = Self("cipher")
    /// The server's certificate does not prove that it is the one asked for.
    public static let peerCertificate = Self("peerCertificate")
    /// The certificates of authorities could not be read.
    public static let caFile = Self("caFile")
    /// The server's key is none of those pinned.
    public static let pinnedKey = Self("pinnedKey")
    /// A limit of time was reached; the detail says which.
    public static let timedOut = Self("timedOut")
    /// The connection ended before any octet of a response.
    public static let emptyReply = Self("emptyReply")
    /// The connection broke while the request was sent.
    public static let sendFailed = Self("sendFailed")
    /// The connection broke while the response was read, or the content broke its own framing.
    public static let receiveFailed = Self("receiveFailed")
    /// The content is larger than the caller allows.
    public static let tooLarge = Self("tooLarge")
    /// There were more redirects than are followed.
    public static let tooManyRedirects = Self("tooManyRedirects")
    /// Content must be sent again that can be read only once.
    public static let contentNotRewound = Self("contentNotRewound")
    /// Only a stored response was wanted, and none fits.
    public static let notInCache = Self("notInCache")
    /// There is no network, or none that may be used.
    public static let offline = Self("offline")
    /// The caller ended it.
    public static let cancelled = Self("cancelled")
}
