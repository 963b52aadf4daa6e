import Download
import Glibc
import HTTPClient
import HTTPMessage
import Replay
import TestSupport
import Testing

@Suite("Records and parts that are not what they were")
struct PlacedRecordTests {
    /// Octets in the part that a cut download left.
    private static let kept = 100_000

    /// A rig whose first download, to `f`, was cut.
    private func rig() async throws -> Rig {
        let rig = try Rig { request in
            request.connection == 0
                ? Resource().cut(request, behind: Self.kept) : Resource().answer(request)
        }
        _ = try await rig.failure(to: .path("f")) { $0.resumption = .automatic }
        #expect(rig.folder.names == [".f.rawget", "f.part"])
        return rig
    }

    private func get(_ rig: Rig, _ target: String = "/file.bin") async throws -> Rig.Outcome {
        try await rig.download(target, to: .path("f")) { $0.resumption = .automatic }
    }

    /// The next download begins anew, beside what is there, of which `kept` is left.
    private func expectAnew(_ rig: Rig, left: [String]) async throws {
        let before = rig.folder.octets(of: "f.part")
        let result = try await get(rig).get()
        #expect(result.path == "f" && result.resumedAt == nil)
        #expect(rig.ranges == [nil, nil])
        #expect(rig.folder.octets(of: "f") == Resource.someContent)
        #expect(rig.folder.octets(of: "f.part") == before)
        #expect(rig.folder.names == (left + ["f"]).sorted())
    }

    private func changeRecord(_ rig: Rig, _ word: String, to line: String) {
        let lines = rig.folder.text(of: ".f.rawget")?.split(separator: "\n").map(String.init) ?? []
        let changed = lines.map { $0.hasPrefix("\(word) ") ? line : $0 }
        #expect(changed != lines)
        rig.folder.write(changed.joined(separator: "\n") + "\n", to: ".f.rawget")
    }

    // MARK: The record

    @Test("the record is for its owner's eyes only")
    func permissions() async throws {
        let rig = try await rig()
        #expect(rig.folder.status(of: ".f.rawget")?.st_mode == S_IFREG | 0o600)
        #expect(rig.folder.text(of: ".f.rawget")?.contains("extent 0 \(Self.kept)\n") == true)
    }

    @Test("a record of another user's is not believed, and left", .enabled(if: getuid() == 0))
    func otherOwner() async throws {
        let rig = try await rig()
        #expect(chown(rig.folder.path(of: ".f.rawget"), 1, 1) == 0)
        try await expectAnew(rig, left: [".f.rawget", "f.part"])
    }

    @Test("nor is a part of another user's", .enabled(if: getuid() == 0))
    func otherPartOwner() async throws {
        let rig = try await rig()
        #expect(chown(rig.folder.path(of: "f.part"), 1, 1) == 0)
        try await expectAnew(rig, left: ["f.part"])
    }

    @Test("a link in the record's place leads nowhere, and stays")
    func link() async throws {
        let rig = try await rig()
        rig.folder.rename(".f.rawget", to: "real")
        rig.folder.link(".f.rawget", to: "real")
        try await expectAnew(rig, left: [".f.rawget", "f.part", "real"])
    }

    @Test("so do a folder and a pipe", arguments: [true, false])
    func folder(isFolder: Bool) async throws {
        let rig = try await rig()
        rig.folder.rename(".f.rawget", to: "real")
        if isFolder {
            rig.folder.makeFolder(".f.rawget")
        } else {
            #expect(mkfifoat(rig.folder.descriptor, ".f.rawget", 0o600) == 0)
        }
        try await expectAnew(rig, left: [".f.rawget", "f.part", "real"])
    }

    @Test("what is no record is replaced by one", arguments: ["", "rawget 1\nurl http:", "raw", "\0"])
    func garbage(_ text: String) async throws {
        let rig = try await rig()
        rig.folder.write(text, to: ".f.rawget")
        try await expectAnew(rig, left: ["f.part"])
    }

    @Test(
        "what is none of ours, or a later version's, stays", arguments: ["rawget 2\n", "rawget notes\n", "x"])
    func strange(_ text: String) async throws {
        let rig = try await rig()
        rig.folder.write(text, to: ".f.rawget")
        try await expectAnew(rig, left: [".f.rawget", "f.part"])
        #expect(rig.folder.text(of: ".f.rawget") == text)
    }

    @Test("a record that was written aside when its process was killed is in nobody's way")
    func recordAside() async throws {
        let rig = try Rig { Resource().cut($0, behind: Self.kept) }
        rig.folder.write("rawget 1\nurl ht", to: ".f.rawget.new")
        _ = try await get(rig)
        #expect(rig.folder.names == [".f.rawget", "f.part"])
    }

    @Test("what is none and has that name stays")
    func strangeAside() async throws {
        let rig = try Rig { Resource().cut($0, behind: Self.kept) }
        rig.folder.write("mine", to: ".f.rawget.new")
        _ = try await get(rig)
        #expect(rig.folder.text(of: ".f.rawget.new") == "mine")
        #expect(rig.folder.octets(of: "f.part")?.count == Self.kept)
    }

    // MARK: The part

    @Test("another file in the part's place is not gone on with, and left")
    func otherFile() async throws {
        let rig = try await rig()
        rig.folder.write(rig.folder.octets(of: "f.part") ?? [], to: "copy")
        rig.folder.rename("copy", to: "f.part")
        try await expectAnew(rig, left: ["f.part"])
    }

    @Test("nor is a link to the part")
    func linkedPart() async throws {
        let rig = try await rig()
        rig.folder.rename("f.part", to: "moved")
        rig.folder.link("f.part", to: "moved")
        try await expectAnew(rig, left: ["f.part", "moved"])
        #expect(rig.folder.octets(of: "moved")?.count == Self.kept)
    }

    @Test("a part that is gone leaves nothing to go on with")
    func noPart() async throws {
        let rig = try await rig()
        unlink(rig.folder.path(of: "f.part"))
        try await expectAnew(rig, left: [])
    }

    @Test("a part that was cut shorter than its record says is not gone on with")
    func shorter() async throws {
        let rig = try await rig()
        #expect(truncate(rig.folder.path(of: "f.part"), off_t(Self.kept - 1)) == 0)
        try await expectAnew(rig, left: ["f.part"])
    }

    @Test("a part without a record is nobody's, and left")
    func orphan() async throws {
        let rig = try await rig()
        unlink(rig.folder.path(of: ".f.rawget"))
        try await expectAnew(rig, left: ["f.part"])
    }

    @Test("a part that somebody else writes is in use", arguments: [LOCK_EX, LOCK_SH])
    func inUse(_ lock: Int32) async throws {
        let rig = try await rig()
        let part = open(rig.folder.path(of: "f.part"), O_RDWR | O_CLOEXEC)
        #expect(flock(part, lock | LOCK_NB) == 0)
        guard case .failure(let failure) = try await get(rig) else {
            Issue.record("it did not fail")
            return
        }
        #expect(failure.code == .partInUse && failure.detail.contains("f.part"))
        #expect(rig.ranges == [nil])
        #expect(rig.folder.octets(of: "f.part")?.count == Self.kept)
        close(part)
        #expect(try await get(rig).get().resumedAt == UInt64(Self.kept))
    }

    @Test("a part under way is in use")
    func underWay() async throws {
        let rig = try Rig { Resource().stall($0, behind: Self.kept) }
        async let first = rig.failure(to: .path("f")) {
            $0.resumption = .automatic
            $0.options.totalTimeout = .seconds(1)
        }
        #expect(rig.folder.waitForFile(".f.rawget"))
        guard case .failure(let failure) = try await get(rig) else {
            Issue.record("it did not fail")
            return
        }
        #expect(failure.code == .partInUse)
        #expect(try await first?.code == .timedOut)
        #expect(rig.server.requests.count == 1)
    }

    // MARK: How much of it counts

    @Test(
        "what was written since the record counts, where the machine was not started anew",
        arguments: [0, 50_000])
    func killed(_ extent: Int) async throws {
        let rig = try await rig()
        changeRecord(rig, "extent", to: "extent 0 \(extent)")
        // As a process leaves it that is killed.
        changeRecord(rig, "ended", to: "ended no")
        #expect(try await get(rig).get().resumedAt == UInt64(Self.kept))
        #expect(rig.folder.octets(of: "f") == Resource.someContent)
        #expect(rig.folder.names == ["f"])
    }

    @Test("what somebody has put behind the part since does not")
    func extended() async throws {
        let rig = try await rig()
        let kept = try #require(rig.folder.octets(of: "f.part"))
        rig.folder.write(kept + Array(repeating: 0, count: 50_000), to: "f.part")
        #expect(try await get(rig).get().resumedAt == UInt64(Self.kept))
        #expect(rig.folder.octets(of: "f") == Resource.someContent)
    }

    @Test("otherwise only what was on the disk does", arguments: ["boot other", "boot -"])
    func crashed(_ boot: String) async throws {
        let rig = try await rig()
        changeRecord(rig, "extent", to: "extent 0 50000")
        changeRecord(rig, "boot", to: boot)
        // What a crash may leave behind it.
        rig.folder.write(
            Array(Resource.someContent.prefix(50_000)) + Array(repeating: 0, count: 60_000), to: "f.part")
        #expect(try await get(rig).get().resumedAt == 50_000)
        #expect(rig.ranges == [nil, "bytes=50000-"])
        #expect(rig.folder.octets(of: "f") == Resource.someContent)
        #expect(rig.folder.names == ["f"])
    }

    @Test("and where that is nothing, it begins anew in the same part")
    func crashedAtOnce() async throws {
        let rig = try await rig()
        changeRecord(rig, "extent", to: "extent 0 0")
        changeRecord(rig, "boot", to: "boot other")
        #expect(try await get(rig).get().resumedAt == nil)
        #expect(rig.ranges == [nil, nil])
        #expect(rig.folder.octets(of: "f") == Resource.someContent)
        #expect(rig.folder.names == ["f"])
    }

    // MARK: Other downloads

    @Test("the part of another URL is left to it, and both go on", arguments: [true, false])
    func otherURL(isFirstFirst: Bool) async throws {
        let other = Resource(content: Array(large.suffix(200_000)), fields: ["ETag: \"o\""])
        let rig = try Rig { request in
            let resource = request.target == "/other" ? other : Resource()
            return request.connection < 2
                ? resource.cut(request, behind: Self.kept) : resource.answer(request)
        }
        _ = try await get(rig)
        _ = try await get(rig, "/other")
        #expect(rig.folder.names == [".f.1.rawget", ".f.rawget", "f.1.part", "f.part"])
        #expect(rig.folder.octets(of: "f.1.part") == Array(other.content.prefix(Self.kept)))
        // The one that came first is over first, or not.
        for target in isFirstFirst ? ["/file.bin", "/other"] : ["/other", "/file.bin"] {
            #expect(try await get(rig, target).get().resumedAt == UInt64(Self.kept))
            #expect(
                rig.folder.octets(of: "f") == (target == "/other" ? other.content : Resource.someContent))
        }
        #expect(rig.folder.names == ["f"])
        #expect(rig.ranges == [nil, nil, "bytes=100000-", "bytes=100000-"])
    }

    @Test("where a person names a link, part and record lie beside what it leads to")
    func linkNamed() async throws {
        let rig = try Rig { request in
            request.connection == 0
                ? Resource().cut(request, behind: Self.kept) : Resource().answer(request)
        }
        rig.folder.makeFolder("there")
        rig.folder.write("old", to: "there/real")
        rig.folder.link("f", to: "there/real")
        _ = try await get(rig)
        #expect(rig.folder.names == ["f", "there"])
        #expect(rig.folder.octets(of: "there/real.part")?.count == Self.kept)
        #expect(try await get(rig).get().resumedAt == UInt64(Self.kept))
        #expect(rig.folder.octets(of: "there/real") == Resource.someContent)
        #expect(rig.folder.names == ["f", "there"])
    }

    @Test("a link of the name that the URL gives is not replaced when the part gets its name")
    func linkInURL() async throws {
        let rig = try Rig { request in
            request.connection == 0
                ? Resource().cut(request, behind: Self.kept) : Resource().answer(request)
        }
        rig.folder.link("f", to: "there")
        for _ in 0..<2 {
            _ = try await rig.download("/f", to: .requestedName) { $0.resumption = .automatic }
        }
        #expect(rig.ranges == [nil, "bytes=100000-"])
        #expect(rig.folder.names == ["f", "f.1"])
        #expect(rig.folder.octets(of: "f.1") == Resource.someContent)
    }

    @Test("a password in the URL is in no record, and makes no other download")
    func userinfo() async throws {
        let rig = try await rig()
        let uri = try URI(parsing: "http://me:secret@\(rig.server.authority)/file.bin#fragment")
        let result = try await rig.download(to: .path("f")) {
            $0.resumption = .automatic
            $0.request.uri = uri
        }
        #expect(try result.get().resumedAt == UInt64(Self.kept))
        #expect(rig.folder.octets(of: "f") == Resource.someContent)
    }

    @Test("a name of the longest length has a part and a record, too")
    func longName() async throws {
        let name = String(repeating: "é", count: 127)
        let rig = try Rig { request in
            request.connection == 0
                ? Resource().cut(request, behind: Self.kept) : Resource().answer(request)
        }
        _ = try await rig.failure(to: .path(name)) { $0.resumption = .automatic }
        #expect(rig.folder.names.count == 2)
        let result = try await rig.download(to: .path(name)) { $0.resumption = .automatic }.get()
        #expect(result.path == name && result.resumedAt == UInt64(Self.kept))
        #expect(rig.folder.names == [name])
    }

    @Test("in another folder they lie beside the file")
    func outputFolder() async throws {
        let rig = try Rig { request in
            request.connection == 0
                ? Resource().cut(request, behind: Self.kept) : Resource().answer(request)
        }
        rig.folder.makeFolder("out")
        for _ in 0..<2 {
            _ = try await rig.download(to: .requestedName) {
                $0.resumption = .automatic
                $0.outputFolder = "out"
            }
        }
        #expect(rig.ranges == [nil, "bytes=100000-"])
        #expect(rig.folder.names == ["out"])
        #expect(rig.folder.octets(of: "out/file.bin") == Resource.someContent)
    }
}
