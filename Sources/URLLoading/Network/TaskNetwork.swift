import HTTPClient
import System
import Transport

/// What a task knows of the network that it uses.
struct TaskNetwork {
    /// Whether it may use cellular networks.
    var allowsCellular = true
    /// Whether the transfer under way uses any.
    private(set) var isInUse = false
    /// Ends its wait for one.
    var pause: Pause?
    /// When the last wait had an end.
    var cameBack: Instant?

    /// How long after a network has come names may still be unknown: who tells of the resolver often comes last.
    static let settlingTime = Duration.seconds(10)

    /// Takes an event of a transfer into account.
    mutating func note(_ event: TransferEvent) {
        switch event {
        case .resolving, .connecting, .reusing: isInUse = true
        case .answeredFromCache, .contentReceived, .redirecting: isInUse = false
        default: break
        }
    }
}
