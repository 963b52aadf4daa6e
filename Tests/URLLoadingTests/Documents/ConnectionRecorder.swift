import HTTPClient
import HTTPMessage
import Replay
import System
import Testing
import URLLoading

/// A connection's delegate that writes down every call, and answers as it is told.
final class ConnectionRecorder: URLConnectionDelegate {
    let log = CallLog()
    private let state = Lock(State())

    struct State: Sendable {
        var content: [UInt8] = []
        var depth = 0
        var deepest = 0
        var willSend: (@Sendable (LoadRequest, HTTPResponse?) -> LoadRequest?)?
        var answer: (@Sendable (AuthenticationChallenge) -> AuthenticationAnswer)?
        var stores = true
        var during: (@Sendable (_ call: String, _ connection: URLConnection) -> Void)?
    }

    init(_ change: (inout State) -> Void = { _ in }) { state.withLock { change(&$0) } }

    /// What came since the last answer's head.
    var content: [UInt8] { state.withLock { $0.content } }
    /// How many calls were made at once, at most.
    var deepest: Int { state.withLock { $0.deepest } }
    /// The endings so far.
    var endings: [String] { log.lines.filter { $0 == "finish" || $0.hasPrefix("fail") } }

    /// Waits for the ending.
    func waitForEnd() async throws { try await waitUntil { !endings.isEmpty } }

    private func record<Value>(
        _ line: String, _ connection: URLConnection, _ body: () -> Value
    ) -> Value {
        let during = state.withLock { state in
            state.depth += 1
            state.deepest = max(state.deepest, state.depth)
            return state.during
        }
        let value = body()
        log.add(line)
        during?(line, connection)
        state.withLock { $0.depth -= 1 }
        return value
    }

    func connection(
        _ connection: URLConnection, willSend request: LoadRequest, redirectResponse: HTTPResponse?
    ) -> LoadRequest? {
        let cause = redirectResponse.map { " after \($0.status)" } ?? ""
        return record("send \(request.uri.path)\(cause)", connection) {
            let change = state.withLock { $0.willSend }
            return change.map { $0(request, redirectResponse) } ?? request
        }
    }

    func connection(
        _ connection: URLConnection, willSendRequestFor challenge: AuthenticationChallenge
    ) -> AuthenticationAnswer {
        record("challenge \(challenge.protectionSpace.realm)", connection) {
            state.withLock { $0.answer }?(challenge) ?? .performDefaultHandling
        }
    }

    func connection(_ connection: URLConnection, didReceive response: HTTPResponse) {
        record("response \(response.status)", connection) { state.withLock { $0.content = [] } }
    }

    func connection(_ connection: URLConnection, didReceive content: [UInt8]) {
        record("content", connection) { state.withLock { $0.content += content } }
    }

    func connection(_ connection: URLConnection, willCacheResponse response: HTTPResponse) -> Bool {
        record("cache", connection) { state.withLock { $0.stores } }
    }

    func connectionDidFinishLoading(_ connection: URLConnection) { record("finish", connection) {} }

    func connection(_ connection: URLConnection, didFailWith error: TransferError) {
        record("fail \(error.code.name)", connection) {}
    }
}

/// A value that a callback sets on another thread.
final class Box<Value: Sendable>: Sendable {
    private let state: Lock<Value>

    init(_ value: Value) { state = Lock(value) }

    var value: Value { state.withLock { $0 } }

    func set(_ value: Value) { state.withLock { $0 = value } }
    func change(_ body: (inout Value) -> Void) { state.withLock { body(&$0) } }
}

extension Box where Value: ExpressibleByNilLiteral {
    convenience init() { self.init(nil) }
}

/// How long nothing may happen before it counts as never.
let quietTime = Duration.milliseconds(60)

extension [String] {
    /// Each word once where it repeats itself, and lines whole otherwise.
    var withoutRepetition: [String] {
        var lines: [String] = []
        for line in self where lines.last != line { lines.append(line) }
        return lines
    }
}

/// A port of the loopback where nobody listens.
func closedPort() throws -> UInt16 {
    let stage = try Stage { _ in [] }
    stage.server.stop()
    return stage.server.port
}

/// What a file holds, where a test has a function of that other name.
func fileContents(_ path: String) -> [UInt8]? { octets(ofFile: path) }
