import Glibc
import Replay
import Synchronization
import Testing

/// A step in its line.
func at(_ line: Int, _ step: Fixture.Step) -> Fixture.Located<Fixture.Step> { .init(step, line: line) }

/// The head of a request by conditions, each in a line of its own: `~` before a pattern, `!` before the name of a field
/// that must not be there.
func asks(_ line: Int, _ conditions: String...) -> Fixture.Located<Fixture.Step> {
    at(
        line,
        .request(
            .matching(
                conditions.enumerated().map { offset, text in
                    let value: Fixture.Condition =
                        switch text.first {
                        case "~": .pattern(FixturePattern(String(text.dropFirst())))
                        case "!": .absent(String(text.dropFirst()))
                        default: .line(Array(text.utf8))
                        }
                    return .init(value, line: line + offset)
                })))
}

/// The exact head of a request, CRLF behind each line, the blank line too.
func asksExactly(_ line: Int, _ lines: String...) -> Fixture.Located<Fixture.Step> {
    at(
        line,
        .request(
            .exactly(
                (lines + [""]).enumerated().map { .init(Array("\($1)\r\n".utf8), line: line + $0) })))
}

/// A line that is sent, and octets that are.
func says(_ line: Int, _ text: String) -> Fixture.Located<Fixture.Step> { at(line, .send(.text(text))) }

/// A connection whose line is 1 unless another is given.
func connection(
    to server: Int = 0, line: Int = 1, _ steps: Fixture.Located<Fixture.Step>...
) -> Fixture.Connection {
    Fixture.Connection(to: server, line: line, steps)
}

/// The text of an answer with content.
func answerText(_ content: String = "hi") -> String {
    "HTTP/1.1 200 OK\r\nContent-Length: \(content.utf8.count)\r\n\r\n\(content)"
}

/// Text of a request without content.
func requestText(_ target: String = "/", _ fields: String...) -> String {
    (["GET \(target) HTTP/1.1", "Host: x"] + fields + ["", ""]).joined(separator: "\r\n")
}

/// A fixture of runs that consist of connections.
func fixture(servers: [Fixture.Server] = [Fixture.Server()], _ runs: [[Fixture.Connection]]) -> Fixture {
    Fixture(
        reason: ["A test."], servers: servers,
        runs: runs.enumerated().map { .init(.command(["rawget"]), line: 100 + $0, connections: $1) })
}

/// A stage that plays a fixture, started, its first run begun.
func staged(
    servers: [Fixture.Server] = [Fixture.Server()], patience: Duration = .seconds(20),
    onInterrupt: @escaping @Sendable () -> Void = {}, _ runs: [Fixture.Connection]...
) throws -> FixtureStage {
    let stage = try FixtureStage(
        fixture(servers: servers, runs), patience: patience, onInterrupt: onInterrupt)
    try stage.start()
    stage.begin(run: 0)
    return stage
}

extension FixtureStage {
    /// A client of the first server.
    func connect() throws -> PlainClient { try #require(PlainClient(port: port)) }

    /// Waits until no connection is open, at most ten seconds, and ends the run.
    func ended(run: Int = 0) -> RunRecord {
        _ = holdsSoon { isIdle }
        return end(run: run)
    }
}

extension FixtureStage.RunRecord {
    /// Each problem with its line, as a report shows it.
    var texts: [String] { problems.map { "\($0.line): \($0.message)" } }
}

/// Counts calls on other threads.
final class Counter: Sendable {
    private let count = Atomic(0)
    var value: Int { count.load(ordering: .acquiring) }
    func increment() { count.add(1, ordering: .releasing) }

    /// Waits until so many calls have come, at most ten seconds; whether they have.
    func wait(for wanted: Int) -> Bool { holdsSoon { value >= wanted } }
}

/// Waits until something holds, at most ten seconds; whether it does.
func holdsSoon(_ holds: () -> Bool) -> Bool {
    let limit = ContinuousClock.now + .seconds(10)
    while !holds(), ContinuousClock.now < limit { usleep(500) }
    return holds()
}
