import Glibc
import System

/// Opens a stream to the address that answers first.
@NetworkActor
public struct Dialer {
    /// What happens on the way.
    public enum Event: Sendable {
        case trying(SocketAddress)
        case failed(TransportError.Attempt)
    }

    /// Time between the starts of two attempts (RFC 8305, section 8); 250 ms, as recommended there (curl 200 ms).
    public nonisolated static let recommendedDelay = Duration.milliseconds(250)

    /// How sockets are set up.
    public var options: TCPStream.Options
    /// How long an address may keep the next one waiting.
    public var delay: Duration
    /// Told of each step.
    public var observer: (@NetworkActor (Event) -> Void)?

    /// A dialer with these options.
    public init(
        options: TCPStream.Options = .init(), delay: Duration = Dialer.recommendedDelay,
        observer: (@NetworkActor (Event) -> Void)? = nil
    ) {
        self.options = options
        self.delay = delay
        self.observer = observer
    }

    /// Races `addresses` (RFC 8305, section 5): families in turn, the next one when the last has failed or kept it
    /// waiting for `delay`; the first that connects wins, and the others are closed.
    ///
    /// Throws `notConnected` with the reason of every one, `timedOut` when one was still on its way, `cancelled`.
    public func open(_ addresses: [SocketAddress], until deadline: Deadline) async throws(TransportError)
        -> TCPStream
    {
        if let only = addresses.first, addresses.count == 1 { return try await open(only, until: deadline) }
        let race = Race(Self.alternating(addresses), self, deadline)
        defer { race.end() }
        return try await race.run()
    }

    private func open(
        _ address: SocketAddress, until deadline: Deadline
    ) async throws(TransportError) -> TCPStream {
        observer?(.trying(address))
        do throws(TransportError) {
            return try await TCPStream.connect(to: address, options: options, until: deadline)
        } catch {
            switch error.reason {
            case .notConnected(let attempts): for attempt in attempts { observer?(.failed(attempt)) }
            case .timedOut(_, let time):
                observer?(.failed(.init(address: address, failure: .timedOut(time))))
            default: break
            }
            throw error
        }
    }

    /// The same addresses with their families in turn, the first one's first; otherwise in their order (RFC 8305,
    /// section 4, with a First Address Family Count of 1).
    nonisolated static func alternating(_ addresses: [SocketAddress]) -> [SocketAddress] {
        guard let first = addresses.first else { return [] }
        let ours = addresses.filter { $0.family == first.family }
        let others = addresses.filter { $0.family != first.family }
        var result: [SocketAddress] = []
        for index in 0..<max(ours.count, others.count) {
            if index < ours.count { result.append(ours[index]) }
            if index < others.count { result.append(others[index]) }
        }
        return result
    }
}
