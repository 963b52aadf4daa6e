import Glibc
public import System

/// Why a stream could not be opened, or went no further. Knows addresses and system calls, no HTTP.
public struct TransportError: Error, Hashable, Sendable {
    /// What happened.
    public enum Reason: Hashable, Sendable {
        /// The resolver has no address for the host: its words.
        case notResolved(String)
        /// Every address failed; each with its reason.
        case notConnected([Attempt])
        /// The caller permits no connection to any of the host's addresses.
        case notPermitted
        /// Connections cannot begin where they are told to.
        case notBound(String)
        case timedOut(Deadline.Limit, after: Duration)
        case cancelled
        /// The connection was closed by this side while it was in use.
        case closed
        case sendFailed(SystemError)
        case receiveFailed(SystemError)
        /// The connection could not be secured, or is so no more.
        case tlsFailed(TLSFailure)
        /// A secured connection ended without the peer's word that it does (close_notify): something may be missing.
        case cutShort
        /// Moving octets on to a file failed, not the connection.
        case targetFailed(SystemError)
        /// The system refused what a stream is made of: a descriptor, memory.
        case systemFailed(SystemError)
    }

    /// One address that was tried.
    public struct Attempt: Hashable, Sendable {
        /// What was tried.
        public var address: SocketAddress
        /// How it failed.
        public var failure: Failure

        /// How it failed.
        public enum Failure: Hashable, Sendable {
            case system(SystemError)
            case timedOut(Duration)
        }

        /// An attempt at `address` that failed so.
        public init(address: SocketAddress, failure: Failure) {
            self.address = address
            self.failure = failure
        }
    }

    /// What happened.
    public var reason: Reason

    /// An error for that reason.
    public init(_ reason: Reason) { self.reason = reason }

    /// `errno` of the failed call, where there was one.
    public var errno: Int32? {
        switch reason {
        case .sendFailed(let error), .receiveFailed(let error), .targetFailed(let error),
            .systemFailed(let error):
            return error.errno
        case .notConnected(let attempts):
            // What is last in the list may not have failed last: a lack of descriptors counts wherever it stands.
            let numbers = attempts.compactMap { attempt -> Int32? in
                if case .system(let error) = attempt.failure { error.errno } else { nil }
            }
            if let lack = numbers.first(where: { $0 == EMFILE || $0 == ENFILE }) { return lack }
            if case .system(let error) = attempts.last?.failure { return error.errno }
            return nil
        default: return nil
        }
    }

    /// Why no attempt could begin at the local end it was given; `nil` when one could, or got further.
    package var refusalToBind: SystemError? {
        guard case .notConnected(let attempts) = reason else { return nil }
        var refusal: SystemError?
        for attempt in attempts {
            guard case .system(let error) = attempt.failure, error.call == "bind" else { return nil }
            refusal = refusal ?? error
        }
        return refusal
    }

    /// A wait that did not end in readiness.
    init(_ outcome: WaitOutcome, _ deadline: Deadline) {
        switch outcome {
        case .timedOut: reason = .timedOut(deadline.limit, after: deadline.duration)
        case .cancelled: reason = .cancelled
        case .closed, .ready: reason = .closed
        }
    }
}

extension TransportError.Attempt: CustomStringConvertible {
    /// The address and what failed, in one clause.
    public var description: String {
        "\(address): \(failure)"
    }
}

extension TransportError.Attempt.Failure: CustomStringConvertible {
    /// What failed, in one clause.
    public var description: String {
        switch self {
        case .system(let error): error.explanation
        case .timedOut(let duration): "no answer in \(duration.inSeconds.formattedSeconds)"
        }
    }
}

extension Double {
    /// `60 s`, `0.25 s`: up to three decimals, none that are zero.
    public var formattedSeconds: String {
        let thousandths = Int64((self * 1000).rounded().clamped(to: -1e15...1e15))
        var text = String(thousandths / 1000)
        var rest = (thousandths % 1000).magnitude
        if rest > 0 {
            var digits = 3
            while rest % 10 == 0 {
                rest /= 10
                digits -= 1
            }
            let fraction = String(rest)
            text += "." + String(repeating: "0", count: digits - fraction.count) + fraction
        }
        return text + " s"
    }
}

extension Comparable {
    fileprivate func clamped(to range: ClosedRange<Self>) -> Self {
        min(max(self, range.lowerBound), range.upperBound)
    }
}
