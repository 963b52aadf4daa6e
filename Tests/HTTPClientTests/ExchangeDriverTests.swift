import HTTPMessage
import NetworkProbes
import System
import Testing

@testable import HTTPClient
@testable import Transport

@Suite("The driver of an exchange", .timeLimit(.minutes(1)))
struct ExchangeDriverTests {
    /// A peer whose octets are always there, so that nothing ever waits.
    @NetworkActor
    private final class EndlessStream: ByteStream {
        var remoteAddress: SocketAddress? { nil }
        var localAddress: SocketAddress? { nil }
        var canSplice: Bool { false }
        var isQuiet: Bool { true }
        var mayHaveInput: Bool { false }
        private var head = Array("HTTP/1.1 200 OK\r\n\r\n".utf8)

        func receive(into buffer: ReceiveBuffer, atMost limit: Int, until deadline: Deadline) -> Int {
            let octets = head.isEmpty ? [UInt8](repeating: 7, count: 4096) : head
            head = []
            return buffer.fill(atMost: limit) { room in
                room.copyBytes(from: octets)
                return octets.count
            }
        }
        func send(_ octets: [UInt8], from offset: Int, until deadline: Deadline) -> SendResult {
            .sent(upTo: octets.count)
        }
        func splice(
            to target: Int32, at offset: Int64?, atMost count: UInt64, until deadline: Deadline
        ) -> SpliceResult { .endOfStream }
        func receiveAtHand(into buffer: ReceiveBuffer, atMost limit: Int) -> Int? { nil }
        func sendAtOnce(_ octets: [UInt8]) {}
        func expectBulk(_ octets: UInt64) {}
        func close() {}
    }

    @NetworkActor
    private static func run(
        total: Deadline, _ sink: TestSink, cancelsAfter pieces: Int = .max
    ) async throws -> TransferError? {
        let request = HTTPRequest(try URI(parsing: "http://a/"))
        let transfer = Client().transfer(request, into: sink)
        sink.demand = { piece in
            if piece == pieces { transfer.cancel() }
            return .more
        }
        defer { sink.demand = nil }
        let key = ConnectionKey(
            origin: Origin(scheme: .http, host: .name("a")), route: Route(host: .name("a"), port: 80))
        let connection = PooledConnection(
            key: key, stream: EndlessStream(), buffer: try ReceiveBuffer(), number: 1)
        let driver = ExchangeDriver(
            request, try OutgoingContent(of: request, nil, TransferOptions()), on: connection, for: transfer,
            configuration: ClientConfiguration(), total: total)
        do throws(TransferError) {
            _ = try await driver.run(opened: 1)
            return nil
        } catch { return error }
    }

    @Test func theWholeTimeEndsContentThatNeverWaits() async throws {
        let error = try await onLoop {
            try await Self.run(
                total: Deadline(.total, in: .milliseconds(30)), TestSink(keepsContent: false))
        }
        #expect(error?.code == .timedOut)
    }

    @Test func cancellingEndsContentThatNeverWaits() async throws {
        let pieces = try await onLoop { () async throws -> Int in
            let sink = TestSink(keepsContent: false)
            #expect(try await Self.run(total: .never, sink, cancelsAfter: 10)?.code == .cancelled)
            return sink.pieces
        }
        #expect(pieces == 10)
    }
}
