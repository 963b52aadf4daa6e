import System
import Testing

@testable import RawgetTool
@testable import Replay

@Suite("What two clients did, set side by side")
struct BehaviourTests {
    private func observation(
        head: String = "GET / HTTP/1.1\r\nHost: h:1024\r\nUser-Agent: rawget/0.1\r\n\r\n",
        content: String = "",
        output: String = "ok", file: String = "content", permissions: UInt32 = 0o644, modified: Int64 = 0,
        exit: Int32? = 0, folder: String = "/tmp/a", port: UInt16 = 1024, arguments: [String] = []
    ) -> FixtureObservation {
        var request = PlayedRequest(server: 0, connection: 0, head: Array(head.utf8))
        request.append(Array(content.utf8))
        let left = FixtureObservation.File(
            content: Array(file.utf8), sum: 0, permissions: permissions, modified: modified)
        return FixtureObservation(
            arguments: arguments, exit: exit, requests: [request], output: Array(output.utf8),
            entries: ["page": .file(left)], folder: folder, ports: [port])
    }

    private func kinds(_ other: FixtureObservation) -> [KnownDifferences.Kind] {
        Behaviour(observation(), keepsOrder: true)
            .differences(from: Behaviour(other, keepsOrder: true)).map(\.kind)
    }

    @Test("ports, folders, the order of fields and the name of the client are no difference")
    func alike() {
        let head = "GET / HTTP/1.1\r\nUser-Agent: curl/7.88.1\r\nHost: h:2048\r\n\r\n"
        #expect(kinds(observation(head: head, port: 2048)).isEmpty)
        let left = Behaviour(observation(output: "in /tmp/a at :1024"), keepsOrder: true)
        let right = Behaviour(
            observation(
                head: head, output: "in /tmp/b at :2048", folder: "/tmp/b", port: 2048), keepsOrder: true)
        #expect(left.differences(from: right).isEmpty)
    }

    @Test("all else is one, of its kind")
    func different() {
        let heads = [
            "GET /x HTTP/1.1\r\nHost: h:1024\r\nUser-Agent: rawget/0.1\r\n\r\n",
            "GET / HTTP/1.0\r\nHost: h:1024\r\nUser-Agent: rawget/0.1\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: h:1024\r\nUser-Agent: me\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: h:1024\r\nUser-Agent: rawget/0.1\r\nX: 1\r\n\r\n",
        ]
        for head in heads { #expect(kinds(observation(head: head)) == [.request]) }
        #expect(kinds(observation(content: "x")) == [.request])
        #expect(kinds(observation(output: "no")) == [.output])
        #expect(kinds(observation(file: "other")) == [.files])
        #expect(kinds(observation(permissions: 0o600)) == [.files])
        #expect(kinds(observation(exit: 22)) == [.exit])
        #expect(kinds(observation(exit: nil)) == [.exit])
        var gone = observation()
        gone.entries = [:]
        #expect(kinds(gone) == [.files])
        gone = observation()
        gone.requests = []
        #expect(kinds(gone) == [.request])
    }

    @Test("lines of one name mean something by their order")
    func orderOfLines() {
        let head = { (fields: String) in "GET / HTTP/1.1\r\n\(fields)\r\n" }
        let ours = Behaviour(observation(head: head("X: 2\r\nA: 1\r\nx: 1\r\n")), keepsOrder: true)
        let same = Behaviour(observation(head: head("A: 1\r\nX: 2\r\nx: 1\r\n")), keepsOrder: true)
        #expect(ours.differences(from: same).isEmpty)
        let other = Behaviour(observation(head: head("x: 1\r\nX: 2\r\nA: 1\r\n")), keepsOrder: true)
        #expect(ours.differences(from: other).map(\.kind) == [.request])
    }

    @Test("requests to several servers have an order, unless chance decides it", arguments: [true, false])
    func orderOfRequests(keepsOrder: Bool) {
        let requests = [0, 1].map {
            PlayedRequest(server: $0, connection: 0, head: Array("GET / HTTP/1.1\r\n".utf8))
        }
        var (ours, theirs) = (observation(), observation())
        (ours.requests, theirs.requests) = (requests, requests.reversed())
        let differences = Behaviour(ours, keepsOrder: keepsOrder)
            .differences(from: Behaviour(theirs, keepsOrder: keepsOrder))
        #expect(differences.map(\.kind) == (keepsOrder ? [.request] : []))
    }

    @Test(
        "the time of a file counts where the command sets it",
        arguments: [("-R", true), ("-sRo", true), ("--remote-time", true), ("--Range", false), ("R", false)])
    func times(argument: String, counts: Bool) {
        let ours = Behaviour(observation(modified: 1, arguments: [argument]), keepsOrder: true)
        let theirs = Behaviour(observation(modified: 2, arguments: [argument]), keepsOrder: true)
        #expect(ours.differences(from: theirs).map(\.kind) == (counts ? [.files] : []))
    }

    @Test("the time of a file that is new is that of the run, which is not compared")
    func newTimes() {
        let now = WallClock.system.secondsSinceEpoch
        let behaviours = [now - 2, now, 2].map {
            Behaviour(observation(modified: $0, arguments: ["-R"]), keepsOrder: true)
        }
        #expect(behaviours[0].differences(from: behaviours[1]).isEmpty)
        #expect(behaviours[1].differences(from: behaviours[2]).map(\.kind) == [.files])
    }

    @Test("a command that only one of them ran is a difference")
    func counts() {
        var comparison = Comparison(name: "x")
        comparison.add([observation(), observation()], [observation(), observation()], keepsOrder: true)
        #expect(comparison.kinds.isEmpty && comparison.commands == 2)
        comparison.add([observation(), observation()], [observation()], keepsOrder: true)
        #expect(comparison.kinds == [.outcome])
    }

    @Test("known differences are read with their kinds, which must be some")
    func known() throws {
        let known = try KnownDifferences("# why\na/b.wire: no kind\na/c.wire output exit: two: kinds\n")
        #expect(known.entry(for: "Fixtures/a/b.wire")?.kinds == [.outcome])
        #expect(known.entry(for: "a/c.wire")?.kinds == [.output, .exit])
        #expect(known.entry(for: "a/c.wire")?.reason == "two: kinds")
        #expect(known.failureReason(for: "a/b.wire") == "no kind")
        #expect(known.failureReason(for: "a/c.wire") == nil)
        #expect(known.entry(for: "a/d.wire") == nil)
        for text in ["a/b.wire outptu: x", "a/b.wire", "a/b.wire output:"] {
            #expect(throws: UsageError.self) { try KnownDifferences(text) }
        }
    }
}
