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

    /// The addresses of `host`, each with `port`, in the order of the system (RFC 6724).
    ///
    /// `localhost` and names below it are the loopback addresses (RFC 6761, section 6.3).
    /// Throws `notResolved`, `timedOut`, `cancelled`.
    public static func addresses(
        of host: String, port: UInt16, family: AddressFamily, until deadline: Deadline
    ) async throws(TransportError) -> [SocketAddress] {
        var name = host.lowercased()
        if name.hasSuffix(".") { name.removeLast() }
        if name == "localhost" || name.hasSuffix(".localhost") {
            let loopback = [
                SocketAddress(ipv6: [UInt8](repeating: 0, count: 15) + [1], port: port),
                SocketAddress(ipv4: 0x7F00_0001, port: port),
            ]
            return loopback.compactMap { $0 }.filter(family.allows)
        }
        // A thread would go on after both.
        if Task.isCancelled { throw TransportError(.cancelled) }
        if deadline.instant <= .now { throw TransportError(.timedOut, deadline) }
        let lookUp = LookUp(host: host, family: family)
        LookUp.start(lookUp)
        let outcome = await lookUp.pause.wait(until: deadline.instant)
        guard outcome == .ready else {
            // The thread goes on until the system answers; its answer is dropped.
            lookUp.isAbandoned.withLock { $0 = true }
            throw TransportError(outcome, deadline)
        }
        switch lookUp.answer.withLock({ $0 }) {
        case .addresses(let addresses): return addresses.map { $0.with(port: port) }
        case .failure(let words): throw TransportError(.notResolved(words))
        case nil: throw TransportError(.notResolved("no answer"))
        }
    }
}

/// One question to the system's resolver.
private final class LookUp: Sendable {
    enum Answer: Sendable {
        case addresses([SocketAddress])
        case failure(String)
    }

    /// Questions that wait for a thread, and the number of threads at work.
    private struct Queue {
        var waiting: [LookUp] = []
        var threads = 0
    }

    private static let queue = Lock(Queue())

    static var threadCount: Int { queue.withLock { $0.threads } }

    let host: String
    let family: AddressFamily
    let pause = Pause()
    let answer = Lock<Answer?>(nil)
    let isAbandoned = Lock(false)

    init(host: String, family: AddressFamily) {
        self.host = host
        self.family = family
    }

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

    func finish(_ result: Answer) {
        answer.withLock { $0 = result }
        NetworkActor.loop.call { [pause] in pause.finish(.ready) }
    }

    /// Asks, and blocks until the system answers.
    func ask() {
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
            let words =
                code == EAI_SYSTEM ? SystemError.explanation(of: number) : String(cString: gai_strerror(code))
            return finish(.failure(words))
        }
        defer { freeaddrinfo(list) }
        var addresses: [SocketAddress] = []
        var next = list
        // Safety: the list is the system's, ends with nil, and is freed after the loop.
        while let entry = next {
            if let address = entry.pointee.ai_addr, let found = SocketAddress(address),
                !addresses.contains(found)
            {
                addresses.append(found)
            }
            next = entry.pointee.ai_next
        }
        finish(addresses.isEmpty ? .failure("the host has no address") : .addresses(addresses))
    }
}

/// What a helper thread runs; a free function, since a closure written in isolated code traps there.
private func runLookUps(_: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    while let lookUp = LookUp.next() { lookUp.ask() }
    return nil
}
