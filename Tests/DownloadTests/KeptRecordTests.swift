import Glibc
import HTTPClient
import HTTPMessage
import Replay
import System
import TestSupport
import Testing
import Transport

@testable import Download

@Suite("A record says no more than is there")
struct KeptRecordTests {
    private static let length = 300_000

    /// A part of a version, written as far as that, all of it on the device.
    @NetworkActor
    private func file(in folder: TemporaryFolder, to path: String = "f") throws -> DownloadFile {
        let request = HTTPRequest(.get, try URI(parsing: "http://a.test/file"))
        var plan = DownloadPlan(
            request, to: .path(path), in: folder.descriptor, now: HTTPDate(secondsSinceEpoch: 0))
        plan.resumption = .automatic
        let file = DownloadFile(plan)
        let place = RecordPlace(forFile: path)
        file.slot = RecordSlot(place, 0, isStale: false)
        try file.take(OutputName(target: path, mayReplace: true))
        var representation = PartialRepresentation()
        representation.validator = "\"v1\""
        file.begin(representation)
        try file.append(Array(large.prefix(Self.length)).span)
        try file.writeRecord(synced: UInt64(Self.length))
        return file
    }

    @Test("also where what came behind its extent is taken back, and more comes")
    func rolledBack() async throws {
        let folder = TemporaryFolder()
        try await NetworkActor.run {
            let file = try self.file(in: folder)
            try file.rollBack(to: 100_000)
            #expect(folder.text(of: ".f.rawget")?.contains("\nextent 0 100000\n") == true)
            #expect(folder.octets(of: "f.part") == Array(large.prefix(100_000)))
            // What a job that was under way says of other octets does not count.
            #expect(file.syncing == nil && file.synced == 100_000)
            try file.append([1, 2, 3].span)
            #expect(try file.finish(modified: nil) == "f")
        }
        #expect(folder.octets(of: "f") == Array(large.prefix(100_000)) + [1, 2, 3])
        #expect(folder.names == ["f"])
    }

    @Test("and a part that another program has changed meanwhile gets no name", arguments: [true, false])
    func changed(isLonger: Bool) async throws {
        let folder = TemporaryFolder()
        await NetworkActor.run {
            let error = #expect(throws: TransferError.self) {
                let file = try self.file(in: folder)
                folder.write(
                    isLonger ? large : Array(large.prefix(10)), to: "f.part")
                _ = try file.finish(modified: nil)
            }
            #expect(error?.code == .writeFailed)
            #expect(error?.detail.contains("changed by another program") == true)
        }
        #expect(!folder.names.contains("f"))
    }

    @Test("a file with its final name, cut shorter than its record, is gone on with where it ends")
    func shortened() async throws {
        let rig = try Rig { request in
            request.connection == 0 ? Resource().cut(request, behind: 200_000) : Resource().answer(request)
        }
        _ = try await rig.failure(to: .path("f")) { $0.resumption = .automatic }
        rig.folder.rename("f.part", to: "f")
        rig.folder.write(Array(Resource.someContent.prefix(50_000)), to: "f")
        let result = try await rig.download(to: .path("f")) { $0.resumption = .fileSize }.get()
        #expect(result.resumedAt == 50_000)
        #expect(rig.ifRanges == [nil, "\"v1\""])
        #expect(rig.folder.octets(of: "f") == Resource.someContent)
    }

    @Test("one too long to be read again is not written")
    func tooLong() async throws {
        var resource = Resource()
        // Each is three octets in the record.
        resource.fields = ["ETag: \"\(String(repeating: "%", count: 30_000))\""]
        let cut = resource
        let rig = try Rig { cut.cut($0, behind: 100_000) }
        let failure = try await rig.failure(to: .path("f")) { $0.resumption = .automatic }
        #expect(failure?.code == .incompleteContent && failure?.continuation == nil)
        #expect(rig.folder.names == ["f.part"])
    }

    @Test("two long names with one beginning have two records")
    func longNames() async throws {
        let (one, two) = (String(repeating: "n", count: 235) + "1", String(repeating: "n", count: 235) + "2")
        let rig = try Rig { request in
            request.connection == 0 ? Resource().cut(request, behind: 100_000) : Resource().answer(request)
        }
        rig.folder.write("precious", to: one)
        _ = try await rig.failure(to: .path(one)) { $0.resumption = .automatic }
        _ = try await rig.download(to: .path(two)) { $0.resumption = .automatic }.get()
        #expect(rig.ranges == [nil, nil])
        #expect(rig.folder.text(of: one) == "precious")
        #expect(rig.folder.octets(of: two) == Resource.someContent)
    }

    @Test("many files in one folder: what one look there found is as good as a look at each")
    func manyFiles() async throws {
        let folder = TemporaryFolder()
        folder.write("x", to: "plain")
        folder.write("x", to: ".plain.rawget")
        folder.link("link", to: "plain")
        var folders = FolderOverviews()
        func mustLook(_ path: String) -> Bool { folders.mustLook(at: path, in: folder.descriptor) }
        var answers = (0..<FolderOverviews.fewLooks).map { mustLook("none\($0)") }
        #expect(answers.allSatisfy { $0 })
        answers = ["none", "plain", ".plain.rawget", "link"].map(mustLook)
        #expect(answers == [false, false, true, true])
        folders.note(".new.rawget")
        answers = [mustLook(".new.rawget")]
        // A folder that cannot be read tells nothing.
        answers += (0...FolderOverviews.fewLooks).map { mustLook("missing/f\($0)") }
        #expect(answers.allSatisfy { $0 })
    }
}
