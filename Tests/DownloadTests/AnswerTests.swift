import Download
import Glibc
import HTTPClient
import HTTPMessage
import Replay
import TestSupport
import Testing

@Suite("Answers that are not the whole (RFC 9110, sections 14.4, 15.3.7 and 15.4.5)")
struct AnswerTests {
    private func rig(_ head: String, _ content: String) throws -> Rig {
        let rig = try Rig([
            .send("HTTP/1.1 \(head)\r\nContent-Length: \(content.utf8.count)\r\n\r\n\(content)"), .close,
        ])
        rig.folder.write("WHOLE", to: "f")
        return rig
    }

    @Test("a part that nobody asked for replaces nothing")
    func unaskedPart() async throws {
        let rig = try rig("206 Partial Content\r\nContent-Range: bytes 5-7/10", "abc")
        let failure = try await rig.failure(to: .path("f"))
        #expect(failure?.code == .badResponse && failure?.detail.contains("bytes 5-7/10") == true)
        #expect(rig.folder.text(of: "f") == "WHOLE")
    }

    @Test(
        "another part than was asked for replaces nothing",
        arguments: [
            ("bytes=0-2", "bytes 5-7/10", "abc"), ("bytes=0-2", "bytes 0-9/10", "abc"),
            ("bytes=0-2", "", "abc"),
            ("bytes=0-2", "bytes */10", "abc"), ("bytes=0-2", "bytes 0-2/10", "ab"),
            ("bytes=7-", "bytes 7-8/10", "ab"),
            ("bytes=-2", "bytes 5-6/10", "ab"), ("bytes=-2", "bytes 7-9/10", "abc"),
            ("bytes=-2", "bytes 9-9/10", "a"), ("bytes=-2", "bytes 7-9/*", "abc"),
            ("bytes=0-1,4-5", "bytes 7-8/10", "ab"), ("bytes=0-1,4-5", "", "ab"),
            ("bytes=0-1,4-5", "bytes 0-2/10", "abc"), ("bytes=0-1,4-5", "bytes 3-5/10", "abc"),
            ("bytes=0-1,-2", "bytes 0-8/10", "abcdefghi"), ("bytes=0-1,-2", "bytes 7-9/*", "abc"),
        ])
    func otherPart(_ asked: String, _ told: String, _ content: String) async throws {
        let line = told.isEmpty ? "" : "\r\nContent-Range: \(told)"
        let rig = try rig("206 Partial Content\(line)", content)
        let failure = try await rig.failure(to: .path("f")) { $0.request.fields[.range] = asked }
        #expect(failure?.code == .rangeNotServed, "\(String(describing: failure))")
        #expect(rig.folder.text(of: "f") == "WHOLE")
    }

    @Test(
        "the part that was asked for is saved",
        arguments: [
            ("bytes=0-2", "bytes 0-2/10", "abc"), ("bytes=7-", "bytes 7-9/10", "abc"),
            ("bytes=-3", "bytes 7-9/10", "abc"),
            ("bytes=8-20", "bytes 8-9/10", "ab"), ("bytes=7-", "bytes 7-9/*", "abc"),
            ("bytes=-30", "bytes 0-2/3", "abc"), ("bytes=-3", "bytes 7-9/*", "abc"),
            ("bytes=0-1,4-5", "bytes 4-5/10", "ab"), ("bytes=4-5,0-1", "bytes 0-5/10", "abcdef"),
            ("bytes=0-1,7-", "bytes 7-9/10", "abc"), ("bytes=0-1,-2", "bytes 8-9/10", "ab"),
            ("bytes=0-1,4-20", "bytes 0-9/10", "abcdefghij"),
        ])
    func part(_ asked: String, _ told: String, _ content: String) async throws {
        let rig = try rig("206 Partial Content\r\nContent-Range: \(told)", content)
        #expect(try await rig.path(to: .path("f")) { $0.request.fields[.range] = asked } == "f")
        #expect(rig.folder.text(of: "f") == content)
    }

    @Test(
        "a part is as long as it is told, also in the middle of large content",
        arguments: [(-1, TransferError.Code.incompleteContent), (0, nil), (1, .rangeNotServed)])
    func largePart(excess: Int, code: TransferError.Code?) async throws {
        let count = 3 * DownloadWriter.smallContent
        let content = String(repeating: "x", count: count + excess)
        let rig = try Rig([
            .send("HTTP/1.1 206 X\r\nContent-Range: bytes 0-\(count - 1)/1000000\r\n\r\n"),
            .pause(.milliseconds(5)), .send(content), .close,
        ])
        let adjust: @Sendable (inout DownloadPlan) -> Void = { plan in
            plan.request.fields[.range] = "bytes=0-\(count - 1)"
        }
        guard let code else {
            #expect(try await rig.path(to: .path("f"), adjust: adjust) == "f")
            #expect(rig.folder.text(of: "f") == content)
            return
        }
        let failure = try await rig.failure(to: .path("f"), adjust: adjust)
        #expect(failure?.code == code, "\(String(describing: failure))")
        // What is short can be gone on with; of what is too long nobody knows what it is.
        #expect(rig.folder.text(of: "f.part") == (excess < 0 ? content : nil))
    }

    @Test("an answer that says not modified leaves the file as it is")
    func notModified() async throws {
        let rig = try Rig([.send("HTTP/1.1 304 Not Modified\r\nETag: \"x\"\r\n\r\n")])
        rig.folder.write("WHOLE", to: "f")
        #expect(try await rig.path(to: .path("f")) { $0.request.fields[.ifNoneMatch] = "\"x\"" } == nil)
        #expect(rig.folder.text(of: "f") == "WHOLE" && rig.folder.names == ["f"])
    }

    @Test("an unwanted answer is one at once where nothing of it is shown, and soon where it stalls")
    func unwanted() async throws {
        for readsExcerpt in [false, true] {
            let rig = try Rig([
                .send("HTTP/1.1 404 Not Found\r\nContent-Length: 100\r\n\r\nabc"), .stall,
            ])
            let clock = ContinuousClock()
            let start = clock.now
            let failure = try await rig.failure(to: .path("f")) {
                $0.savesErrorAnswers = false
                $0.readsExcerpt = readsExcerpt
            }
            #expect(failure?.code == .httpFailure && failure?.detail == "the server answered 404 Not Found")
            #expect(clock.now - start < (readsExcerpt ? .seconds(10) : .seconds(1)))
            #expect(rig.folder.names.isEmpty)
        }
    }

    @Test("an unwanted answer that is cut is an unwanted answer")
    func unwantedCut() async throws {
        let rig = try Rig([
            .send("HTTP/1.1 500 Oops\r\nContent-Length: 100\r\n\r\nabc"), .close,
        ])
        let failure = try await rig.failure(to: .path("f")) { $0.savesErrorAnswers = false }
        #expect(failure?.code == .httpFailure)
    }
}

@Suite("A reader that does not read")
struct FullPipeTests {
    private let large: [Script.Step] = [
        .send("HTTP/1.1 200 OK\r\nContent-Length: 4000000\r\n\r\n"),
        .sendGenerated(seed: 7, count: 4_000_000),
    ]

    @Test("holds up the transfer, not the loop, and gets everything in the end")
    func late() async throws {
        let rig = try Rig(large)
        let pipe = Pipe()
        async let download = rig.download(to: .descriptor(pipe.input))
        let reader = PipeReader(pipe.output, count: 4_000_000, after: .milliseconds(200))
        #expect(try await download.get().path == nil)
        #expect(GeneratedContent(seed: 7).matches(reader.octets()))
    }

    @Test("gets a head once, though the answer ended while the pipe was full")
    func lateHead() async throws {
        let value = String(repeating: "x", count: 1000)
        let head =
            "HTTP/1.1 200 OK\r\n" + (0..<150).map { "A\($0): \(value)\r\n" }.joined()
            + "Content-Length: 0\r\n\r\n"
        let rig = try Rig([.send(head)])
        let pipe = Pipe()
        async let download = rig.download(to: .descriptor(pipe.input)) { $0.includesHeads = true }
        let reader = PipeReader(pipe.output, count: head.utf8.count, after: .milliseconds(200))
        #expect(try await download.get().path == nil)
        #expect(String(decoding: reader.octets(), as: UTF8.self) == head)
        // Nothing came twice.
        var rest = pollfd(fd: pipe.output, events: Int16(POLLIN), revents: 0)
        #expect(poll(&rest, 1, 0) == 0)
    }

    @Test("does not keep a limit of time from ending the transfer")
    func never() async throws {
        let rig = try Rig(large)
        let pipe = Pipe()
        let failure = try await rig.failure(to: .descriptor(pipe.input)) {
            $0.options.totalTimeout = .milliseconds(300)
        }
        #expect(failure?.code == .timedOut)
    }

    @Test("and goes away makes it fail")
    func gone() async throws {
        let rig = try Rig(large)
        let pipe = Pipe()
        async let download = rig.failure(to: .descriptor(pipe.input))
        #expect(rig.server.waitForRequests(1))
        pipe.closeOutput()
        let failure = try await download
        #expect(failure?.code == .writeFailed && failure?.errno == EPIPE)
    }
}
