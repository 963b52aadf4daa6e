import Download
import HTTPClient
import HTTPMessage
import Replay
import TestSupport
import Testing

@Suite("Going on with what an earlier download left (RFC 9110, sections 13.1.5 and 15.3.7.3)")
struct ResumingTests {
    private static let date = "Mon, 01 Jun 2015 03:58:27 GMT"

    /// A rig whose first answer is cut behind `count` octets; `others` answers what is asked later.
    private func rig(
        _ first: Resource = Resource(), cutBehind count: Int = 100_000,
        then others: @escaping @Sendable (RecordedRequest) -> [Script.Step]
    ) throws -> Rig {
        try Rig { $0.connection == 0 ? first.cut($0, behind: count) : others($0) }
    }

    private func rig(_ first: Resource = Resource(), then second: Resource) throws -> Rig {
        try rig(first) { second.answer($0) }
    }

    /// The download that is cut. Returns its failure.
    @discardableResult
    private func begin(
        _ rig: Rig, to destination: Destination = .path("f"),
        adjust: @Sendable (inout DownloadPlan) -> Void = { _ in }
    ) async throws -> TransferError {
        let failure = try await rig.failure(to: destination) {
            $0.resumption = .automatic
            adjust(&$0)
        }
        return try #require(failure)
    }

    private func goOn(
        _ rig: Rig, to destination: Destination = .path("f"),
        adjust: @Sendable (inout DownloadPlan) -> Void = { _ in }
    ) async throws -> Rig.Outcome {
        try await rig.download(to: destination) {
            $0.resumption = .automatic
            adjust(&$0)
        }
    }

    // MARK: The same version

    @Test(
        "a later download asks for the rest alone, and the file is whole",
        arguments: [
            (["ETag: \"v1\""], "\"v1\""), (["ETag: \"\""], "\"\""),
            (["Last-Modified: \(date)", "Date: Tue, 02 Jun 2015 03:58:27 GMT"], date),
            (["ETag: \"v1\"", "Last-Modified: \(date)", "Date: Tue, 02 Jun 2015 03:58:27 GMT"], "\"v1\""),
            (["ETag: \"v1\"", "Accept-Ranges: bytes"], "\"v1\""),
        ])
    func sameVersion(fields: [String], validator: String) async throws {
        let resource = Resource(fields: fields)
        let rig = try rig(resource, then: resource)
        let failure = try await begin(rig)
        #expect(failure.code == .incompleteContent && failure.part == "f.part")
        #expect(failure.continuation == .goesOn)
        #expect(rig.folder.names == [".f.rawget", "f.part"])
        #expect(rig.folder.octets(of: "f.part") == Array(resource.content.prefix(100_000)))
        let result = try await goOn(rig).get()
        #expect(rig.folder.octets(of: "f") == resource.content)
        #expect(rig.folder.names == ["f"])
        #expect(rig.ranges == [nil, "bytes=100000-"])
        #expect(rig.ifRanges == [nil, validator])
        #expect(result.resumedAt == 100_000)
    }

    @Test(
        "what no strong validator names is loaded anew",
        arguments: [
            [], ["ETag: W/\"v1\""], ["ETag: v1"], ["ETag: \"a b\""], ["Last-Modified: \(date)"],
            // A second before the Date it would be strong.
            ["Last-Modified: \(date)", "Date: \(date)"],
            // A weak tag is not made up for by a date.
            ["ETag: W/\"v1\"", "Last-Modified: \(date)", "Date: Tue, 02 Jun 2015 03:58:27 GMT"],
            ["ETag: \"v1\"", "Accept-Ranges: none"],
        ])
    func noValidator(fields: [String]) async throws {
        let resource = Resource(fields: fields)
        let rig = try rig(resource, then: resource)
        let failure = try await begin(rig)
        if case .beginsAnew = failure.continuation {} else { Issue.record("\(failure.continuation as Any)") }
        let result = try await goOn(rig).get()
        #expect(rig.ranges == [nil, nil] && rig.ifRanges == [nil, nil])
        #expect(result.resumedAt == nil)
        #expect(rig.folder.octets(of: "f") == resource.content)
        #expect(rig.folder.names == ["f"])
    }

    @Test(
        "little content, kept in memory until it is whole, is gone on with, too",
        arguments: [1, 1000, 65_536])
    func small(_ count: Int) async throws {
        let resource = Resource()
        let rig = try rig(resource, cutBehind: count) { resource.answer($0) }
        try await begin(rig)
        #expect(rig.folder.octets(of: "f.part")?.count == count)
        #expect(try await goOn(rig).get().resumedAt == UInt64(count))
        #expect(rig.ranges == [nil, "bytes=\(count)-"])
        #expect(rig.folder.octets(of: "f") == resource.content)
        #expect(rig.folder.names == ["f"])
    }

    @Test("a download that is cut again and again goes on each time")
    func cutAgain() async throws {
        let resource = Resource()
        let rig = try Rig { resource.cut($0, behind: 70_000) }
        for _ in 0..<4 { try await begin(rig) }
        #expect(try await goOn(rig).get().resumedAt == 280_000)
        #expect(rig.ranges == [nil, "bytes=70000-", "bytes=140000-", "bytes=210000-", "bytes=280000-"])
        #expect(rig.folder.octets(of: "f") == resource.content)
        #expect(rig.folder.names == ["f"])
    }

    @Test("a rest shorter than was asked for is followed by requests for what it lacks")
    func shortRest() async throws {
        let resource = Resource(most: 90_000)
        let rig = try rig(resource, then: resource)
        try await begin(rig)
        #expect(try await goOn(rig).get().resumedAt == 100_000)
        #expect(rig.ranges == [nil, "bytes=100000-", "bytes=190000-", "bytes=280000-"])
        #expect(rig.ifRanges == [nil, "\"v1\"", "\"v1\"", "\"v1\""])
        #expect(rig.folder.octets(of: "f") == resource.content)
        #expect(rig.server.connectionCount == 2)
    }

    @Test("the octets of all its requests are told")
    func told() async throws {
        let resource = Resource(most: 90_000)
        let rig = try rig(resource, then: resource)
        try await begin(rig)
        #expect(try await goOn(rig).get().report.contentOctets == 200_000)
    }

    @Test("where all was there but the end, nothing is asked for twice", arguments: [0, 100_000])
    func nothingLeft(_ much: Int) async throws {
        let resource = Resource()
        let rig = try Rig { request in
            guard request.connection == 0 else {
                // However much the server has to say about it.
                return [
                    .send("HTTP/1.1 416 Range Not Satisfiable\r\nContent-Range: bytes */300000\r\n"),
                    .send("Content-Length: \(much)\r\n\r\n"), .sendRepeated([0x20], times: much),
                ]
            }
            return [
                .send("HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nTransfer-Encoding: chunked\r\n\r\n493E0\r\n"),
                .send(resource.content), .close,
            ]
        }
        try await begin(rig)
        #expect(try await goOn(rig) { $0.options.totalTimeout = .seconds(10) }.get().path == "f")
        #expect(rig.ranges == [nil, "bytes=300000-"])
        #expect(rig.folder.octets(of: "f") == resource.content)
        #expect(rig.folder.names == ["f"])
    }

    // MARK: Another version

    @Test("another version replaces what is there, whole")
    func changed() async throws {
        let new = Resource(content: Array(large.suffix(200_000)), fields: ["ETag: \"v2\""])
        let rig = try rig(then: new)
        try await begin(rig)
        #expect(try await goOn(rig).get().path == "f")
        #expect(rig.ranges == [nil, "bytes=100000-"])
        #expect(rig.folder.octets(of: "f") == new.content)
        #expect(rig.folder.names == ["f"])
    }

    @Test("another version that is cut is what the next download goes on with")
    func changedAndCut() async throws {
        let new = Resource(content: Array(large.suffix(200_000)), fields: ["ETag: \"v2\""])
        let rig = try rig { $0.connection == 1 ? new.cut($0, behind: 80_000) : new.answer($0) }
        try await begin(rig)
        try await begin(rig)
        #expect(rig.folder.octets(of: "f.part") == Array(new.content.prefix(80_000)))
        _ = try await goOn(rig).get()
        #expect(rig.ranges == [nil, "bytes=100000-", "bytes=80000-"])
        #expect(rig.ifRanges == [nil, "\"v1\"", "\"v2\""])
        #expect(rig.folder.octets(of: "f") == new.content)
    }

    @Test("a server that ignores ranges is taken at its whole")
    func rangesIgnored() async throws {
        let rig = try rig(then: Resource(hasRanges: false))
        try await begin(rig)
        _ = try await goOn(rig).get()
        #expect(rig.ranges == [nil, "bytes=100000-"])
        #expect(rig.folder.octets(of: "f") == Resource.someContent)
    }

    @Test(
        "the rest of another version is not put behind what is there: the whole is asked for",
        arguments: [["ETag: \"v2\""], ["ETag: W/\"v1\""], [], ["ETag: \"v1\"", "Content-Encoding: gzip"]])
    func ifRangeIgnored(fields: [String]) async throws {
        let new = Resource(
            content: Array(large.suffix(300_000)), fields: fields, heedsIfRange: false)
        let rig = try rig(then: new)
        try await begin(rig)
        #expect(try await goOn(rig).get().path == "f")
        #expect(rig.ranges == [nil, "bytes=100000-", nil])
        #expect(rig.ifRanges == [nil, "\"v1\"", nil])
        #expect(rig.folder.octets(of: "f") == new.content)
        #expect(rig.folder.names == ["f"])
    }

    @Test("a shorter version has no such range; the whole of it is asked for")
    func shorter() async throws {
        let new = Resource(content: [1, 2, 3], fields: ["ETag: \"v2\""], heedsIfRange: false)
        let rig = try rig(then: new)
        try await begin(rig)
        _ = try await goOn(rig).get()
        #expect(rig.ranges == [nil, "bytes=100000-", nil])
        #expect(rig.folder.octets(of: "f") == [1, 2, 3])
    }

    @Test("the same tag of another resource says nothing of what is there")
    func otherResource() async throws {
        let resource = Resource()
        let new = Resource(content: Array(large.suffix(300_000)))
        let rig = try Rig { request in
            if request.target == "/file.bin" {
                let place = request.connection == 0 ? "/here" : "/there"
                return answer("302 Found", ["Location: \(place)"], "")
            }
            return request.connection == 0
                ? resource.cut(request, behind: 100_000) : new.answer(request)
        }
        try await begin(rig)
        _ = try await goOn(rig).get()
        #expect(rig.folder.octets(of: "f") == new.content)
        #expect(rig.ranges == [nil, nil, "bytes=100000-", "bytes=100000-", nil, nil])
    }

    @Test("a redirect to the same resource, asked otherwise, leads on")
    func sameResource() async throws {
        let resource = Resource()
        let rig = try Rig { request in
            if request.target == "/file.bin" {
                return answer("302 Found", ["Location: /here?token=\(request.connection)"], "")
            }
            return request.connection == 0 ? resource.cut(request, behind: 100_000) : resource.answer(request)
        }
        try await begin(rig)
        #expect(try await goOn(rig).get().resumedAt == 100_000)
        #expect(rig.ranges == [nil, nil, "bytes=100000-", "bytes=100000-"])
        #expect(rig.folder.octets(of: "f") == resource.content)
    }

    // MARK: An overlap

    @Test("the last octets are asked for once more and are the same", arguments: [1, 5000, 100_000, 500_000])
    func overlap(_ count: UInt64) async throws {
        let rig = try rig(then: Resource())
        try await begin(rig)
        #expect(try await goOn(rig) { $0.resumeOverlap = count }.get().resumedAt == 100_000)
        #expect(rig.ranges == [nil, "bytes=\(100_000 - min(count, 100_000))-"])
        #expect(rig.folder.octets(of: "f") == Resource.someContent)
        #expect(rig.folder.names == ["f"])
    }

    @Test(
        "where they are not the same, the whole is asked for, though the tag is", arguments: [95_000, 99_999])
    func overlapDiffers(_ place: Int) async throws {
        var new = Resource()
        new.content[place] ^= 1
        let rig = try rig(then: new)
        try await begin(rig)
        _ = try await goOn(rig) { $0.resumeOverlap = 5000 }.get()
        #expect(rig.ranges == [nil, "bytes=95000-", nil])
        #expect(rig.folder.octets(of: "f") == new.content)
        #expect(rig.folder.names == ["f"])
    }
}
