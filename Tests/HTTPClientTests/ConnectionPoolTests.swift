import HTTPMessage
import NetworkProbes
import System
import Testing

@testable import HTTPClient
@testable import Transport

@Suite("The pool of connections", .timeLimit(.minutes(1)))
@NetworkActor
struct ConnectionPoolTests {
    private final class FakeStream: ByteStream {
        var remoteAddress: SocketAddress? { nil }
        var localAddress: SocketAddress? { nil }
        var canSplice: Bool { false }
        var isQuiet = true
        var mayHaveInput = false
        var isClosed = false
        func receive(into buffer: ReceiveBuffer, atMost limit: Int, until deadline: Deadline) -> Int { 0 }
        func send(_ octets: [UInt8], from offset: Int, until deadline: Deadline) -> SendResult {
            .sent(upTo: octets.count)
        }
        func splice(
            to target: Int32, at offset: Int64?, atMost count: UInt64, until deadline: Deadline
        ) -> SpliceResult { .endOfStream }
        func receiveAtHand(into buffer: ReceiveBuffer, atMost limit: Int) -> Int? { nil }
        func sendAtOnce(_ octets: [UInt8]) {}
        func expectBulk(_ octets: UInt64) {}
        func close() { isClosed = true }
    }

    private static func key(_ host: String = "a", port: UInt16 = 80) -> ConnectionKey {
        ConnectionKey(
            origin: Origin(scheme: .http, host: .name(host), port: port),
            route: Route(host: .name(host), port: port))
    }

    private static func connection(
        _ key: ConnectionKey = key(), number: Int = 1
    ) throws -> (connection: PooledConnection, stream: FakeStream) {
        let stream = FakeStream()
        return (
            PooledConnection(key: key, stream: stream, buffer: try ReceiveBuffer(), number: number), stream
        )
    }

    private func pool(
        limit: Int? = nil, lifetime: Duration = .seconds(60), maximumIdle: Int = 8
    ) -> ConnectionPool { ConnectionPool(limit: limit, lifetime: lifetime, maximumIdle: maximumIdle) }

    private enum Answer: Equatable {
        case use(Int)
        case open
        case wait
    }

    private func lease(
        _ pool: ConnectionPool, _ key: ConnectionKey = key(), fresh: Bool = false, holdsTurn: Bool = false
    ) -> Answer {
        switch pool.lease(for: key, fresh: fresh, careful: true, holdsTurn: holdsTurn) {
        case .use(let connection): .use(connection.number)
        case .open: .open
        case .wait: .wait
        }
    }

    // MARK: Idle connections

    @Test func theOneUsedLastComesFirst() throws {
        let pool = pool()
        for number in 1...3 {
            #expect(lease(pool) == .open)
            _ = number
        }
        for number in 1...3 { pool.release(try Self.connection(number: number).connection) }
        #expect(pool.idleConnectionCount == 3)
        #expect([lease(pool), lease(pool), lease(pool), lease(pool)] == [.use(3), .use(2), .use(1), .open])
        #expect(pool.idleConnectionCount == 0)
    }

    @Test func oneThatIsNotQuietIsClosed() throws {
        let pool = pool()
        let (connection, stream) = try Self.connection()
        _ = lease(pool)
        pool.release(connection)
        stream.isQuiet = false
        #expect(lease(pool) == .open)
        #expect(stream.isClosed && pool.idleConnectionCount == 0)
    }

    @Test func oneThatWasIdleTooLongIsClosed() throws {
        let pool = pool(lifetime: .zero)
        let (connection, stream) = try Self.connection()
        _ = lease(pool)
        pool.release(connection)
        #expect(lease(pool) == .open)
        #expect(stream.isClosed)
    }

    @Test func aFreshOneIsOpenedBesideIdleOnes() throws {
        let pool = pool()
        _ = lease(pool)
        pool.release(try Self.connection().connection)
        #expect(lease(pool, fresh: true) == .open)
        #expect(pool.idleConnectionCount == 1)
    }

    @Test func aFreshOneNeverExceedsTheLimit() throws {
        let pool = pool(limit: 1)
        let (connection, stream) = try Self.connection()
        _ = lease(pool)
        pool.release(connection)
        #expect(lease(pool, fresh: true) == .open)
        #expect(stream.isClosed && pool.idleConnectionCount == 0)
    }

    @Test func hostsPortsAndSocketsAreKeptApart() throws {
        let pool = pool()
        _ = lease(pool)
        pool.release(try Self.connection().connection)
        let socket = try #require(SocketAddress(unixSocket: "/s"))
        let viaSocket = ConnectionKey(
            origin: Origin(scheme: .http, host: .name("a")),
            route: Route(host: .name("a"), port: 80, socket: socket))
        #expect(lease(pool, Self.key("b")) == .open)
        #expect(lease(pool, Self.key("a", port: 81)) == .open)
        #expect(lease(pool, viaSocket) == .open)
        #expect(lease(pool) == .use(1))
    }

    @Test("a secured connection serves the origin it was secured for alone, wherever it leads")
    func securedOriginsAreKeptApart() throws {
        let route = Route(host: .name("proxy"), port: 1)
        let origins: [Origin] = [
            Origin(scheme: .https, host: .name("a")), Origin(scheme: .https, host: .name("b")),
            Origin(scheme: .https, host: .name("a"), port: 444), Origin(scheme: .http, host: .name("a")),
        ]
        let keys = origins.map { ConnectionKey(origin: $0, route: route) }
        #expect(Set(keys).count == 4)
        let plain = ConnectionKey(origin: Origin(scheme: .http, host: .name("b")), route: route)
        #expect(keys[3] == plain)
    }

    @Test func theOldestIdleOneMakesRoom() throws {
        let pool = pool(maximumIdle: 2)
        var streams: [FakeStream] = []
        for (number, host) in ["a", "b", "c"].enumerated() {
            let (connection, stream) = try Self.connection(Self.key(host), number: number)
            _ = lease(pool, Self.key(host))
            pool.release(connection)
            streams.append(stream)
        }
        #expect(streams.map(\.isClosed) == [true, false, false])
        #expect(pool.idleConnectionCount == 2)
        #expect(pool.groupCount == 2)
    }

    @Test func noneIsKeptWhereNoneMayBe() throws {
        let pool = pool(maximumIdle: 0)
        let (connection, stream) = try Self.connection()
        _ = lease(pool)
        pool.release(connection)
        #expect(stream.isClosed && pool.idleConnectionCount == 0 && pool.groupCount == 0)
    }

    @Test func closingIdleOnesLeavesThoseInUse() throws {
        let pool = pool(limit: 2)
        let (connection, stream) = try Self.connection()
        _ = lease(pool)
        _ = lease(pool)
        pool.release(connection)
        pool.closeIdle()
        #expect(stream.isClosed && pool.idleConnectionCount == 0)
        #expect(lease(pool) == .open)
        #expect(lease(pool) == .wait)
    }

    @Test func nothingIsLeftBehindTheLast() {
        let pool = pool()
        _ = lease(pool)
        pool.closed(Self.key())
        #expect(pool.groupCount == 0)
    }

    // MARK: Waiting

    @Test func waitsBeyondTheLimitAndInOrder() throws {
        let pool = pool(limit: 1)
        #expect(lease(pool) == .open)
        #expect(lease(pool) == .wait)
        let first = pool.turn(for: Self.key())
        #expect(lease(pool) == .wait)
        let second = pool.turn(for: Self.key())
        pool.release(try Self.connection(number: 7).connection)
        // The place is kept for the first, whoever asks before it.
        #expect(lease(pool) == .wait)
        #expect(lease(pool, holdsTurn: true) == .use(7))
        pool.closed(Self.key())
        #expect(lease(pool, holdsTurn: true) == .open)
        pool.closed(Self.key())
        #expect(pool.groupCount == 0)
        _ = (first, second)
    }

    @Test func whoLeavesTheLineHoldsNobodyUp() throws {
        let pool = pool(limit: 1)
        _ = lease(pool)
        let first = pool.turn(for: Self.key())
        let second = pool.turn(for: Self.key())
        pool.leave(first, for: Self.key())
        pool.closed(Self.key())
        #expect(lease(pool, holdsTurn: true) == .open)  // the second
        pool.closed(Self.key())
        #expect(lease(pool) == .open)
        _ = second
    }

    @Test func aTurnThatHadComeIsPassedOn() async throws {
        let outcome = try await onLoop { () async -> WaitOutcome in
            let pool = ConnectionPool(limit: 1, lifetime: .seconds(1), maximumIdle: 1)
            let key = Self.key()
            _ = pool.lease(for: key, fresh: false, careful: true, holdsTurn: false)
            let first = pool.turn(for: key)
            let second = pool.turn(for: key)
            pool.closed(key)
            pool.leave(first, for: key)  // its turn came, but time was up
            return await second.pause.wait(until: .now)
        }
        #expect(outcome == .ready)
    }

    @Test func aLimitOfNoneAllowsOne() {
        #expect(lease(pool(limit: 0)) == .open)
    }
}
