import Glibc
public import HTTPMessage

/// How one try ended, as far as it matters for another.
public struct RetryAttempt: Hashable, Sendable {
    /// Why it failed; `nil` where the caller takes the answer, whatever its status, as no error.
    public var error: TransferError?
    /// The status of the final response; `nil` where none came.
    public var status: HTTPStatus?
    /// The seconds that Retry-After asks for; `nil` where the field is missing or cannot be read.
    public var retryAfter: UInt64?
    /// Whether any octet of the content came.
    public var hasContent: Bool
    /// Octets of content that no try before had brought. What comes again because the transfer began anew is not new.
    public var newOctets: UInt64

    /// A try that ended so.
    public init(
        error: TransferError? = nil, status: HTTPStatus? = nil, retryAfter: UInt64? = nil,
        hasContent: Bool = false, newOctets: UInt64 = 0
    ) {
        self.error = error
        self.status = status
        self.retryAfter = retryAfter
        self.hasContent = hasContent
        self.newOctets = newOctets
    }
}

extension RetryAttempt {
    /// Whether it failed as a policy of that scope thinks worth another try. `isOutage` when content was cut before, and
    /// this try was to go on with it.
    func isTransient(_ policy: RetryPolicy, isOutage: Bool) -> Bool {
        let (scope, retriesRefused) = (policy.scope, policy.retriesRefused)
        guard let error, error.code != .httpFailure else {
            return isTransientStatus(scope, isOutage: isOutage)
        }
        // What fails while the request is made is the caller's trouble, what fails while content is kept this machine's.
        guard error.phase != .prepare, error.phase != .store else { return false }
        let isAll = scope == .all
        switch error.code {
        case .timedOut, .notResolved:
            return scope != .resumable || isOutage || isCut
        case .couldNotConnect:
            return isAll || isOutage || scope == .transient && retriesRefused && error.errno == ECONNREFUSED
        case .incompleteContent, .receiveFailed:
            // curl's --retry leaves these alone, since it would begin anew.
            return isAll || isOutage || (scope == .resumable || policy.retriesCut) && isCut
        case .sendFailed, .emptyReply:
            return isAll || isOutage

        // The server or something between sent nonsense, or lacks what it should have. It mostly does so again.
        case .badResponse, .headMissing, .badContentCoding, .digestMismatch, .rangeNotServed,
            .tooManyRedirects, .tlsFailed, .peerCertificate, .pinnedKey:
            return isAll

        // The caller's will.
        case .cancelled, .tooLarge, .conditionNotMet, .notInCache:
            return false
        // Local trouble, which no server mends. curl's --retry-all-errors tries a failed write again too: on a full disk
        // that loads the same content to no end.
        case .writeFailed, .readFailed, .outOfMemory, .interfaceFailed, .clientCertificate, .cipher, .caFile:
            return false
        // What was asked for cannot be sent, or not twice; a redirect's URI can be at fault after the request was sent.
        case .badURI, .unsupportedScheme, .badRequest, .uploadFailed, .contentNotRewound:
            return false
        default:
            return isAll
        }
    }

    private func isTransientStatus(_ scope: RetryPolicy.Scope, isOutage: Bool) -> Bool {
        guard let status else { return false }
        switch status.code {
        case 429, 503: return scope != .resumable || isOutage || retryAfter != nil
        case 408, 500, 502, 504: return scope != .resumable || isOutage
        // As in curl an error status is an error only where the caller says so (-f).
        default: return scope == .all && error != nil && status.code >= 400
        }
    }

    /// Whether content was on its way and then no more came, for which nobody here is to blame.
    var isCut: Bool {
        guard let error, error.phase == .content else { return false }
        return switch error.code {
        case .incompleteContent, .receiveFailed: true
        // A limit for the whole (-m) that began anew would be none.
        case .timedOut: error.cause == .silence || error.cause == .speed
        default: false
        }
    }
}
