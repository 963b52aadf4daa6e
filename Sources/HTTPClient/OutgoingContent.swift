import HTTPMessage
import Transport

/// A request as it goes out: its head, and where its content comes from.
@NetworkActor
struct OutgoingContent {
    /// How much content there is.
    nonisolated enum Length: Hashable, Sendable {
        case none
        case known(UInt64)
        /// Sent in chunks.
        case unknown

        /// Octets; `nil` where nobody knows.
        var octets: UInt64? {
            switch self {
            case .none: 0
            case .known(let count): count
            case .unknown: nil
            }
        }
    }

    /// Where the content comes from.
    enum Source {
        case none
        case octets([UInt8])
        case stream(any RequestContent)
    }

    let head: [UInt8]
    let source: Source
    let length: Length
    /// Whether the server is asked for a go-ahead (RFC 9110, section 10.1.1).
    let expectsContinue: Bool
    private let version: HTTPVersion
    private let target: String?

    /// `stream` goes before the request's own content. Throws `badRequest` where that makes no valid request.
    init(
        of request: HTTPRequest, _ stream: (any RequestContent)?, _ options: TransferOptions
    ) throws(TransferError) {
        let source: Source
        let length: Length
        if let stream {
            source = .stream(stream)
            length = stream.length.map { .known($0) } ?? .unknown
        } else if let octets = request.content {
            source = .octets(octets)
            length = .known(UInt64(octets.count))
        } else {
            source = .none
            length = .none
        }
        let isLong = options.expectsContinueAbove.map { length.octets ?? .max > $0 } ?? false
        // Whoever writes the field himself waits, too, if there is content to wait with.
        let isAsked =
            request.fields.contains(.expect)
            && CommaList(.expect, in: request.fields).contains(token: "100-continue")
        let expects =
            length.octets != 0 && options.version >= .http11
            && (isAsked || isLong && !request.fields.contains(.expect))
        try self.init(
            request, source, length, expectsContinue: expects, options.version, options.requestTarget)
    }

    private init(
        _ request: HTTPRequest, _ source: Source, _ length: Length, expectsContinue: Bool,
        _ version: HTTPVersion, _ target: String?
    ) throws(TransferError) {
        head = try request.headOctets(
            length, expectsContinue: expectsContinue, version: version, target: target)
        self.version = version
        self.target = target
        self.source = source
        self.length = length
        self.expectsContinue = expectsContinue
    }

    /// The same, without asking.
    func withoutExpectation(_ request: HTTPRequest) throws(TransferError) -> OutgoingContent {
        var request = request
        request.fields.remove(.expect)
        return try OutgoingContent(request, source, length, expectsContinue: false, version, target)
    }
}
