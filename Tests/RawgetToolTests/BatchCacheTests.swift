import Replay
import System
import TestSupport
import Testing

@testable import RawgetTool

@Suite("rawget batch: its cache", .timeLimit(.minutes(2)))
struct BatchCacheTests {
    private let folder = TemporaryFolder()

    /// Under a clock that stands still but for the lines that move it.
    private func answers(
        _ lines: [String], options: [String] = [], from server: ReplayServer
    ) async throws -> [AnswerLine] {
        let input = lines.map { $0.replacing("URL", with: "\"url\":\"http://\(server.authority)/\"") }
        let run = await rawget(["batch"] + options, in: folder, input: input.joined(separator: "\n")) {
            $0.clock = WallClock { 784_111_777 }
        }
        #expect(run.exit == 0 && run.errors.isEmpty, "\(run.errors)")
        return try run.text.split(separator: "\n").map(AnswerLine.init)
    }

    /// A server whose contents are numbers, from 1.
    private func counting(_ cacheControl: String) throws -> ReplayServer {
        let count = Counter()
        return try serve { _ in answer("200 OK", ["Cache-Control: \(cacheControl)"], "\(count.next())") }
    }

    private final class Counter: Sendable {
        private let value = Lock(0)

        func next() -> Int {
            value.withLock {
                $0 += 1
                return $0
            }
        }
    }

    @Test("one cache serves all lines; a policy of a line is obeyed, and clearing leaves nothing (D17)")
    func policies() async throws {
        let server = try counting("max-age=5")
        let stored = #""cachePolicy":"returnCacheDataDontLoad""#
        let answers = try await answers(
            [
                "{\"id\":1,URL,\(stored)}", "{\"id\":2,URL}", "{\"id\":3,URL}", #"{"advance":3600}"#,
                "{\"id\":4,URL,\(stored)}", #"{"id":5,URL,"cachePolicy":"reloadIgnoringLocalCacheData"}"#,
                #"{"clearCache":true}"#, "{\"id\":6,URL,\(stored)}",
            ], from: server)
        #expect(answers.map { $0["id"] } == ["1", "2", "3", "4", "5", "6"])
        #expect(answers.map { $0["body"] } == ["", "\"1\"", "\"1\"", "\"1\"", "\"2\"", ""])
        let sources = ["", "\"network\"", "\"cache\"", "\"cache\"", "\"network\"", ""]
        #expect(answers.map { $0["source"] } == sources)
        for failure in [answers[0], answers[5]] {
            #expect(failure["error.code"] == "\"notInCache\"" && failure["error.exit"] == "121")
        }
        #expect(answers[2]["cacheStatus"] == "\"rawget; hit; ttl=5\"")
    }

    @Test("who takes only what is stored gets a 504 where nothing is (RFC 9111, section 5.2.1.7)")
    func onlyIfCached() async throws {
        let server = try counting("max-age=5")
        let answers = try await answers(
            [#"{URL,"headers":[["Cache-Control","only-if-cached"]]}"#], from: server)
        #expect(answers.map { $0["ok"] + $0["status"] + $0["source"] } == ["true504\"cache\""])
        #expect(server.requests.isEmpty)
    }

    @Test("what is validated in the background is so while a line is awaited (RFC 5861, section 3)")
    func background() async throws {
        let server = try counting("max-age=10, stale-while-revalidate=60")
        let answers = try await answers(
            ["{URL}", #"{"advance":30}"#, "{URL}", #"{"pause":0.5}"#, "{URL}"], from: server)
        #expect(answers.map { $0["body"] } == ["\"1\"", "\"1\"", "\"2\""])
        #expect(answers.map { $0["source"] } == ["\"network\"", "\"cache\"", "\"cache\""])
        #expect(server.requests.count == 2)
    }

    @Test("its size is an option: what does not fit is not kept, and without any there is none")
    func size() async throws {
        for (size, status) in [("0", "null"), ("100", "\"rawget; fwd=uri-miss")] {
            let server = try counting("max-age=60")
            let answers = try await answers(
                ["{URL}", "{URL}"], options: ["--cache-size", size], from: server)
            #expect(answers.map { $0["body"] } == ["\"1\"", "\"2\""])
            #expect(answers[1]["cacheStatus"].hasPrefix(status), "\(answers[1]["cacheStatus"])")
        }
    }

    @Test("time that has passed is not taken back by a wall clock that is set back")
    func back() async throws {
        let server = try counting("max-age=60")
        let answers = try await answers(
            ["{URL}", #"{"advance":3600}"#, #"{"advance":-3600}"#, "{URL}", #"{"advance":-1e12}"#, "{URL}"],
            from: server)
        #expect(answers.map { $0["body"] } == ["\"1\"", "\"2\"", "\"2\""])
    }

    @Test(
        "what comes after time has passed is as fresh as it says, though the server's Date knows nothing of it"
    )
    func dated() async throws {
        let server = try counting("max-age=60\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT")
        let answers = try await answers(
            ["{URL}", #"{"advance":3600}"#, "{URL}", "{URL}", #"{"advance":59}"#, "{URL}"], from: server)
        #expect(answers.map { $0["body"] } == ["\"1\"", "\"2\"", "\"2\"", "\"2\""])
        #expect(answers.map { $0["source"] } == ["\"network\"", "\"network\"", "\"cache\"", "\"cache\""])
    }
}
