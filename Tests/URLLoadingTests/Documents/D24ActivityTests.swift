import HTTPClient
import HTTPMessage
import NetworkProbes
import Replay
import System
import Testing
import URLLoading

@Suite("The activity indicator over all requests (D24)", .serialized, .timeLimit(.minutes(1)))
struct ActivityTests {
    private let indicator = ActivityIndicator.shared

    /// A server that says nothing until it is stopped.
    private func silentStage() throws -> Stage { try Stage { _ in [.stall] } }

    @Test("D24: every style counts while it loads, and a suspended task does not")
    func counting() async throws {
        // What earlier tests have cancelled may not be over.
        try await waitUntil { indicator.activityCount == 0 }
        let stage = try silentStage()
        let session = Session(configuration: stage.configuration)
        let task = session.downloadTask(with: try stage.uri())
        #expect(indicator.activityCount == 0)
        task.resume()
        try await waitUntil { indicator.activityCount == 1 }
        let connection = URLConnection(request: LoadRequest(try stage.uri()), delegate: ConnectionRecorder())
        try await waitUntil { indicator.activityCount == 2 }
        let request = LoadRequest(try stage.uri())
        let call = Task { try await URLConnection.send(request) }
        try await waitUntil { indicator.activityCount == 3 }
        let operation = HTTPRequestOperation(request: request)
        operation.start()
        try await waitUntil { indicator.activityCount == 4 }
        task.suspend()
        operation.pause()
        try await waitUntil { indicator.activityCount == 2 }
        task.resume()
        operation.resume()
        try await waitUntil { indicator.activityCount == 4 }
        connection.cancel()
        call.cancel()
        task.cancel()
        operation.cancel()
        try await waitUntil { indicator.activityCount == 0 }
        _ = await call.result
    }

    @Test("D24: what ends by itself, well or not, or never began, is not counted any more")
    func endings() async throws {
        try await waitUntil { indicator.activityCount == 0 }
        let stage = try Stage { request in
            request.target == "/good" ? [Stage.head(length: 4), .send("good")] : [.close]
        }
        let session = Session(configuration: stage.configuration)
        _ = try await session.data(from: stage.uri("/good"))
        _ = try? await session.download(from: stage.uri("/bad"))
        _ = try? URLConnection.sendSynchronousRequest(LoadRequest(stage.uri("/bad")))
        let task = session.dataTask(with: try stage.uri("/good"))
        task.cancel()
        try await waitUntil { task.state == .completed }
        try await waitUntil { indicator.activityCount == 0 }
        try await Task.sleep(for: quietTime)
        #expect(indicator.activityCount == 0)
    }

    @Test(
        "D24: one switch, shown after 1.0 s and hidden after 0.17 s, both settable, changes told as they come"
    )
    func visibility() async throws {
        try await waitUntil { indicator.activityCount == 0 }
        #expect(!indicator.isEnabled)
        #expect(indicator.activationDelay == .seconds(1) && indicator.completionDelay == .milliseconds(170))
        defer {
            indicator.isEnabled = false
            indicator.activationDelay = .seconds(1)
            indicator.completionDelay = .milliseconds(170)
        }
        indicator.activationDelay = .milliseconds(50)
        indicator.completionDelay = .milliseconds(30)
        let stage = try silentStage()
        let session = Session(configuration: stage.configuration)
        let hidden = session.dataTask(with: try stage.uri())
        hidden.resume()
        try await waitUntil { indicator.activityCount == 1 }
        try await Task.sleep(for: .milliseconds(80))
        #expect(!indicator.isVisible, "it is switched off")
        hidden.cancel()
        try await waitUntil { indicator.activityCount == 0 }
        indicator.isEnabled = true
        let seen = Box<[Bool]>([])
        let changes = indicator.visibilityChanges
        let watcher = Task { for await isVisible in changes { seen.change { $0.append(isVisible) } } }
        let begin = ContinuousClock.now
        let task = session.dataTask(with: try stage.uri())
        task.resume()
        try await waitUntil { indicator.isVisible }
        #expect(ContinuousClock.now - begin >= .milliseconds(50))
        task.suspend()
        try await waitUntil { !indicator.isVisible }
        task.resume()
        try await waitUntil { indicator.isVisible }
        task.cancel()
        try await waitUntil { !indicator.isVisible }
        try await waitUntil { seen.value.count == 5 }
        #expect(seen.value == [false, true, false, true, false])
        watcher.cancel()
    }
}
