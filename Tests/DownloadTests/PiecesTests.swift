import Download
import HTTPClient
import Replay
import TestSupport
import Testing

@Suite("A representation asked for in pieces (D7; RFC 9110, section 15.3.7.3)")
struct PiecesTests {
    private func get(
        _ rig: Rig, to destination: Destination = .path("f"), size: UInt64 = 100_000,
        adjust: @Sendable (inout DownloadPlan) -> Void = { _ in }
    ) async throws -> Rig.Outcome {
        try await rig.download(to: destination) {
            $0.resumption = .automatic
            $0.pieceSize = size
            adjust(&$0)
        }
    }

    @Test(
        "each is asked for by both ends, the later ones of the first one's version",
        arguments: [
            (300_000, ["bytes=0-99999", "bytes=100000-199999", "bytes=200000-299999"]),
            (250_000, ["bytes=0-99999", "bytes=100000-199999", "bytes=200000-249999"]),
            (100_001, ["bytes=0-99999", "bytes=100000-100000"]),
            (100_000, ["bytes=0-99999"]), (1, ["bytes=0-99999"]),
        ])
    func ranges(count: Int, ranges: [String]) async throws {
        let resource = Resource(content: Array(large.prefix(count)))
        let rig = try Rig { resource.answer($0) }
        let result = try await get(rig).get()
        #expect(rig.ranges == ranges)
        #expect(rig.ifRanges == [nil] + ranges.dropFirst().map { _ in "\"v1\"" })
        #expect(rig.folder.octets(of: "f") == resource.content)
        #expect(rig.folder.names == ["f"])
        #expect(result.resumedAt == nil && result.report.contentOctets == UInt64(count))
        #expect(rig.server.connectionCount == 1)
    }

    @Test("without resumption, too")
    func notResuming() async throws {
        let rig = try Rig { Resource().answer($0) }
        _ = try await get(rig) { $0.resumption = .none }.get()
        #expect(rig.ranges == ["bytes=0-99999", "bytes=100000-199999", "bytes=200000-299999"])
        #expect(rig.folder.octets(of: "f") == Resource.someContent)
    }

    @Test("a descriptor gets them one behind the other")
    func descriptor() async throws {
        let rig = try Rig { Resource().answer($0) }
        let file = NamelessFile()
        _ = try await get(rig, to: .descriptor(file.descriptor)).get()
        #expect(rig.ranges == ["bytes=0-99999", "bytes=100000-199999", "bytes=200000-299999"])
        #expect(file.octets == Resource.someContent)
    }

    @Test(
        "where nobody knows how much there is, it goes on until there is no more",
        arguments: [
            (
                250_000,
                ["bytes=0-99999", "bytes=100000-199999", "bytes=200000-299999", "bytes=250000-349999"]
            ),
            (200_000, ["bytes=0-99999", "bytes=100000-199999", "bytes=200000-299999"]),
        ])
    func lengthUntold(count: Int, ranges: [String]) async throws {
        let resource = Resource(content: Array(large.prefix(count)), tellsLength: false)
        let rig = try Rig { resource.answer($0) }
        _ = try await get(rig).get()
        #expect(rig.ranges == ranges)
        #expect(rig.folder.octets(of: "f") == resource.content)
        #expect(rig.folder.names == ["f"])
    }

    @Test("pieces shorter than asked for are gone on from")
    func shortPieces() async throws {
        let resource = Resource(most: 80_000)
        let rig = try Rig { resource.answer($0) }
        _ = try await get(rig).get()
        #expect(
            rig.ranges == [
                "bytes=0-99999", "bytes=80000-179999", "bytes=160000-259999", "bytes=240000-299999",
            ])
        #expect(rig.folder.octets(of: "f") == resource.content)
    }

    @Test("a change between two pieces begins all anew", arguments: [true, false])
    func changed(heedsIfRange: Bool) async throws {
        let new = Resource(
            content: Array(large.suffix(300_000)), fields: ["ETag: \"v2\""], heedsIfRange: heedsIfRange)
        let rig = try Rig { request in
            // The server knows the new version from the third request on.
            request.value(of: "Range") == "bytes=200000-299999" || request.value(of: "Range") == nil
                ? new.answer(request) : Resource().answer(request)
        }
        _ = try await get(rig).get()
        #expect(rig.ranges.count == (heedsIfRange ? 3 : 4))
        #expect(rig.folder.octets(of: "f") == new.content)
        #expect(rig.folder.names == ["f"])
    }

    @Test(
        "pieces that no validator holds together are not put together", arguments: [[], ["ETag: W/\"v1\""]])
    func noValidator(fields: [String]) async throws {
        let rig = try Rig { Resource(fields: fields).answer($0) }
        _ = try await get(rig).get()
        #expect(rig.ranges == ["bytes=0-99999", nil])
        #expect(rig.ifRanges == [nil, nil])
        #expect(rig.folder.octets(of: "f") == Resource.someContent)
        #expect(rig.folder.names == ["f"])
    }

    @Test("one piece that is all there is needs no validator")
    func onePiece() async throws {
        let resource = Resource(content: [1, 2, 3], fields: [])
        let rig = try Rig { resource.answer($0) }
        _ = try await get(rig).get()
        #expect(rig.ranges == ["bytes=0-99999"])
        #expect(rig.folder.octets(of: "f") == [1, 2, 3])
    }

    @Test("a server that serves no ranges sends the whole at once")
    func whole() async throws {
        let rig = try Rig { Resource(hasRanges: false).answer($0) }
        _ = try await get(rig).get()
        #expect(rig.ranges == ["bytes=0-99999"])
        #expect(rig.folder.octets(of: "f") == Resource.someContent)
    }

    @Test("of an empty representation no piece can be asked for; the file is empty")
    func empty() async throws {
        let rig = try Rig { Resource(content: []).answer($0) }
        #expect(try await get(rig).get().path == "f")
        #expect(rig.ranges == ["bytes=0-99999", nil])
        #expect(rig.folder.octets(of: "f") == [])
        #expect(rig.folder.names == ["f"])
    }

    @Test("an error is one as of any request")
    func failure() async throws {
        let rig = try Rig { _ in answer("404 Not Found", [], "no") }
        let outcome = try await get(rig) { $0.savesErrorAnswers = false }
        #expect(throws: Never.self) { try outcome.get() }
        #expect(rig.folder.names.isEmpty)
    }

    @Test("what was cut in a piece is gone on with in pieces, an overlap first")
    func goesOn() async throws {
        let resource = Resource()
        let rig = try Rig { request in
            request.connection == 0 && request.range(of: 300_000)?.lowerBound == 100_000
                ? resource.cut(request, behind: 50_000) : resource.answer(request)
        }
        guard case .failure(let failure) = try await get(rig) else {
            Issue.record("it did not fail")
            return
        }
        #expect(failure.part == "f.part" && failure.continuation == .goesOn)
        #expect(rig.folder.octets(of: "f.part")?.count == 150_000)
        #expect(try await get(rig) { $0.resumeOverlap = 1000 }.get().resumedAt == 150_000)
        #expect(
            rig.ranges == [
                "bytes=0-99999", "bytes=100000-199999", "bytes=149000-249999", "bytes=250000-299999",
            ])
        #expect(rig.folder.octets(of: "f") == resource.content)
        #expect(rig.folder.names == ["f"])
    }
}
