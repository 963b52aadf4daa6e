import Glibc
import NetworkProbes
import System
import Testing

@testable import Transport

/// A resolver that answers when it is told to, and counts.
private final class SlowResolver: Sendable {
    struct State {
        var asked: [String] = []
        var asking = 0
        var mostAtOnce = 0
        var isOpen = false
    }

    let state = Lock(State())
    let answer: Resolver.Answer

    init(_ answer: Resolver.Answer, isOpen: Bool = true) {
        self.answer = answer
        state.withLock { $0.isOpen = isOpen }
    }

    func open() { state.withLock { $0.isOpen = true } }

    var asked: [String] { state.withLock { $0.asked } }

    /// Blocks its thread, as getaddrinfo does, until `open`.
    var asking: Resolver.Asking {
        { host, _ in
            self.state.withLock { state in
                state.asked.append(host)
                state.asking += 1
                state.mostAtOnce = max(state.mostAtOnce, state.asking)
            }
            while !self.state.withLock({ $0.isOpen }) { usleep(1000) }
            self.state.withLock { $0.asking -= 1 }
            return self.answer
        }
    }
}

private let found = SocketAddress(ipv4: 0x7F00_0001, port: 0)

extension Loopback {
    @Suite("Remembering addresses")
    struct AddressCacheTests {
        @NetworkActor
        private static func ask(
            _ cache: AddressCache, _ host: String = "a.test", port: UInt16 = 80, family: AddressFamily = .any,
            within limit: Duration = .seconds(8)
        ) async -> Result<[SocketAddress], TransportError> {
            do throws(TransportError) {
                return .success(
                    try await cache.addresses(
                        of: host, port: port, family: family, until: Deadline(.resolve, in: limit)))
            } catch { return .failure(error) }
        }

        @Test("a name is asked for once while it is remembered, in any case of letters, for every port")
        func remembers() async throws {
            let resolver = SlowResolver(.addresses([found]))
            try await onLoop {
                let cache = AddressCache(lifetime: .seconds(60), asking: resolver.asking)
                #expect(await Self.ask(cache) == .success([found.with(port: 80)]))
                #expect(await Self.ask(cache, "A.TEST", port: 81) == .success([found.with(port: 81)]))
                #expect(resolver.asked == ["a.test"])
                // Another family, another name, and a dot that keeps search domains out: other questions.
                _ = await Self.ask(cache, family: .ipv4)
                _ = await Self.ask(cache, "b.test")
                _ = await Self.ask(cache, "a.test.")
                #expect(resolver.asked == ["a.test", "a.test", "b.test", "a.test."])
            }
        }

        @Test("a lifetime ends")
        func forgetsInTime() async throws {
            let resolver = SlowResolver(.addresses([found]))
            try await onLoop {
                let cache = AddressCache(lifetime: .seconds(60), asking: resolver.asking)
                _ = await Self.ask(cache)
                let now = Instant.now
                @NetworkActor func known(at instant: Instant) -> Bool {
                    cache.knownAddresses(of: "a.test", port: 1, family: .any, at: instant) != nil
                }
                #expect(known(at: now + .seconds(59)))
                #expect(!known(at: now + .seconds(61)))
                let none = AddressCache(lifetime: .zero, asking: resolver.asking)
                _ = await Self.ask(none)
                _ = await Self.ask(none)
                #expect(resolver.asked.count == 3)
            }
        }

        @Test("failures are not remembered")
        func forgetsFailures() async throws {
            let resolver = SlowResolver(.failure("no such host"))
            try await onLoop {
                let cache = AddressCache(lifetime: .seconds(60), asking: resolver.asking)
                for _ in 0..<2 {
                    #expect(await Self.ask(cache) == .failure(TransportError(.notResolved("no such host"))))
                }
                #expect(resolver.asked.count == 2)
                #expect(cache.count == 0)
            }
        }

        @Test("holds no more hosts than it may, and lets the oldest go")
        func isBounded() async throws {
            let resolver = SlowResolver(.addresses([found]))
            try await onLoop {
                let cache = AddressCache(lifetime: .seconds(60), maximumCount: 3, asking: resolver.asking)
                for number in 0..<5 { _ = await Self.ask(cache, "\(number).test") }
                #expect(cache.count == 3)
                let known = (0..<5).map {
                    cache.knownAddresses(of: "\($0).test", port: 1, family: .any) != nil
                }
                #expect(known == [false, false, true, true, true])
                cache.forget("4.TEST", family: .any)
                #expect(cache.count == 2)
            }
        }

        @Test("those who ask at the same time share one question, each with a deadline of its own")
        func sharesQuestions() async throws {
            let resolver = SlowResolver(.addresses([found]), isOpen: false)
            try await onLoop {
                let cache = AddressCache(lifetime: .seconds(60), asking: resolver.asking)
                let patient = (0..<5).map { _ in
                    Task(executorPreference: NetworkActor.loop) { await Self.ask(cache) }
                }
                let hasty = await Self.ask(cache, within: .milliseconds(30))
                #expect(hasty == .failure(TransportError(.timedOut(.resolve, after: .milliseconds(30)))))
                patient[0].cancel()
                #expect(await patient[0].value == .failure(TransportError(.cancelled)))
                resolver.open()
                for task in patient.dropFirst() {
                    #expect(await task.value == .success([found.with(port: 80)]))
                }
                #expect(resolver.asked == ["a.test"])
            }
        }

        @Test("when nobody waits for a question any more, the next one asks anew")
        func asksAnew() async throws {
            let resolver = SlowResolver(.addresses([found]), isOpen: false)
            try await onLoop {
                let cache = AddressCache(lifetime: .seconds(60), asking: resolver.asking)
                guard case .failure = await Self.ask(cache, within: .milliseconds(20)) else {
                    Issue.record("answered by a closed resolver")
                    return
                }
                let next = Task(executorPreference: NetworkActor.loop) { await Self.ask(cache) }
                #expect(await eventually { resolver.asked.count == 2 })
                resolver.open()
                #expect(await next.value == .success([found.with(port: 80)]))
            }
        }

        @Test("silent DNS takes eight threads, and questions beyond wait for them")
        func capsThreads() async throws {
            let resolver = SlowResolver(.addresses([found]), isOpen: false)
            try await onLoop {
                let cache = AddressCache(lifetime: .seconds(60), asking: resolver.asking)
                let tasks = (0..<40).map { number in
                    Task(executorPreference: NetworkActor.loop) { await Self.ask(cache, "\(number).test") }
                }
                #expect(await eventually { resolver.asked.count == Resolver.maximumThreads })
                #expect(Resolver.threadCount == Resolver.maximumThreads)
                // Questions given up before a thread came to them are never asked.
                for task in tasks[20...] { task.cancel() }
                for task in tasks[20...] {
                    #expect(await task.value == .failure(TransportError(.cancelled)))
                }
                resolver.open()
                for task in tasks[..<20] { #expect(await task.value == .success([found.with(port: 80)])) }
                #expect(resolver.asked.count == 20)
                #expect(resolver.state.withLock { $0.mostAtOnce } == Resolver.maximumThreads)
                #expect(await eventually { Resolver.threadCount == 0 })
            }
        }
    }
}
