import Glibc
import NetworkProbes
import System
import Testing
import Transport

@testable import Reachability

/// Of the way to this machine itself, which is always there.
@Suite("A monitor of the network (D23)", .timeLimit(.minutes(1)))
struct MonitorTests {
    private static let loopback = SocketAddress(ipv4: 0x7F00_0001, port: 0)

    private func monitor() -> ReachabilityMonitor { ReachabilityMonitor(for: [Self.loopback]) }

    /// Statuses in the order in which they were told.
    private final class Told: Sendable {
        private let statuses = Lock<[ReachabilityStatus]>([])
        var all: [ReachabilityStatus] { statuses.withLock { $0 } }
        func note(_ status: ReachabilityStatus) { statuses.withLock { $0.append(status) } }
    }

    private func eventually(_ condition: () -> Bool) async -> Bool {
        let end = ContinuousClock.now + .seconds(20)
        while !condition() {
            guard ContinuousClock.now < end else { return false }
            try? await Task.sleep(for: .milliseconds(1))
        }
        return true
    }

    @Test("D23: the numbers of the statuses")
    func numbers() {
        #expect(ReachabilityStatus.allCases.map(\.rawValue) == [-1, 0, 1, 2, 3])
        #expect(ReachabilityStatus.unknown.rawValue == -1 && ReachabilityStatus.notReachable.rawValue == 0)
        #expect(
            ReachabilityStatus.reachableViaWWAN.rawValue == 1
                && ReachabilityStatus.reachableViaWiFi.rawValue == 2)
        #expect(ReachabilityStatus.allCases.filter(\.isReachable).map(\.rawValue) == [1, 2, 3])
    }

    @Test("D23: unknown before it is started; then the block is called with what is found")
    func block() async {
        let monitor = monitor()
        let told = Told()
        monitor.setReachabilityStatusChangeBlock(told.note)
        #expect(monitor.status == .unknown && !monitor.isMonitoring && monitor.network == nil)
        monitor.startMonitoring()
        #expect(await eventually { told.all == [.reachableViaWired] })
        #expect(monitor.isReachable && monitor.isReachableViaWired)
        #expect(!monitor.isReachableViaWiFi && !monitor.isReachableViaWWAN && monitor.failure == nil)
        #expect(monitor.network?.routes[Self.loopback]?.isLocal == true)
        monitor.stopMonitoring()
        // What is known stays.
        #expect(monitor.status == .reachableViaWired && !monitor.isMonitoring)
        // A block that comes later is told what is known; the earlier one nothing more, nor on a start without a change.
        let later = Told()
        monitor.setReachabilityStatusChangeBlock(later.note)
        monitor.startMonitoring()
        #expect(await eventually { later.all == [.reachableViaWired] })
        monitor.setReachabilityStatusChangeBlock(nil)
        monitor.stopMonitoring()
        #expect(told.all == [.reachableViaWired])
    }

    @Test("streams begin with what is known, and end with the monitor")
    func streams() async {
        var monitor: ReachabilityMonitor? = monitor()
        let early = monitor?.changes
        monitor?.startMonitoring()
        var iterator = early?.makeAsyncIterator()
        #expect(await iterator?.next() == .reachableViaWired)
        var late = monitor?.changes.makeAsyncIterator()
        #expect(await late?.next() == .reachableViaWired)
        monitor = nil
        #expect(await iterator?.next() == nil)
        #expect(await late?.next() == nil)
    }

    @Test("starts and stops from many threads leave no watch behind")
    func manyStarts() async {
        let monitor = monitor()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                group.addTask { number % 3 == 0 ? monitor.stopMonitoring() : monitor.startMonitoring() }
            }
        }
        monitor.startMonitoring()
        #expect(await eventually { monitor.status == .reachableViaWired })
        monitor.stopMonitoring()
        #expect(await eventually { netlinkSockets() == 0 }, "\(netlinkSockets())")
    }

    /// Sockets of netlink that this process has open.
    private func netlinkSockets() -> Int {
        (0..<1024 as Range<Int32>).filter { descriptor in
            var family: Int32 = 0
            var length = socklen_t(4)
            return getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &family, &length) == 0
                && family == AF_NETLINK
        }.count
    }

    @Test("of changes that come while the block is busy the last is told, and none that came to nothing")
    func slowBlock() async {
        let told = Told()
        let gate = Lock(true)
        let calls = StatusCalls { status in
            while gate.withLock({ $0 }) { usleep(500) }
            told.note(status)
        }
        calls.note(.notReachable)
        calls.begin()
        // The first may have been taken or not.
        #expect(await eventually { true })
        for status in [ReachabilityStatus.reachableViaWWAN, .notReachable, .reachableViaWiFi] {
            calls.note(status)
            calls.begin()
        }
        gate.withLock { $0 = false }
        #expect(await eventually { told.all.last == .reachableViaWiFi })
        #expect(Set([[.reachableViaWiFi], [.notReachable, .reachableViaWiFi]]).contains(told.all))
        calls.note(.reachableViaWWAN)
        calls.note(.reachableViaWiFi)
        calls.begin()
        calls.note(.notReachable)
        calls.begin()
        #expect(await eventually { told.all.last == .notReachable })
        #expect(told.all.suffix(2) == [.reachableViaWiFi, .notReachable])
    }

    @Test("the way to addresses of this machine, and to none at all")
    func ownAddresses() throws {
        let state = try NetworkState.current(waysTo: [Self.loopback])
        #expect(state.status(of: [Self.loopback]) == .reachableViaWired)
        #expect(state.status(of: []) == .notReachable)
        #expect(state.interfaces.contains { $0.medium == .loopback && $0.addresses.contains(Self.loopback) })
        // A Unix socket is at no address, and always there.
        let socket = try #require(SocketAddress(unixSocket: "/a"))
        let other = try NetworkState.current(waysTo: [socket])
        #expect(other.routes.isEmpty && other.status(of: [socket]) == .reachableViaWired)
    }
}
