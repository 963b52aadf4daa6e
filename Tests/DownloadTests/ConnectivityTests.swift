import Download
import HTTPClient
import Replay
import System
import TestSupport
import Testing
import Transport

/// A network as a test says it is.
private final class PretendedNetwork: Connectivity {
    struct State {
        var isThere: Bool
        /// What was asked for the way to.
        var asked: [[SocketAddress]] = []
        var pauses: [Pause] = []
    }

    let state: Lock<State>

    init(isThere: Bool) { state = Lock(State(isThere: isThere)) }

    func hasWay(to addresses: [SocketAddress]) -> Bool {
        state.withLock { state in
            state.asked.append(addresses)
            return state.isThere
        }
    }

    func waitForWay(to addresses: [SocketAddress], until instant: Instant) async -> Bool {
        if hasWay(to: addresses) { return true }
        return await waitForChange(until: instant)
    }

    func waitForChange(until instant: Instant) async -> Bool {
        let pause = Pause()
        state.withLock { $0.pauses.append(pause) }
        return await pause.wait(until: instant) == .ready
    }

    /// The network comes, or changes.
    @NetworkActor
    func come() {
        let pauses = state.withLock { state in
            state.isThere = true
            defer { state.pauses = [] }
            return state.pauses
        }
        for pause in pauses { pause.finish(.ready) }
    }
}

@Suite("Downloads while networks come and go")
struct ConnectivityTests {
    private let policy = RetryPolicy(.transient, maximumRetries: 1)

    /// Events of the network, as words.
    private final class Events: Sendable {
        let words = Lock<[String]>([])
        func note(_ word: String) { words.withLock { $0.append(word) } }
    }

    private func download(
        _ rig: Rig, _ network: PretendedNetwork, _ policy: RetryPolicy, _ events: Events = Events(),
        onWaiting: @escaping @NetworkActor @Sendable () -> Void
    ) async throws -> Rig.Outcome {
        try await rig.download(to: .path("f")) { plan in
            plan.resumption = .automatic
            plan.retries = policy
            plan.connectivity = network
            plan.hooks.observe = { event in
                switch event {
                case .waitingForNetwork:
                    events.note("waiting")
                    // When the wait has begun.
                    Task(executorPreference: NetworkActor.loop) { await onWaiting() }
                case .networkIsBack: events.note("back")
                case .retrying(let number, _, _):
                    events.note("retry \(number)")
                    Task(executorPreference: NetworkActor.loop) { await onWaiting() }
                default: break
                }
            }
        }
    }

    @Test("without a way the network is waited for, which is no retry: more cuts than there are retries")
    func waitsInsteadOfTrying() async throws {
        let rig = try Rig { request in
            request.connection < 4 ? Resource().cut(request, behind: 10_000) : Resource().answer(request)
        }
        let network = PretendedNetwork(isThere: false)
        var policy = policy
        policy.retriesCut = true
        let events = Events()
        let result = try await download(rig, network, policy, events) {
            network.come()
            network.state.withLock { $0.isThere = false }
        }.get()
        #expect(result.retries == 0)
        #expect(
            events.words.withLock { $0 } == Array(repeating: ["waiting", "back"], count: 4).flatMap { $0 })
        #expect(rig.ranges == [nil, "bytes=10000-", "bytes=20000-", "bytes=30000-", "bytes=40000-"])
        #expect(rig.folder.octets(of: "f") == Resource.someContent)
        // It is the way to the server that matters, not the way out.
        let asked = network.state.withLock { $0.asked }
        #expect(asked.allSatisfy { $0.map(\.host) == ["127.0.0.1"] } && !asked.isEmpty)
    }

    @Test(
        "a network that does not come back ends the download, and the error says how long it was waited for")
    func waitsOnlySoLong() async throws {
        let rig = try Rig { request in Resource().cut(request, behind: 100_000) }
        var policy = RetryPolicy.standard
        policy.longestOutage = .milliseconds(30)
        let outcome = try await download(rig, PretendedNetwork(isThere: false), policy) {}
        guard case .failure(let error) = outcome else {
            Issue.record("it did not fail")
            return
        }
        #expect(error.code == .incompleteContent)
        #expect(error.detail.contains("no network came within 0.03 s"), "\(error.detail)")
        #expect(rig.ranges == [nil])
    }

    @Test("who would not try again does not wait either")
    func waitsOnlyForATry() async throws {
        let rig = try Rig([.close])
        let outcome = try await download(rig, PretendedNetwork(isThere: false), .standard) {}
        guard case .failure(let error) = outcome else {
            Issue.record("it did not fail")
            return
        }
        #expect(error.code == .emptyReply)
        #expect(rig.server.requests.count == 1)
    }

    @Test("a change of the network ends a long wait for the next try, but not before a second")
    func changeEndsWait() async throws {
        let rig = try Rig { request in
            request.connection < 1 ? Resource().cut(request, behind: 10_000) : Resource().answer(request)
        }
        var policy = RetryPolicy.standard
        policy.delay = .seconds(3600)
        let network = PretendedNetwork(isThere: true)
        let start = Instant.now
        let result = try await download(rig, network, policy) { network.come() }.get()
        #expect(result.retries == 1)
        #expect(Instant.now - start >= .seconds(1))
        #expect(rig.folder.octets(of: "f") == Resource.someContent)
    }
}
