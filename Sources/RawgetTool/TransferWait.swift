import HTTPClient

/// What an event says of a transfer's waiting while there is nothing to measure.
enum TransferWait: Hashable, Sendable {
    /// It waits from now on, for this: words for a person, safe for the terminal.
    case waits(String)
    /// Octets that can be measured come or go.
    case ends
    /// All is as it was.
    case none

    /// Content sent that is worth watching.
    static let leastUpload: UInt64 = 64 << 10
    /// What is waited for before another try.
    static let anotherTry = "waiting to try again"
    /// What is waited for where there is none.
    static let network = "waiting for the network"
    /// The most columns that a host takes.
    fileprivate static let hostColumns = 40
}

extension TransferEvent {
    /// What the transfer waits for after this event.
    var effectOnWait: TransferWait {
        switch self {
        case .resolving(let host):
            let name = TerminalWidth.fittingMiddle(host.escapedForTerminal, into: TransferWait.hostColumns)
            return .waits("looking for \(name)")
        case .connecting: return .waits("connecting")
        // TLS and the words with a proxy.
        case .connected: return .waits("setting up the connection")
        case .waitingForConnection: return .waits("waiting for a free connection")
        case .requestHead, .continuing: return .waits("sending the request")
        case .sent(let count, _): return count > TransferWait.leastUpload ? .ends : .none
        case .awaitingContinue: return .waits("waiting for the go-ahead")
        case .requestSent: return .waits("waiting for the answer")
        case .response: return .waits("waiting for the content")
        case .redirecting: return .waits("following a redirect")
        case .waitingForNetwork: return .waits(TransferWait.network)
        case .retrying: return .waits(TransferWait.anotherTry)
        case .content, .contentReceived: return .ends
        default: return .none
        }
    }

    /// Whether a warning may follow, which needs a line of its own.
    var mayBringWarning: Bool {
        switch self {
        case .redirecting, .retrying, .notRetrying, .startingOver, .waitingForNetwork: true
        default: false
        }
    }
}
