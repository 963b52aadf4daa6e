import System

/// Opens a stream to the first address that answers.
@NetworkActor
public struct Dialer {
    /// What happens on the way.
    public enum Event: Sendable {
        case trying(SocketAddress)
        case failed(TransportError.Attempt)
    }

    /// How sockets are set up.
    public var options: TCPStream.Options
    /// Told of each step.
    public var observer: (@NetworkActor (Event) -> Void)?

    /// A dialer with these options.
    public init(options: TCPStream.Options = .init(), observer: (@NetworkActor (Event) -> Void)? = nil) {
        self.options = options
        self.observer = observer
    }

    /// Tries `addresses` one after another; an address that does not answer leaves time for those behind it.
    /// Throws `notConnected` with the reason of every one, `timedOut` when a single one never answered, `cancelled`.
    public func open(_ addresses: [SocketAddress], until deadline: Deadline) async throws(TransportError)
        -> TCPStream
    {
        var attempts: [TransportError.Attempt] = []
        for (index, address) in addresses.enumerated() {
            observer?(.trying(address))
            let share = share(of: deadline, among: addresses.count - index)
            do throws(TransportError) {
                return try await TCPStream.connect(to: address, options: options, until: share)
            } catch {
                switch error.reason {
                case .notConnected(let failed): attempts += failed
                case .timedOut:
                    attempts.append(.init(address: address, failure: .timedOut(share.duration)))
                default: throw error
                }
                if let last = attempts.last { observer?(.failed(last)) }
                if deadline.instant <= .now { break }
            }
        }
        // Time ran out on the last: that is what a caller branches on.
        if case .timedOut = attempts.last?.failure, deadline.instant <= .now {
            throw TransportError(.timedOut(deadline.limit, after: deadline.duration))
        }
        throw TransportError(.notConnected(attempts))
    }

    /// An equal part of the time left, for each address to come.
    private func share(of deadline: Deadline, among count: Int) -> Deadline {
        guard count > 1, deadline.instant < .distantFuture else { return deadline }
        let part = (deadline.instant - .now) / count
        return Deadline(deadline.limit, in: max(part, .zero))
    }
}
