import Glibc
import System

/// Which kinds of addresses are wanted.
public enum AddressFamily: Hashable, Sendable {
    case any
    case ipv4
    case ipv6

    /// Whether `address` is of a wanted kind; a Unix socket always is.
    public func allows(_ address: SocketAddress) -> Bool {
        switch self {
        case .any: true
        case .ipv4: !address.isIPv6
        case .ipv6: !address.isIPv4
        }
    }
}

/// Finds the addresses of a host by getaddrinfo(3), which blocks and cannot be stopped: on helper threads, at most
/// eight, each of which goes away when nothing is left to do.
@NetworkActor
public enum Resolver {
    /// Most threads at once.
    public nonisolated static let maximumThreads = 8

    /// Threads at work now.
    nonisolated static var threadCount: Int { LookUp.threadCount }

    /// What the system says of a host, its addresses without ports.
    package enum Answer: Hashable, Sendable {
        case addresses([SocketAddress])
        case failure(String)
    }

    /// Asks for the addresses of a host, and blocks until it knows.
    package typealias Asking = @Sendable (_ host: String, _ family: AddressFamily) -> Answer

    /// The addresses of `host`, each with `port`, in the order of the system (RFC 6724).
    ///
    /// `localhost` and names below it are the loopback addresses (RFC 6761, section 6.3).
    /// Throws `notResolved`, `timedOut`, `cancelled`.
    public static func addresses(
        of host: String, port: UInt16, family: AddressFamily, until deadline: Deadline
    ) async throws(TransportError) -> [SocketAddress] {
        let name = canonical(host)
        if let known = loopbackAddresses(of: name, port: port, family: family) { return known }
        // A thread would go on after both.
        if Task.isCancelled { throw TransportError(.cancelled) }
        if deadline.instant <= .now { throw TransportError(.timedOut, deadline) }
        let lookUp = LookUp(host: host, family: family, asking: askSystem)
        LookUp.start(lookUp)
        return try await lookUp.addresses(until: deadline).map { $0.with(port: port) }
    }

    /// The name in lower case, without a dot at its end.
    static func canonical(_ host: String) -> String {
        var name = host.lowercased()
        if name.hasSuffix(".") { name.removeLast() }
        return name
    }

    /// The addresses of a canonical name that nobody needs to be asked for.
    static func loopbackAddresses(
        of name: String, port: UInt16, family: AddressFamily
    ) -> [SocketAddress]? {
        guard name == "localhost" || name.hasSuffix(".localhost") else { return nil }
        let loopback = [
            SocketAddress(ipv6: [UInt8](repeating: 0, count: 15) + [1], port: port),
            SocketAddress(ipv4: 0x7F00_0001, port: port),
        ]
        return loopback.compactMap { $0 }.filter(family.allows)
    }
}

/// One question to the system's resolver, and those who wait for its answer.
final class LookUp: @unchecked Sendable {
    // Safety: `waiting` is touched by the loop's thread only; the rest is constant or behind locks.
    /// Questions that wait for a thread, and the number of threads at work.
    private struct Queue {
        var waiting: [LookUp] = []
        var threads = 0
    }

    private static let queue = Lock(Queue())

    static var threadCount: Int { queue.withLock { $0.threads } }

    private let host: String
    private let family: AddressFamily
    private let asking: Resolver.Asking
    private var waiting: [Pause] = []
    private let answer = Lock<Resolver.Answer?>(nil)
    /// Nobody waits any more: a thread need not begin with it.
    private let isAbandoned = Lock(false)

    init(host: String, family: AddressFamily, asking: @escaping Resolver.Asking) {
        self.host = host
        self.family = family
        self.asking = asking
    }

    /// The answer, or why there is none yet: another may wait for it longer.
    @NetworkActor
    func addresses(until deadline: Deadline) async throws(TransportError) -> [SocketAddress] {
        if answer.withLock({ $0 == nil }) {
            let pause = Pause()
            waiting.append(pause)
            let outcome = await pause.wait(until: deadline.instant)
            waiting.removeAll { $0 === pause }
            guard outcome == .ready else {
                // The thread goes on until the system answers; its answer is dropped.
                if waiting.isEmpty { isAbandoned.withLock { $0 = true } }
                throw TransportError(outcome, deadline)
            }
        }
        switch answer.withLock({ $0 }) {
        case .addresses(let addresses): return addresses
        case .failure(let words): throw TransportError(.notResolved(words))
        case nil: throw TransportError(.notResolved("no answer"))
        }
    }

    /// Whether another may still wait for the answer.
    var canBeJoined: Bool { !isAbandoned.withLock { $0 } }

    static func start(_ lookUp: LookUp) {
        let needsThread = queue.withLock { queue in
            queue.waiting.append(lookUp)
            guard queue.threads < Resolver.maximumThreads else { return false }
            queue.threads += 1
            return true
        }
        guard needsThread else { return }
        var id = pthread_t()
        if pthread_create(&id, nil, runLookUps, nil) == 0 {
            pthread_detach(id)
        } else {
            queue.withLock { $0.threads -= 1 }
            lookUp.finish(.failure("no thread can be started to ask the resolver"))
        }
    }

    /// The next question for a thread; `nil` ends the thread.
    static func next() -> LookUp? {
        queue.withLock { queue in
            while !queue.waiting.isEmpty {
                let lookUp = queue.waiting.removeFirst()
                if !lookUp.isAbandoned.withLock({ $0 }) { return lookUp }
            }
            queue.threads -= 1
            return nil
        }
    }

    private func finish(_ result: Resolver.Answer) {
        answer.withLock { $0 = result }
        NetworkActor.loop.call { [self] in
            for pause in waiting { pause.finish(.ready) }
            waiting = []
        }
    }

    /// Asks, and blocks until the answer is there.
    func ask() { finish(asking(host, family)) }
}

/// Asks getaddrinfo(3).
package func askSystem(_ host: String, _ family: AddressFamily) -> Resolver.Answer {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    hints.ai_flags = AI_ADDRCONFIG
    switch family {
    case .any: hints.ai_family = AF_UNSPEC
    case .ipv4: hints.ai_family = AF_INET
    case .ipv6: hints.ai_family = AF_INET6
    }
    var list: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(host, nil, &hints, &list)
    let number = errno
    guard code == 0 else {
        // Safety: gai_strerror answers with a constant text.
        return .failure(
            code == EAI_SYSTEM ? SystemError.explanation(of: number) : String(cString: gai_strerror(code)))
    }
    defer { freeaddrinfo(list) }
    var addresses: [SocketAddress] = []
    var next = list
    // Safety: the list is the system's, ends with nil, and is freed after the loop.
    while let entry = next {
        if let address = entry.pointee.ai_addr, let found = SocketAddress(address), !addresses.contains(found)
        {
            addresses.append(found)
        }
        next = entry.pointee.ai_next
    }
    return addresses.isEmpty ? .failure("the host has no address") : .addresses(addresses)
}

/// What a helper thread runs; a free function, since a closure written in isolated code traps there.
private func runLookUps(_: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    while let lookUp = LookUp.next() { lookUp.ask() }
    return nil
}
