import HTTPClient
import HTTPMessage
import HTTPWire
import NetworkProbes
import Replay
import System
import Testing
import Transport

/// What uses a client runs one after another: some of it measures time.
@Suite("A client over the loopback", .serialized, .timeLimit(.minutes(1)))
enum Loopback {
    /// A running server that plays the same steps on every connection.
    static func serve(
        _ steps: [Script.Step], address: ReplayServer.Address = .ipv4Loopback
    ) throws -> ReplayServer {
        try serve(Script(everyConnection: .init(steps)), address: address)
    }

    static func serve(
        _ script: Script, address: ReplayServer.Address = .ipv4Loopback
    ) throws -> ReplayServer {
        let server = try ReplayServer(script, address: address)
        try server.start()
        return server
    }

    /// A running server that answers each request, connections kept.
    static func serve(
        _ handler: @escaping @Sendable (RecordedRequest) -> [Script.Step]
    ) throws -> ReplayServer {
        let server = try ReplayServer(handler: handler)
        try server.start()
        return server
    }

    /// Where nobody listens any more.
    static func deadPort() throws -> UInt16 {
        let server = try ReplayServer(Script())
        server.stop()
        return server.port
    }

    /// A client with one thing changed.
    static func client(_ change: (inout ClientConfiguration) -> Void = { _ in }) -> Client {
        var configuration = ClientConfiguration()
        configuration.idleTimeout = .seconds(5)
        change(&configuration)
        return Client(configuration)
    }

    static let ok = Script.Step.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
}

extension ReplayServer {
    /// A request of this server.
    func request(
        _ method: HTTPMethod = .get, _ path: String = "/", fields: HTTPFields = HTTPFields(),
        content: [UInt8]? = nil
    ) throws -> HTTPRequest {
        HTTPRequest(method, try URI(parsing: "http://\(authority)\(path)"), fields: fields, content: content)
    }
}

/// A sink that keeps all it is told, and a log of what happened.
@NetworkActor
final class TestSink: ContentSink {
    private(set) var octets: [UInt8] = []
    private(set) var pieces = 0
    private(set) var begun: HTTPResponse?
    private(set) var length: UInt64?
    private(set) var trailers: HTTPFields?
    /// Answers what a piece is answered with; it gets the number of the piece, from 1.
    var demand: ((Int) throws(TransferError) -> SinkDemand)?
    var target: SpliceTarget?
    private(set) var spliced = 0
    private let keepsContent: Bool

    nonisolated init(keepsContent: Bool = true) { self.keepsContent = keepsContent }

    var count: Int { written + spliced }
    private var written = 0

    func begin(_ response: HTTPResponse, length: UInt64?) throws(TransferError) {
        begun = response
        self.length = length
    }

    func write(_ content: Span<UInt8>) throws(TransferError) -> SinkDemand {
        NetworkActor.loop.checkIsolated()
        written += content.count
        pieces += 1
        if keepsContent { for index in content.indices { octets.append(content[index]) } }
        return try demand?(pieces) ?? .more
    }

    var spliceTarget: SpliceTarget? { target }

    func didSplice(_ count: Int) { spliced += count }

    func end(trailers: HTTPFields) { self.trailers = trailers }
}

/// What a transfer led to.
struct Outcome: Sendable {
    var report: TransferReport?
    var error: TransferError?
    var content: [UInt8]
    var hasEnded: Bool
    var events: [TransferEvent]

    var code: TransferError.Code? { error?.code }
    var text: String { String(decoding: content, as: UTF8.self) }
    /// The events by their names, content left out: how it was cut is chance.
    var story: [String] {
        events.compactMap { event in
            let name = "\(event)".prefix { $0 != "(" }
            return name == "content" ? nil : String(name)
        }
    }
}

@NetworkActor
private final class EventLog {
    var events: [TransferEvent] = []
}

extension Client {
    /// Performs `request` and tells how it went; never longer than `limit`.
    nonisolated func outcome(
        of request: HTTPRequest, options: TransferOptions = TransferOptions(),
        hooks: TransferHooks = TransferHooks(), within limit: Duration = .seconds(10)
    ) async throws -> Outcome {
        try await onLoop(within: limit) {
            let sink = TestSink()
            let log = EventLog()
            var hooks = hooks
            hooks.observe = { log.events.append($0) }
            var outcome = Outcome(content: [], hasEnded: false, events: [])
            do throws(TransferError) {
                outcome.report =
                    try await self.transfer(request, into: sink, options: options, hooks: hooks).run()
            } catch { outcome.error = error }
            outcome.content = sink.octets
            outcome.hasEnded = sink.trailers != nil
            outcome.events = log.events
            return outcome
        }
    }
}
