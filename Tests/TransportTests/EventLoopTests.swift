import CLinux
import Glibc
import NetworkProbes
import System
import Testing

@testable import Transport

extension Loopback {
    @Suite("The event loop")
    struct EventLoopTests {
        @NetworkActor
        private final class Log {
            var entries: [String] = []
            func add(_ entry: String) { entries.append(entry) }
        }

        /// A registered socket and the number of its other end.
        @NetworkActor
        private final class Pair {
            let channel: Channel
            let peer: FileDescriptor

            init() throws {
                var ends: [Int32] = [-1, -1]
                let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
                guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
                    throw SystemError(call: "socketpair", errno: errno)
                }
                peer = FileDescriptor(owning: ends[1])
                channel = try NetworkActor.loop.register(FileDescriptor(owning: ends[0]))
            }

            func write() { _ = Glibc.write(peer.rawValue, "x", 1) }
        }

        @Test func sleepersWakeInOrderAndNotEarly() async throws {
            let order = try await onLoop { () async -> [Int] in
                let log = Log()
                let start = Instant.now
                let tasks = [30, 10, 20].map { delay in
                    Task(executorPreference: NetworkActor.loop) { await Self.sleep(delay, from: start, log) }
                }
                for task in tasks { await task.value }
                return log.entries.compactMap { Int($0) }
            }
            #expect(order == [10, 20, 30])
        }

        @NetworkActor
        private static func sleep(_ milliseconds: Int, from start: Instant, _ log: Log) async {
            let end = start + .milliseconds(milliseconds)
            guard await NetworkActor.loop.sleep(until: end) else { return }
            if Instant.now >= end { log.add("\(milliseconds)") }
        }

        @Test func aSleepEndsByCancellation() async throws {
            let isWhole = try await within {
                let task = Task {
                    await NetworkActor.run { await NetworkActor.loop.sleep(until: .now + .seconds(60)) }
                }
                task.cancel()
                return await task.value
            }
            #expect(!isWhole)
        }

        @Test func deferredWorkComesBehindReadyJobs() async throws {
            let order = try await onLoop { () async -> [String] in
                let log = Log()
                NetworkActor.loop.runBeforeWaiting { log.add("deferred") }
                Task(executorPreference: NetworkActor.loop) { await log.add("job") }
                log.add("now")
                _ = await eventually { log.entries.count == 3 }
                return log.entries
            }
            #expect(order == ["now", "job", "deferred"])
        }

        @Test func deferredWorkIsDoneEvenIfTheLoopIsNeverIdle() async throws {
            let isDone = try await onLoop { () async -> Bool in
                let log = Log()
                NetworkActor.loop.runBeforeWaiting { log.add("deferred") }
                for _ in 0..<100 where log.entries.isEmpty { await NetworkActor.loop.yield() }
                return !log.entries.isEmpty
            }
            #expect(isDone)
        }

        @Test func takesWorkFromManyThreads() async throws {
            let count = Lock(0)
            try await within {
                await withTaskGroup(of: Void.self) { group in
                    for _ in 0..<8 {
                        group.addTask {
                            for _ in 0..<1000 { NetworkActor.loop.call { count.withLock { $0 += 1 } } }
                        }
                    }
                }
                let isDone = await NetworkActor.run {
                    await eventually { count.withLock { $0 } == 8000 }
                }
                #expect(isDone)
            }
        }

        @Test func resumesOnItsOwnThread() async throws {
            let threads = try await onLoop { () async -> Set<UInt> in
                var threads: Set<UInt> = [UInt(pthread_self())]
                for _ in 0..<5 {
                    _ = await NetworkActor.loop.sleep(until: .now + .milliseconds(1))
                    threads.insert(UInt(pthread_self()))
                    await NetworkActor.loop.yield()
                    threads.insert(UInt(pthread_self()))
                }
                return threads
            }
            #expect(threads.count == 1)
        }

        // MARK: Waits

        @Test func aCancellationThatComesLateHitsNobody() async throws {
            let outcomes = try await onLoop { () async throws -> Set<WaitOutcome> in
                let pair = try Pair()
                let channel = pair.channel
                defer { channel.close() }
                var outcomes: Set<WaitOutcome> = []
                for _ in 0..<200 {
                    let first = Task(executorPreference: NetworkActor.loop) {
                        await channel.wait(for: .readable, until: .now + .seconds(5))
                    }
                    await NetworkActor.loop.yield()
                    // The edge and the cancellation race.
                    let number = pair.peer.rawValue
                    let racer = Task.detached {
                        _ = write(number, "x", 1)
                        first.cancel()
                    }
                    _ = await first.value
                    var octets = [UInt8](repeating: 0, count: 16)
                    while recv(channel.rawValue, &octets, 16, 0) > 0 {}
                    channel.clear(.readable)
                    let second = Task(executorPreference: NetworkActor.loop) {
                        await channel.wait(for: .readable, until: .now + .seconds(5))
                    }
                    await racer.value
                    pair.write()
                    outcomes.insert(await second.value)
                }
                return outcomes
            }
            #expect(outcomes == [.ready])
        }

        @Test func closingEndsAWait() async throws {
            let outcome = try await onLoop { () async throws -> WaitOutcome in
                let pair = try Pair()
                let channel = pair.channel
                let task = Task(executorPreference: NetworkActor.loop) {
                    await channel.wait(for: .readable, until: .distantFuture)
                }
                await NetworkActor.loop.yield()
                channel.close()
                channel.close()
                return await task.value
            }
            #expect(outcome == .closed)
        }

        @Test func anEdgeOfAClosedDescriptorDoesNotReachItsSuccessor() async throws {
            let outcomes = try await onLoop { () async throws -> Set<WaitOutcome> in
                var outcomes: Set<WaitOutcome> = []
                for _ in 0..<5 {
                    let old = try Pair()
                    old.write()
                    old.channel.close()
                    let new = try Pair()
                    outcomes.insert(await new.channel.wait(for: .readable, until: .now + .milliseconds(10)))
                    new.channel.close()
                }
                return outcomes
            }
            #expect(outcomes == [.timedOut])
        }

        @Test func anEdgeBeforeTheWaitIsKept() async throws {
            let outcome = try await onLoop { () async throws -> WaitOutcome in
                let pair = try Pair()
                let channel = pair.channel
                defer { channel.close() }
                pair.write()
                _ = await eventually { channel.isLatched(.readable) }
                return await channel.wait(for: .readable, until: .now)
            }
            #expect(outcome == .ready)
        }

        @Test func waitsOfManyLengthsLeaveNoTimersBehind() async throws {
            let growth = try await onLoop { () async throws -> Int in
                let pair = try Pair()
                let channel = pair.channel
                defer { channel.close() }
                let before = NetworkActor.loop.timerCount
                for _ in 0..<100 {
                    // As bulk content that trickles: a short wait that ends by time, then a long one that does not.
                    _ = await channel.wait(for: .readable, until: .now + .microseconds(10))
                    let task = Task(executorPreference: NetworkActor.loop) {
                        await channel.wait(for: .readable, until: .now + .seconds(60))
                    }
                    await NetworkActor.loop.yield()
                    pair.write()
                    _ = await task.value
                    var octet: UInt8 = 0
                    _ = recv(channel.rawValue, &octet, 1, 0)
                    channel.clear(.readable)
                }
                return NetworkActor.loop.timerCount - before
            }
            #expect(growth < 20)
        }

        @Test func aDescriptorCanBeWatchedAgain() async throws {
            let seen = try await onLoop { () async -> [Bool] in
                let event = FileDescriptor(owning: clinux_eventfd())
                var one: UInt64 = 1
                var seen: [Bool] = []
                for _ in 0..<3 {
                    _ = write(event.rawValue, &one, 8)
                    seen.append(await DescriptorWatch.readable(event.rawValue))
                }
                return seen
            }
            #expect(seen == [true, true, true])
        }
    }
}

@Suite("The first use of the loop")
struct LoopStartTests {
    @Test func anyEntryStartsItsThread() async {
        await #expect(processExitsWith: .success) {
            alarm(10)
            let isOnLoop = await firstUse()
            exit(isOnLoop ? 0 : 1)
        }
    }
}

@NetworkActor
private func firstUse() -> Bool { NetworkActor.loop.isOnLoop }
