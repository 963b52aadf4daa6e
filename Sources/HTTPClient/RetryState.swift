import System
import Transport

/// Counts the tries of one transfer and says after each what to do.
public struct RetryState: Sendable {
    /// What to do after a try that failed.
    public enum Verdict: Hashable, Sendable {
        /// The failure stands.
        case giveUp(Reason)
        /// Try again after so long.
        case wait(Duration)
    }

    /// Why there is no other try.
    public enum Reason: Hashable, Sendable {
        /// The policy does not expect another try to end otherwise.
        case notTransient
        /// There were as many retries as the policy allows.
        case triesUsedUp
        /// The wait would end behind the policy's time.
        case timeUsedUp
        /// The server asks for a wait, of that length, which the policy finds too long.
        case serverAsksTooLong(Duration)
    }

    /// What it goes by.
    public let policy: RetryPolicy
    /// Retries asked for since the first try, or since the last one that brought enough.
    public private(set) var retries = 0
    private var isOutage = false

    /// Before the first try.
    public init(_ policy: RetryPolicy) { self.policy = policy }

    /// What to do after a try that ended as `attempt` says, `elapsed` after the start of the first. `random` is any
    /// 64 bits, used once.
    ///
    /// A wait that the server asks for (Retry-After) is taken as it is: 0 means at once, where curl waits its own delay.
    public mutating func verdict(after attempt: RetryAttempt, elapsed: Duration, random: UInt64) -> Verdict {
        if let least = policy.resetsOnProgress, attempt.newOctets >= least { retries = 0 }
        guard
            attempt.isTransient(policy, isOutage: isOutage)
        else { return .giveUp(.notTransient) }
        if policy.scope == .resumable || policy.retriesCut, attempt.isCut { isOutage = true }
        guard retries < policy.maximumRetries else { return .giveUp(.triesUsedUp) }

        var wait = policy.wait(afterRetries: retries, random: random)
        if let seconds = attempt.retryAfter, attempt.error.map({ $0.code == .httpFailure }) ?? true {
            wait = .seconds(Int64(clamping: seconds))
            if let longest = policy.longestRetryAfter, wait > longest {
                return .giveUp(.serverAsksTooLong(wait))
            }
        }
        if let limit = policy.maximumTime {
            let elapsed = max(elapsed, .zero)
            guard elapsed < limit, wait <= limit - elapsed else { return .giveUp(.timeUsedUp) }
        }
        retries += 1
        return .wait(wait)
    }

    /// How long the network may be waited for after a try that failed as `attempt` says, `elapsed` after the start of the
    /// first, while there is no way to the host; `nil` where the policy would not try again with one either. Such a wait is
    /// no retry, since it fails nobody.
    public mutating func patience(after attempt: RetryAttempt, elapsed: Duration) -> Duration? {
        guard policy.maximumRetries > 0,
            // Without a network all failures of a connection are the same outage.
            attempt.isTransient(policy, isOutage: isOutage || policy.scope != .resumable)
        else { return nil }
        if policy.scope == .resumable || policy.retriesCut, attempt.isCut { isOutage = true }
        var limit = policy.longestOutage
        if let time = policy.maximumTime { limit = min(limit, time - max(elapsed, .zero)) }
        return limit > .zero ? limit : nil
    }
}

extension RetryState.Reason {
    /// Whether there would be another try if it might take longer.
    package var isOfTime: Bool {
        switch self {
        case .serverAsksTooLong, .timeUsedUp: true
        case .notTransient, .triesUsedUp: false
        }
    }
}

extension RetryState.Reason: CustomStringConvertible {
    /// One clause for a person.
    public var description: String {
        switch self {
        case .notTransient: "another try would not help"
        case .triesUsedUp: "no retries are left"
        case .timeUsedUp: "the time for retries is used up"
        case .serverAsksTooLong(let duration):
            "the server asks to wait \(duration.inSeconds.formattedSeconds), which is too long"
        }
    }
}
