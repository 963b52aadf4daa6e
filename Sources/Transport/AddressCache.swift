package import System

/// Remembers the addresses of hosts for a while, and asks once for all who want to know at the same time.
///
/// Failures are not remembered. The system does not say how long an address is good for, so a lifetime is given.
@NetworkActor
package final class AddressCache {
    private struct Question: Hashable {
        /// In lower case. A dot at its end stays: it keeps the system from its search domains.
        var name: String
        var family: AddressFamily
    }

    private struct Known {
        var addresses: [SocketAddress]
        var end: Instant
    }

    /// How long addresses are remembered; zero remembers nothing.
    private let lifetime: Duration
    /// Most hosts remembered; the one that would be forgotten first gives way.
    private let maximumCount: Int
    private let asking: Resolver.Asking
    private var known: [Question: Known] = [:]
    private var asked: [Question: LookUp] = [:]

    /// An empty cache that asks the system.
    package nonisolated convenience init(lifetime: Duration, maximumCount: Int = 256) {
        self.init(lifetime: lifetime, maximumCount: maximumCount, asking: askSystem)
    }

    /// An empty cache that asks as it is told to.
    package nonisolated init(
        lifetime: Duration, maximumCount: Int = 256, asking: @escaping Resolver.Asking
    ) {
        self.lifetime = lifetime
        self.maximumCount = max(1, maximumCount)
        self.asking = asking
    }

    /// Hosts remembered.
    package var count: Int { known.count }

    /// Addresses that need no question: remembered ones, and those of `localhost`; `nil` when it takes one.
    package func knownAddresses(
        of host: String, port: UInt16, family: AddressFamily, at now: Instant = .now
    ) -> [SocketAddress]? {
        let name = Resolver.canonical(host)
        if let loopback = Resolver.loopbackAddresses(of: name, port: port, family: family) { return loopback }
        guard let entry = known[Question(name: host.lowercased(), family: family)], entry.end > now else {
            return nil
        }
        return entry.addresses.map { $0.with(port: port) }
    }

    /// The addresses of `host`, each with `port`. Throws `notResolved`, `timedOut`, `cancelled`.
    package func addresses(
        of host: String, port: UInt16, family: AddressFamily, until deadline: Deadline
    ) async throws(TransportError) -> [SocketAddress] {
        if let known = knownAddresses(of: host, port: port, family: family) { return known }
        // A thread would go on after both.
        if Task.isCancelled { throw TransportError(.cancelled) }
        if deadline.instant <= .now { throw TransportError(.timedOut, deadline) }
        let question = Question(name: host.lowercased(), family: family)
        let lookUp: LookUp
        if let other = asked[question], other.canBeJoined {
            lookUp = other
        } else {
            lookUp = LookUp(host: host, family: family, asking: asking)
            asked[question] = lookUp
            LookUp.start(lookUp)
        }
        do throws(TransportError) {
            let found = try await lookUp.addresses(until: deadline)
            remember(found, for: question, from: lookUp)
            return found.map { $0.with(port: port) }
        } catch {
            let isOver = if case .notResolved = error.reason { true } else { !lookUp.canBeJoined }
            if isOver, asked[question] === lookUp { asked[question] = nil }
            throw error
        }
    }

    /// Forgets a host: none of its addresses could be connected to, they may have changed.
    package func forget(_ host: String, family: AddressFamily) {
        known[Question(name: host.lowercased(), family: family)] = nil
    }

    private func remember(_ addresses: [SocketAddress], for question: Question, from lookUp: LookUp) {
        // All who waited come here; the first one does it.
        guard asked[question] === lookUp else { return }
        asked[question] = nil
        guard lifetime > .zero else { return }
        let now = Instant.now
        if known[question] == nil, known.count >= maximumCount {
            known = known.filter { $0.value.end > now }
            if known.count >= maximumCount, let first = known.min(by: { $0.value.end < $1.value.end }) {
                known[first.key] = nil
            }
        }
        known[question] = Known(addresses: addresses, end: now + lifetime)
    }
}
