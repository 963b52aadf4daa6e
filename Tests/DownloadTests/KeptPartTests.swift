import Download
import Glibc
import HTTPClient
import HTTPMessage
import Replay
import TestSupport
import Testing

@Suite("What a download that cannot go on leaves as it was")
struct KeptPartTests {
    /// A rig whose first answer is cut, whose second is `answer`, and which has the resource from then on.
    private func rig(_ answer: [Script.Step]) throws -> Rig {
        try Rig { request in
            switch request.connection {
            case 0: Resource().cut(request, behind: 100_000)
            case 1: answer + [.close]
            default: Resource().answer(request)
            }
        }
    }

    private func begin(_ rig: Rig) async throws {
        #expect(try await rig.failure(to: .path("f")) { $0.resumption = .automatic } != nil)
    }

    @Test(
        "statuses that are no content change nothing",
        arguments: [
            ("204 No Content", TransferError.Code.badResume), ("304 Not Modified", .badResume),
            ("300 Multiple Choices", .badResume), ("302 Found", .badResume),
            ("401 Unauthorized", .httpFailure),
            ("404 Not Found", .httpFailure), ("412 Precondition Failed", .httpFailure),
            ("500 Internal Server Error", .httpFailure), ("503 Service Unavailable", .httpFailure),
            ("299 Fine", .badResume),
        ], [true, false])
    func status(_ expected: (String, TransferError.Code), savesErrors: Bool) async throws {
        let (status, code) = expected
        let rig = try rig(answer(status, ["ETag: \"v1\""], status.hasPrefix("204") ? "" : "no"))
        try await begin(rig)
        let record = rig.folder.octets(of: ".f.rawget")
        let failure = try await rig.failure(to: .path("f")) {
            $0.resumption = .automatic
            $0.savesErrorAnswers = savesErrors
        }
        #expect(failure?.code == code, "\(String(describing: failure))")
        #expect(rig.folder.names == [".f.rawget", "f.part"])
        #expect(rig.folder.octets(of: ".f.rawget") == record)
        #expect(rig.folder.octets(of: "f.part") == Array(Resource.someContent.prefix(100_000)))
        let result = try await rig.download(to: .path("f")) { $0.resumption = .automatic }.get()
        #expect(result.resumedAt == 100_000)
        #expect(rig.folder.octets(of: "f") == Resource.someContent)
        #expect(rig.folder.names == ["f"])
    }

    @Test("a rest that makes the whole too large is refused")
    func tooLarge() async throws {
        let rig = try rig(
            [.send("HTTP/1.1 206 Partial Content\r\nETag: \"v1\"\r\nContent-Length: 200000\r\n")]
                + [.send("Content-Range: bytes 100000-299999/300000\r\n\r\n")])
        try await begin(rig)
        let failure = try await rig.failure(to: .path("f")) {
            $0.resumption = .automatic
            $0.options.maximumContentLength = 250_000
        }
        #expect(failure?.code == .tooLarge)
        #expect(rig.folder.octets(of: "f.part")?.count == 100_000)
    }

    @Test("a rest of unknown length is not let grow past what the whole may have")
    func tooLargeUntold() async throws {
        let rig = try Rig { request in
            guard request.connection > 0 else {
                return [
                    .send("HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nTransfer-Encoding: chunked\r\n\r\n30D40\r\n"),
                    .send(Array(large.prefix(100_000))), .close,
                ]
            }
            return Resource(tellsLength: false).answer(request)
        }
        try await begin(rig)
        let failure = try await rig.failure(to: .path("f")) {
            $0.resumption = .automatic
            $0.options.maximumContentLength = 250_000
        }
        #expect(failure?.code == .tooLarge)
        #expect(rig.folder.status(of: "f") == nil)
    }

    @Test("what the condition of time does not want leaves the part")
    func unwanted() async throws {
        let rig = try rig(answer("200 OK", ["Last-Modified: Mon, 01 Jun 2015 03:58:27 GMT"], "old"))
        try await begin(rig)
        let failure = try await rig.failure(to: .path("f")) {
            $0.resumption = .automatic
            $0.timeCondition = .newer(than: HTTPDate(secondsSinceEpoch: 1_500_000_000))
        }
        #expect(failure?.code == .conditionNotMet)
        #expect(rig.folder.octets(of: "f.part")?.count == 100_000)
        #expect(rig.folder.names == [".f.rawget", "f.part"])
    }

    @Test("more octets than the range has are taken back")
    func excess() async throws {
        let rig = try rig([
            .send("HTTP/1.1 206 Partial Content\r\nETag: \"v1\"\r\nTransfer-Encoding: chunked\r\n"),
            .send("Content-Range: bytes 100000-299999/300000\r\n\r\n493E0\r\n"),
            .send(Resource.someContent), .send("\r\n0\r\n\r\n"),
        ])
        try await begin(rig)
        let failure = try await rig.failure(to: .path("f")) { $0.resumption = .automatic }
        #expect(failure?.code == .rangeNotServed)
        #expect(rig.folder.octets(of: "f.part") == Array(Resource.someContent.prefix(100_000)))
    }

    @Test("a length that is not the range's is refused")
    func otherCount() async throws {
        let rig = try rig([
            .send("HTTP/1.1 206 Partial Content\r\nETag: \"v1\"\r\nContent-Length: 100000\r\n"),
            .send("Content-Range: bytes 100000-299999/300000\r\n\r\n"), .send(Array(large.prefix(100_000))),
        ])
        try await begin(rig)
        let failure = try await rig.failure(to: .path("f")) { $0.resumption = .automatic }
        #expect(failure?.code == .rangeNotServed)
        #expect(rig.folder.octets(of: "f.part") == Array(Resource.someContent.prefix(100_000)))
    }

    @Test("without resumption no record is kept, and none is looked at")
    func off() async throws {
        let rig = try rig([.send("HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nContent-Length: 5\r\n\r\nab")])
        _ = try await rig.failure(to: .path("f"))
        #expect(rig.folder.names == ["f.part"])
        _ = try await rig.failure(to: .path("f"))
        #expect(rig.folder.names == ["f.1.part", "f.part"])
        #expect(try await rig.path(to: .path("f")) == "f")
        #expect(rig.ranges == [nil, nil, nil])
        #expect(rig.folder.names == ["f", "f.1.part", "f.part"])
        #expect(rig.folder.octets(of: "f.part") == Array(Resource.someContent.prefix(100_000)))
    }

    @Test("a request that is no plain GET of the whole goes on with nothing")
    func otherRequests() async throws {
        let rig = try rig([.send("HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-1/9\r\n\r\nab")])
        try await begin(rig)
        let changes: [@Sendable (inout DownloadPlan) -> Void] = [
            { $0.request.fields[.range] = "bytes=0-1" }, { $0.request.method = .post },
            { $0.includesHeads = true },
            { $0.options.contentForm = .decoded },
        ]
        for change in changes {
            _ = try await rig.download(to: .path("f")) {
                $0.resumption = .automatic
                change(&$0)
            }
        }
        #expect(rig.ranges == [nil, "bytes=0-1", nil, nil, nil])
        #expect(rig.ifRanges.allSatisfy { $0 == nil })
        #expect(rig.folder.octets(of: "f.part") == Array(Resource.someContent.prefix(100_000)))
    }

    // MARK: Names

    @Test("a name that the server chose is the part's, and is found by the URL alone")
    func suggestedName() async throws {
        let named = Resource(fields: ["ETag: \"v1\"", "Content-Disposition: attachment; filename=d"])
        let rig = try Rig { request in
            request.connection == 0 ? named.cut(request, behind: 100_000) : named.answer(request)
        }
        _ = try await rig.failure(to: .suggestedName) { $0.resumption = .automatic }
        #expect(rig.folder.names.count == 2 && rig.folder.names.last == "d.part")
        let record = try #require(rig.folder.names.first)
        #expect(record.hasPrefix(".rawget-") && record.utf8.count == 24)
        let result = try await rig.download(to: .suggestedName) { $0.resumption = .automatic }.get()
        #expect(result.path == "d" && result.resumedAt == 100_000)
        #expect(rig.folder.names == ["d"])
        #expect(rig.folder.octets(of: "d") == named.content)
    }

    @Test("a file that has the server's name by then is not replaced")
    func suggestedNameTaken() async throws {
        let named = Resource(fields: ["ETag: \"v1\"", "Content-Disposition: attachment; filename=d"])
        let rig = try Rig { request in
            request.connection == 0 ? named.cut(request, behind: 100_000) : named.answer(request)
        }
        _ = try await rig.failure(to: .suggestedName) { $0.resumption = .automatic }
        rig.folder.write("mine", to: "d")
        #expect(
            try await rig.download(to: .suggestedName) { $0.resumption = .automatic }.get().path == "d.1")
        #expect(rig.folder.text(of: "d") == "mine")
        #expect(rig.folder.octets(of: "d.1") == named.content)
        #expect(rig.folder.names == ["d", "d.1"])
    }

    @Test("another query is another download")
    func otherQuery() async throws {
        let rig = try Rig { request in
            request.target == "/f?1" ? Resource().cut(request, behind: 100_000) : Resource().answer(request)
        }
        _ = try await rig.failure("/f?1", to: .suggestedName) { $0.resumption = .automatic }
        let result = try await rig.download("/f?2", to: .suggestedName) { $0.resumption = .automatic }.get()
        #expect(result.path == "f" && result.resumedAt == nil)
        #expect(rig.ranges == [nil, nil])
        #expect(rig.folder.octets(of: "f.part")?.count == 100_000)
    }

    @Test("two downloads of one URL in one run share neither part nor name")
    func twice() async throws {
        let rig = try Rig { request in
            request.connection == 0 ? Resource().cut(request, behind: 100_000) : Resource().answer(request)
        }
        _ = try await rig.failure(to: .suggestedName) { $0.resumption = .automatic }
        let names = TakenNames()
        nonisolated(unsafe) let shared = names  // Safety: both downloads touch it on the network loop only
        async let one = rig.download(to: .suggestedName) {
            $0.resumption = .automatic
            $0.takenNames = shared
        }
        async let other = rig.download(to: .suggestedName) {
            $0.resumption = .automatic
            $0.takenNames = shared
        }
        let results = [try await one.get(), try await other.get()]
        #expect(Set(results.map(\.path)) == ["file.bin", "file.bin.1"])
        #expect(results.compactMap(\.resumedAt) == [100_000])
        #expect(rig.folder.octets(of: "file.bin") == Resource.someContent)
        #expect(rig.folder.octets(of: "file.bin.1") == Resource.someContent)
        #expect(rig.folder.names == ["file.bin", "file.bin.1"])
    }
}
