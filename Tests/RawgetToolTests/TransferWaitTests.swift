import HTTPClient
import HTTPMessage
import Replay
import System
import TestSupport
import Testing

@testable import RawgetTool

@Suite("What a transfer waits for, said in place of its meter")
struct TransferWaitTests {
    private let folder = TemporaryFolder()
    /// The answer comes so late that a person is told of the wait.
    private let late: [Script.Step] =
        [.pause(.milliseconds(450))] + answer("200 OK", [], [UInt8](repeating: 7, count: 1000))

    @Test("each event that begins a wait has its words; content ends it")
    func words() {
        let wait = { (event: TransferEvent) in event.effectOnWait }
        #expect(wait(.resolving(host: "example.com")) == .waits("looking for example.com"))
        #expect(wait(.waitingForConnection) == .waits("waiting for a free connection"))
        #expect(wait(.requestHead([])) == .waits("sending the request"))
        #expect(wait(.awaitingContinue) == .waits("waiting for the go-ahead"))
        #expect(wait(.requestSent(octets: 10)) == .waits("waiting for the answer"))
        #expect(
            wait(.retrying(number: 1, after: .seconds(1), reason: "x")) == .waits("waiting to try again"))
        #expect(wait(.sent(count: 1 << 16, total: nil)) == .none)
        #expect(wait(.sent(count: 1 << 16 + 1, total: nil)) == .ends)
        #expect(wait(.content(count: 1, total: 1)) == .ends)
        #expect(wait(.contentReceived(trailers: HTTPFields())) == .ends)
        #expect(wait(.connectionKept(connection: 1)) == .none)
    }

    @Test("a host cannot steer the terminal, nor fill the line")
    func hostIsSafe() {
        #expect(
            TransferEvent.resolving(host: "a\u{1B}[2J\u{9B}").effectOnWait
                == .waits("looking for a\\x1B[2J\\x9B"))
        let long = String(repeating: "a", count: 200) + ".example.com"
        guard case .waits(let what) = TransferEvent.resolving(host: long).effectOnWait else {
            Issue.record("no wait")
            return
        }
        #expect(what.hasSuffix(".example.com") && TerminalWidth.columns(of: what) == 52)
    }

    @Test("the mark turns, and what goes when room is short is the time, the octets, the name")
    func line() {
        var meter = ProgressMeter(name: "file.zip", startingAt: .zero)
        let lines = (0..<5).map { tenth in
            meter.update(received: 0, expected: nil, at: .milliseconds(100 * tenth + 3000))
            return meter.waitingLine(for: "connecting", columns: 80)
        }
        #expect(lines == ["|", "/", "-", "\\", "|"].map { "file.zip  \($0) connecting  0:03" })
        meter.update(received: 2048, expected: 4096, at: .seconds(4))
        let line = { meter.waitingLine(for: "connecting", columns: $0) }
        #expect(line(80) == "file.zip  2.0 KiB  - connecting  0:04")
        #expect(line(37) == "file.zip  2.0 KiB  - connecting")
        #expect(line(30) == "file.zip  - connecting")
        #expect(line(20) == "- connecting")
        #expect(line(9) == "- conne…")
        #expect(line(1).isEmpty && line(0).isEmpty)
    }

    @Test("-# says what is waited for, and no more")
    func barStyle() {
        var meter = ProgressMeter(name: "f", style: .bar, startingAt: .zero)
        meter.update(received: 0, expected: nil, at: .milliseconds(100))
        #expect(meter.waitingLine(for: "connecting", columns: 30) == "\\ connecting")
    }

    @Test("a person is told of a wait for an answer", arguments: [[], ["-#"]])
    func lateAnswer(_ arguments: [String]) async throws {
        let server = try serve(late)
        let run = await rawget(
            arguments + ["-o", "f", "http://\(server.authority)/"], in: folder, terminals: [.errors])
        #expect(run.exit == 0)
        let name = arguments.isEmpty ? "f  " : ""
        let marks = ["-", "\\", "|", "/"].filter {
            run.errors.contains("\r\(name)\($0) waiting for the answer")
        }
        #expect(!marks.isEmpty, "\(run.errors.debugDescription)")
        #expect(run.errors.contains("f  1000 B in ") && run.errors.hasSuffix("\n"))
    }

    @Test("and of one that all of several transfers have")
    func lateAnswers() async throws {
        let server = try serve(late)
        let base = "http://\(server.authority)"
        let run = await rawget(["-Z", "\(base)/a", "\(base)/b"], in: folder, terminals: [.errors])
        #expect(run.exit == 0)
        #expect(run.errors.contains("0 of 2 files  "))
        #expect(run.errors.contains(" waiting for the answer"), "\(run.errors.debugDescription)")
        #expect(run.errors.contains("2 of 2 files  1.9 KiB in "))
    }

    @Test("but not as curl, nor where there is no meter", arguments: ["--as-curl", "-s"])
    func notTold(_ argument: String) async throws {
        let server = try serve(late)
        let run = await rawget(
            [argument, "-o", "f", "http://\(server.authority)/"], in: folder, terminals: [.errors])
        #expect(run.exit == 0 && !run.errors.contains("waiting"), "\(run.errors.debugDescription)")
        #expect(run.errors.isEmpty == (argument == "-s"))
    }

    @Test("a warning amid a transfer has a line of its own, and the wait for another try is told")
    func retry() async throws {
        let tries = Lock(0)
        let server = try serve { _ in
            let isFirst = tries.withLock { count in
                count += 1
                return count == 1
            }
            return isFirst ? [.pause(.milliseconds(200))] + answer("503 Busy") : answer()
        }
        let run = await rawget(
            ["--retry", "1", "--retry-delay", "0.4", "-o", "f", "http://\(server.authority)/"], in: folder,
            terminals: [.errors])
        #expect(run.exit == 0, "\(run.errors.debugDescription)")
        #expect(run.errors.contains("\r\u{1B}[Krawget: warning: "), "\(run.errors.debugDescription)")
        #expect(run.errors.contains(" waiting to try again"), "\(run.errors.debugDescription)")
    }
}
