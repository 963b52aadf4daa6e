import Glibc
import HTTPClient
import HTTPMessage
import NetworkProbes
import Replay
import System
import Testing
import Transport
import URLLoading

@Suite("The order of all calls, with exactly one ending", .timeLimit(.minutes(1)))
struct CallOrderTests {
    /// Who follows the load.
    enum Style: String, CaseIterable { case dataTask, downloadTask, connection }

    /// A load that a recorder follows.
    private struct Followed {
        let log: CallLog
        let control: Control
        let cancel: @Sendable () -> Void
        let holds: [any Sendable]
    }

    /// What a delegate may do in its calls.
    struct Control: Sendable {
        var refusesRedirects = false
        /// The call from within which the load is cancelled.
        var cancelledInside: String?
    }

    private func follow(
        _ style: Style, _ uri: URI, _ configuration: SessionConfiguration, _ control: Control = Control()
    ) -> Followed {
        switch style {
        case .connection:
            let recorder = ConnectionRecorder { state in
                if control.refusesRedirects { state.willSend = { $1 == nil ? $0 : nil } }
                state.during = { line, connection in
                    if line == control.cancelledInside { connection.cancel() }
                }
            }
            let connection = URLConnection(request: LoadRequest(uri), delegate: recorder)
            return Followed(
                log: recorder.log, control: control, cancel: { connection.cancel() }, holds: [connection])
        case .dataTask, .downloadTask:
            let recorder = Recorder { state in
                if control.refusesRedirects { state.redirect = { _ in nil } }
                state.during = { line, task in
                    if let call = control.cancelledInside, line.hasPrefix(call) { task.cancel() }
                }
            }
            let session = Session(configuration: configuration, delegate: recorder)
            let task: SessionTask =
                style == .dataTask ? session.dataTask(with: uri) : session.downloadTask(with: uri)
            task.resume()
            return Followed(
                log: recorder.log, control: control, cancel: { task.cancel() }, holds: [session, task])
        }
    }

    /// The calls as the tables below have them: pieces of content once, sizes left out.
    private func calls(_ log: CallLog) -> [String] {
        log.lines.map { line in
            let words = line.split(separator: " ")
            return ["write", "resumed"].contains(words[0]) ? String(words[0]) : line
        }.withoutRepetition
    }

    private func isEnded(_ lines: [String]) -> Bool {
        lines.contains { $0.hasPrefix("complete") || $0 == "finish" || $0.hasPrefix("fail") }
    }

    /// Waits for the ending, and then for nothing.
    private func ended(_ followed: Followed) async throws -> [String] {
        try await followed.log.wait(until: isEnded)
        try await Task.sleep(for: .milliseconds(20))
        return calls(followed.log)
    }

    private static func stage() throws -> Stage {
        try Stage { request in
            switch request.target {
            case "/moved":
                [
                    Stage.head("302 Found", length: 3, "Location: /file.bin", "Cache-Control: no-store"),
                    .send("old"),
                ]
            case "/file.bin": [Stage.head(length: 7, "Cache-Control: no-store"), .send("content")]
            case "/empty": [Stage.head(length: 0, "Cache-Control: no-store")]
            case "/kept": [Stage.head(length: 7, "Cache-Control: max-age=60"), .send("content")]
            case "/asks":
                request.value(of: "Authorization") == nil
                    ? [
                        Stage.head("401 Unauthorized", length: 2, "WWW-Authenticate: Basic realm=\"r\""),
                        .send("no"),
                    ]
                    : [Stage.head(length: 7, "Cache-Control: no-store"), .send("content")]
            default: [Stage.head("404 Not Found", length: 4, "Cache-Control: no-store"), .send("none")]
            }
        }
    }

    // MARK: Well

    typealias Row = (path: String, style: Style, calls: [String])

    static let successes: [Row] = [
        ("/file.bin", .dataTask, ["response 200", "data", "metrics", "complete well"]),
        ("/file.bin", .downloadTask, ["write", "finished", "metrics", "complete well"]),
        ("/file.bin", .connection, ["send /file.bin", "response 200", "content", "finish"]),
        ("/empty", .dataTask, ["response 200", "metrics", "complete well"]),
        ("/empty", .downloadTask, ["finished", "metrics", "complete well"]),
        ("/empty", .connection, ["send /empty", "response 200", "finish"]),
        ("/none", .dataTask, ["response 404", "data", "metrics", "complete well"]),
        ("/none", .downloadTask, ["write", "finished", "metrics", "complete well"]),
        ("/none", .connection, ["send /none", "response 404", "content", "finish"]),
        ("/moved", .dataTask, ["redirect 302", "response 200", "data", "metrics", "complete well"]),
        ("/moved", .downloadTask, ["redirect 302", "write", "finished", "metrics", "complete well"]),
        (
            "/moved", .connection,
            ["send /moved", "send /file.bin after 302", "response 200", "content", "finish"]
        ),
        ("/asks", .dataTask, ["challenge r 0", "response 401", "data", "metrics", "complete well"]),
        ("/asks", .downloadTask, ["challenge r 0", "write", "finished", "metrics", "complete well"]),
        ("/asks", .connection, ["send /asks", "challenge r", "response 401", "content", "finish"]),
    ]

    @Test("a load that ends well", arguments: successes)
    func success(row: Row) async throws {
        let stage = try Self.stage()
        let followed = follow(row.style, try stage.uri(row.path), stage.configuration)
        #expect(try await ended(followed) == row.calls)
    }

    static let refusals: [Row] = [
        ("/moved", .dataTask, ["redirect 302", "response 302", "data", "metrics", "complete well"]),
        ("/moved", .downloadTask, ["redirect 302", "write", "finished", "metrics", "complete well"]),
        (
            "/moved", .connection,
            ["send /moved", "send /file.bin after 302", "response 302", "content", "finish"]
        ),
    ]

    @Test("a redirect that is refused is delivered itself", arguments: refusals)
    func refusal(row: Row) async throws {
        let stage = try Self.stage()
        let followed = follow(
            row.style, try stage.uri(row.path), stage.configuration, Control(refusesRedirects: true))
        #expect(try await ended(followed) == row.calls)
        #expect(stage.server.requests.count == 1)
    }

    @Test("an answer that may be stored is asked about, before its end")
    func storing() async throws {
        let stage = try Self.stage()
        var configuration = stage.configuration
        configuration.urlCache = ResponseCache(capacity: 1 << 20)
        let task = try await ended(follow(.dataTask, stage.uri("/kept"), configuration))
        #expect(task == ["response 200", "cache", "data", "metrics", "complete well"])
        let connection = try await ended(follow(.connection, stage.uri("/kept"), configuration))
        #expect(connection == ["send /kept", "response 200", "cache", "content", "finish"])
        // What goes to a file is not stored, and nobody is asked.
        let other = try stage.uri("/kept?other")
        let download = try await ended(follow(.downloadTask, other, configuration))
        #expect(!download.contains("cache"))
    }

    // MARK: Failures

    typealias Failure = (phase: Phase, code: String, before: [Style: [String]])

    static let failures: [Failure] = [
        (.resolve, "notResolved", [:]), (.connect, "couldNotConnect", [:]), (.tls, "tlsFailed", [:]),
        (.firstOctet, "emptyReply", [:]),
        (
            .content, "incompleteContent",
            [
                .dataTask: ["response 200", "data"], .downloadTask: ["write"],
                .connection: ["response 200", "content"],
            ]
        ),
    ]

    @Test("a failure at each step", arguments: failures, Style.allCases)
    func failure(row: Failure, style: Style) async throws {
        // A connection uses the shared session's resolver, which is the system's.
        if row.phase == .resolve, style == .connection { return }
        let circumstances = try Circumstances(.failure, at: row.phase)
        let followed = follow(style, circumstances.uri, circumstances.configuration)
        let lines = try await ended(followed)
        let first = style == .connection ? ["send \(circumstances.uri.path)"] : []
        switch style {
        case .connection: #expect(lines == first + (row.before[style] ?? []) + ["fail \(row.code)"])
        case .dataTask, .downloadTask:
            #expect(lines.dropLast() == (row.before[style] ?? []) + ["metrics"])
            #expect(lines.last?.hasPrefix("complete ") == true && lines.last != "complete well")
        }
        // What a later task could go on from is kept as long as the task.
        if row.phase != .content { #expect(circumstances.stage.temporaryNames.isEmpty) }
    }

    @Test("a failure to store")
    func storeFailure() async throws {
        let stage = try Self.stage()
        let recorder = Recorder()
        let session = Session(configuration: stage.configuration, delegate: recorder)
        session.downloadTask(with: try stage.uri()).resume()
        try await recorder.waitForEnds()
        // The open folder that the files go to has no name any more: nothing can be made in it.
        #expect(Glibc.rmdir(stage.temporaryPath) == 0)
        let task = session.downloadTask(with: try stage.uri())
        task.resume()
        try await recorder.waitForEnds(2)
        #expect(Array(recorder.log.lines.story.suffix(2)) == ["metrics", "complete"])
        #expect(recorder.log.lines.count { $0 == "finished" } == 1)
        #expect(task.error?.code == .writeFailed)
        #expect(task.error?.phase == .store)
    }

    // MARK: Cancels

    @Test("a cancel at each step", arguments: Phase.allCases, Style.allCases)
    func cancel(phase: Phase, style: Style) async throws {
        if phase == .resolve, style == .connection { return }
        let circumstances = try Circumstances(.silence, at: phase)
        let followed = follow(style, circumstances.uri, circumstances.configuration)
        let path = circumstances.uri.path
        let before: [Style: [String]] =
            phase == .content
            ? [
                .dataTask: ["response 200", "data"], .downloadTask: ["write"],
                .connection: ["send \(path)", "response 200", "content"],
            ] : [.connection: ["send \(path)"]]
        let expected = before[style] ?? []
        try await waitUntil { circumstances.isReached() && calls(followed.log) == expected }
        followed.cancel()
        if style == .connection {
            try await Task.sleep(for: .milliseconds(30))
            #expect(calls(followed.log) == expected)
        } else {
            #expect(try await ended(followed) == expected + ["metrics", "complete cancelled"])
        }
        #expect(circumstances.stage.temporaryNames.isEmpty)
    }

    typealias Inside = (style: Style, call: String, calls: [String])

    static let inside: [Inside] = [
        (.dataTask, "redirect 302", ["redirect 302"]),
        (.dataTask, "response 200", ["redirect 302", "response 200"]),
        (.dataTask, "data", ["redirect 302", "response 200", "data"]),
        (.downloadTask, "redirect 302", ["redirect 302"]),
        (.downloadTask, "write 7", ["redirect 302", "write"]),
    ]

    @Test("a task that is cancelled from inside of a call ends once, as cancelled", arguments: inside)
    func cancelInside(row: Inside) async throws {
        let stage = try Stage { request in
            request.target == "/moved"
                ? [Stage.head("302 Found", length: 0, "Location: /file.bin")]
                : [Stage.head(length: 10), .send("content"), .stall]
        }
        let followed = follow(
            row.style, try stage.uri("/moved"), stage.configuration, Control(cancelledInside: row.call))
        // A piece may be on its way already when a task is cancelled.
        let lines = try await ended(followed).filter { $0 != "data" || row.call == "data" }
        #expect(lines == row.calls + ["metrics", "complete cancelled"])
    }

    // MARK: Suspension

    @Test(
        "a suspension is told to nobody, and the calls go on where they were",
        arguments: [Style.dataTask, .downloadTask])
    func suspension(style: Style) async throws {
        let stage = try Stage { _ in
            [Stage.head(length: 10), .send("begun"), .pause(.milliseconds(30)), .send(" well")]
        }
        let recorder = Recorder()
        let session = Session(configuration: stage.configuration, delegate: recorder)
        let task: SessionTask =
            try style == .dataTask
            ? session.dataTask(with: stage.uri()) : session.downloadTask(with: stage.uri())
        task.resume()
        try await waitUntil { task.countOfBytesReceived == 5 }
        task.suspend()
        try await Task.sleep(for: .milliseconds(60))
        #expect(task.state == .suspended && !isEnded(recorder.log.lines))
        task.resume()
        try await recorder.waitForEnds()
        #expect(
            calls(recorder.log)
                == (style == .dataTask ? ["response 200", "data"] : ["write", "finished"]) + [
                    "metrics", "complete well",
                ])
        #expect(
            style == .dataTask
                ? recorder.content == Array("begun well".utf8) : recorder.files == [Array("begun well".utf8)])
    }
}
