import Download
import Glibc
import HTTPClient
import Replay
import TestSupport
import Testing

@Suite("Going on with the file of the name itself (RFC 9110, sections 14.2 and 15.5.17)")
struct ResumingInPlaceTests {
    private func get(
        _ rig: Rig, to destination: Destination = .path("f"), _ resumption: Resumption = .fileSize,
        adjust: @Sendable (inout DownloadPlan) -> Void = { _ in }
    ) async throws -> Rig.Outcome {
        try await rig.download(to: destination) {
            $0.resumption = resumption
            $0.savesErrorAnswers = false
            adjust(&$0)
        }
    }

    private func failure(_ outcome: Rig.Outcome) -> TransferError? {
        if case .failure(let error) = outcome { error } else { nil }
    }

    private func rig(_ count: Int = 100_000, _ resource: Resource = Resource()) throws -> Rig {
        let rig = try Rig { resource.answer($0) }
        rig.folder.write(Array(Resource.someContent.prefix(count)), to: "f")
        return rig
    }

    @Test("the file gets the rest behind its end, and stays the same file", arguments: [false, true])
    func appends(asCurl: Bool) async throws {
        let rig = try rig()
        let before = rig.folder.status(of: "f")?.st_ino
        let result = try await get(rig) { $0.resumesAsCurl = asCurl }.get()
        #expect(result.path == "f" && result.resumedAt == 100_000)
        #expect(rig.ranges == ["bytes=100000-"] && rig.ifRanges == [nil])
        #expect(rig.folder.octets(of: "f") == Resource.someContent)
        #expect(rig.folder.status(of: "f")?.st_ino == before)
        #expect(rig.folder.names == ["f"])
    }

    @Test("it needs no validator: the person vouches for it")
    func noValidator() async throws {
        let rig = try rig(100_000, Resource(fields: []))
        _ = try await get(rig).get()
        #expect(rig.folder.octets(of: "f") == Resource.someContent)
    }

    @Test("an offset must be the file's length", arguments: [0, 99_999, 100_000, 100_001])
    func offset(_ offset: UInt64) async throws {
        let rig = try rig()
        let outcome = try await get(rig, .offset(offset))
        switch offset {
        case 0:
            #expect(try outcome.get().resumedAt == nil)
            #expect(rig.ranges == [nil])
        case 100_000:
            #expect(try outcome.get().resumedAt == 100_000)
            #expect(rig.ranges == ["bytes=100000-"])
        default:
            #expect(failure(outcome)?.code == .badResume)
            #expect(rig.ranges.isEmpty)
            #expect(rig.folder.octets(of: "f") == Array(Resource.someContent.prefix(100_000)))
            return
        }
        #expect(rig.folder.octets(of: "f") == Resource.someContent)
        #expect(rig.folder.names == ["f"])
    }

    @Test("where there is no file, an offset leaves out what is before it")
    func offsetWithoutFile() async throws {
        let rig = try Rig { Resource().answer($0) }
        _ = try await get(rig, .offset(250_000)).get()
        #expect(rig.ranges == ["bytes=250000-"])
        #expect(rig.folder.octets(of: "f") == Array(Resource.someContent.suffix(50_000)))
    }

    @Test("a reader gets what is behind an offset, and nothing where the server sends all")
    func offsetForReader() async throws {
        for hasRanges in [true, false] {
            let rig = try Rig { Resource(hasRanges: hasRanges).answer($0) }
            let file = NamelessFile()
            let outcome = try await get(rig, to: .descriptor(file.descriptor), .offset(250_000))
            #expect(rig.ranges == ["bytes=250000-"])
            #expect(file.octets == (hasRanges ? Array(Resource.someContent.suffix(50_000)) : []))
            #expect(failure(outcome)?.code == (hasRanges ? nil : .rangeNotServed))
        }
    }

    @Test("where the server sends all, the file stays until that is whole", arguments: [true, false])
    func whole(isCut: Bool) async throws {
        let resource = Resource(content: Array(large.suffix(300_000)), hasRanges: false)
        let rig = try Rig { isCut ? resource.cut($0, behind: 100_000) : resource.answer($0) }
        rig.folder.write("mine", to: "f")
        let outcome = try await get(rig)
        #expect(rig.ranges == ["bytes=4-"])
        if isCut {
            #expect(failure(outcome)?.code == .incompleteContent)
            #expect(rig.folder.text(of: "f") == "mine")
            #expect(rig.folder.octets(of: "f.part")?.count == 100_000)
        } else {
            #expect(try outcome.get().resumedAt == nil || rig.folder.names == ["f"])
            #expect(rig.folder.octets(of: "f") == resource.content)
            #expect(rig.folder.names == ["f"])
        }
    }

    @Test("with curl's way, a server that sends all is a failure, and the file stays")
    func wholeAsCurl() async throws {
        let rig = try rig(100_000, Resource(hasRanges: false))
        let outcome = try await get(rig) { $0.resumesAsCurl = true }
        #expect(failure(outcome)?.code == .rangeNotServed)
        #expect(rig.folder.octets(of: "f") == Array(Resource.someContent.prefix(100_000)))
        #expect(rig.folder.names == ["f"])
    }

    @Test("a file that has all is left alone", arguments: [false, true])
    func complete(asCurl: Bool) async throws {
        let rig = try rig(300_000)
        let result = try await get(rig) { $0.resumesAsCurl = asCurl }.get()
        #expect(result.path == "f")
        #expect(rig.ranges == ["bytes=300000-"])
        #expect(rig.folder.octets(of: "f") == Resource.someContent)
        #expect(rig.folder.names == ["f"])
    }

    @Test(
        "a file that is longer than all is no part of it, and stays; with curl's way it is all",
        arguments: [false, true])
    func longer(asCurl: Bool) async throws {
        let rig = try Rig { Resource().answer($0) }
        rig.folder.write(Array(large.prefix(400_000)), to: "f")
        let outcome = try await get(rig) { $0.resumesAsCurl = asCurl }
        #expect(failure(outcome)?.code == (asCurl ? nil : .badResume))
        #expect(rig.ranges == ["bytes=400000-"])
        #expect(rig.folder.octets(of: "f")?.count == 400_000)
        #expect(rig.folder.names == ["f"])
    }

    @Test("what was cut stays in the file, and is gone on with next time")
    func cut() async throws {
        let rig = try Rig { request in
            request.connection == 0 ? Resource().cut(request, behind: 50_000) : Resource().answer(request)
        }
        rig.folder.write(Array(Resource.someContent.prefix(100_000)), to: "f")
        let failure = failure(try await get(rig))
        #expect(failure?.part == "f" && failure?.continuation == .goesOnIfAsked)
        #expect(rig.folder.names == ["f"])
        _ = try await get(rig).get()
        #expect(rig.ranges == ["bytes=100000-", "bytes=150000-"])
        #expect(rig.folder.octets(of: "f") == Resource.someContent)
    }

    @Test("another retry in the same run goes on with the version that the first answer told")
    func cutAndRetried() async throws {
        let new = Resource(content: Array(large.suffix(300_000)), fields: ["ETag: \"v2\""])
        let rig = try Rig { request in
            request.connection == 0 ? Resource().cut(request, behind: 50_000) : new.answer(request)
        }
        rig.folder.write(Array(Resource.someContent.prefix(100_000)), to: "f")
        _ = try await get(rig) {
            $0.retries = RetryPolicy(.all, maximumRetries: 1)
            $0.retries.delay = .milliseconds(1)
        }.get()
        #expect(rig.ranges == ["bytes=100000-", "bytes=150000-"] && rig.ifRanges == [nil, "\"v1\""])
        #expect(rig.folder.octets(of: "f") == new.content)
        #expect(rig.folder.names == ["f"])
    }

    @Test("a part with its record goes before the file")
    func partFirst() async throws {
        let rig = try Rig { request in
            request.connection == 0 ? Resource().cut(request, behind: 200_000) : Resource().answer(request)
        }
        _ = try await get(rig, .automatic)
        rig.folder.write("old", to: "f")
        #expect(try await get(rig).get().resumedAt == 200_000)
        #expect(rig.ifRanges == [nil, "\"v1\""])
        #expect(rig.folder.octets(of: "f") == Resource.someContent)
        #expect(rig.folder.names == ["f"])
    }

    @Test("a part that somebody gave its name is known by its record still")
    func renamed() async throws {
        let rig = try Rig { request in
            request.connection == 0 ? Resource().cut(request, behind: 200_000) : Resource().answer(request)
        }
        _ = try await get(rig, .automatic)
        rig.folder.rename("f.part", to: "f")
        #expect(try await get(rig).get().resumedAt == 200_000)
        #expect(rig.ifRanges == [nil, "\"v1\""])
        #expect(rig.folder.octets(of: "f") == Resource.someContent)
        // What the record spoke of is whole now.
        #expect(rig.folder.names == ["f"])
    }

    @Test("a link that the URL names is not gone on with")
    func link() async throws {
        let rig = try rig()
        rig.folder.rename("f", to: "real")
        rig.folder.link("f", to: "real")
        let result = try await rig.download("/f", to: .requestedName) { $0.resumption = .fileSize }.get()
        #expect(result.path == "f.1" && rig.ranges == [nil])
        #expect(rig.folder.octets(of: "real") == Array(Resource.someContent.prefix(100_000)))
        #expect(rig.folder.names == ["f", "f.1", "real"])
    }

    @Test("of a link that a person names the file it leads to is gone on with")
    func linkOfPerson() async throws {
        let rig = try rig()
        rig.folder.rename("f", to: "real")
        rig.folder.link("f", to: "real")
        _ = try await get(rig).get()
        #expect(rig.ranges == ["bytes=100000-"])
        #expect(rig.folder.octets(of: "real") == Resource.someContent)
        #expect(rig.folder.names == ["f", "real"])
    }

    @Test("the last octets are compared where an overlap is asked for")
    func overlap() async throws {
        for isSame in [true, false] {
            let rig = try rig()
            if !isSame { rig.folder.write(Array(large.suffix(100_000)), to: "f") }
            _ = try await get(rig) { $0.resumeOverlap = 10 }.get()
            #expect(rig.ranges == (isSame ? ["bytes=99990-"] : ["bytes=99990-", nil]))
            #expect(rig.folder.octets(of: "f") == Resource.someContent)
            #expect(rig.folder.names == ["f"])
        }
    }

    @Test("an empty file is loaded anew")
    func empty() async throws {
        let rig = try rig(0)
        _ = try await get(rig).get()
        #expect(rig.ranges == [nil])
        #expect(rig.folder.octets(of: "f") == Resource.someContent)
        #expect(rig.folder.names == ["f"])
    }

    @Test("the file gets the server's time where that is wanted")
    func time() async throws {
        let fields = ["ETag: \"v1\"", "Last-Modified: Mon, 01 Jun 2015 03:58:27 GMT"]
        let rig = try rig(100_000, Resource(fields: fields))
        _ = try await get(rig) { $0.setsModified = true }.get()
        #expect(rig.folder.status(of: "f")?.st_mtim.tv_sec == 1_433_131_107)
    }
}
