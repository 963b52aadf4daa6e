public import HTTPClient
public import HTTPMessage
public import Reachability

/// The steps between a program and an answer, in their order.
public enum ProbeStep: String, Hashable, Sendable, CaseIterable {
    /// A network interface that is up and has a carrier.
    case interface
    /// An address of this machine.
    case address
    /// A way to the host, or out.
    case route
    /// The host's addresses.
    case dns
    /// A connection.
    case tcp
    /// Its being secured.
    case tls
    /// An answer.
    case http
    /// The answer's being one of whom it should be.
    case meaning
}

/// What a probe has found.
public struct ProbeResult: Sendable {
    /// How a step went.
    public enum Outcome: String, Hashable, Sendable {
        case passed, failed
        /// It was not needed, or not reached.
        case skipped
    }

    /// What a step has found.
    public struct Finding: Hashable, Sendable {
        /// Which one.
        public var step: ProbeStep
        /// How it went.
        public var outcome: Outcome
        /// How long it took; `nil` where that is part of another's time, or nothing was done.
        public var duration: Duration?
        /// One clause for a person. What a server said may stand in it as it came.
        public var words: String
    }

    /// All steps, in their order.
    public var findings: [Finding]
    /// Why it failed; `nil` where all is well. Without a network it is `offline`.
    public var error: TransferError?
    /// How the network of this machine stands; `nil` where the system does not say.
    public var network: NetworkState?
    /// What there is a way to the host over, or out where no host was asked for.
    public var status: ReachabilityStatus
    /// The answer's head.
    public var response: HTTPResponse?
    /// What it means.
    public var meaning: AnswerMeaning?

    /// The step that has failed; `nil` where all is well.
    public var failedStep: ProbeStep? { findings.first { $0.outcome == .failed }?.step }
}
