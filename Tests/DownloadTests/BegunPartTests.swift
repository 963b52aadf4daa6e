import Download
import Glibc
import HTTPClient
import Replay
import TestSupport
import Testing

@Suite("Parts that were begun, and no more")
struct BegunPartTests {
    /// The record as it is before its part is made.
    private func write(_ rig: Rig, part: String) {
        rig.folder.write(
            """
            rawget 1
            url http://\(rig.server.authority)/file.bin
            validator "v1"
            part \(part)
            name f
            replaces yes
            file -
            boot -
            extent 0 0
            end

            """, to: ".f.rawget")
    }

    private func expectWhole(_ rig: Rig, left: [String]) async throws {
        let result = try await rig.download(to: .path("f")) { $0.resumption = .automatic }.get()
        #expect(result.path == "f" && result.resumedAt == nil)
        #expect(rig.ranges == [nil])
        #expect(rig.folder.octets(of: "f") == Resource.someContent)
        #expect(rig.folder.names == (left + ["f"]).sorted())
    }

    @Test("an empty one is used: no process is killed without the next one knowing of its part")
    func empty() async throws {
        let rig = try Rig { Resource().answer($0) }
        write(rig, part: "f.part")
        rig.folder.write("", to: "f.part")
        try await expectWhole(rig, left: [])
    }

    @Test("one that was not made yet leaves nothing")
    func missing() async throws {
        let rig = try Rig { Resource().answer($0) }
        write(rig, part: "f.part")
        try await expectWhole(rig, left: [])
    }

    @Test("one with anything in it is somebody else's")
    func filled() async throws {
        let rig = try Rig { Resource().answer($0) }
        write(rig, part: "f.part")
        rig.folder.write("x", to: "f.part")
        try await expectWhole(rig, left: ["f.part"])
        #expect(rig.folder.text(of: "f.part") == "x")
    }

    @Test("a small file that comes whole takes a record away that is of no use to anybody")
    func small() async throws {
        let rig = try Rig([.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")])
        write(rig, part: "f.part")
        #expect(try await rig.path(to: .path("f")) { $0.resumption = .automatic } == "f")
        #expect(rig.folder.names == ["f"])
    }

    @Test("through a link the next download goes on, and replaces the file behind it")
    func link() async throws {
        let rig = try Rig { request in
            request.connection == 0 ? Resource().cut(request, behind: 100_000) : Resource().answer(request)
        }
        rig.folder.makeFolder("other")
        rig.folder.write("old", to: "other/target")
        #expect(symlink("other/target", rig.folder.path(of: "f")) == 0)
        _ = try await rig.failure(to: .path("f")) { $0.resumption = .automatic }
        #expect(rig.folder.text(of: "other/target") == "old")
        let result = try await rig.download(to: .path("f")) { $0.resumption = .automatic }.get()
        #expect(result.resumedAt == 100_000)
        #expect(rig.folder.octets(of: "other/target") == Resource.someContent)
        #expect(rig.folder.names == ["f", "other"])
    }

    @Test("a link of a name from the address stays, however often the download breaks")
    func linkFromAddress() async throws {
        let rig = try Rig { request in
            request.connection == 0 ? Resource().cut(request, behind: 100_000) : Resource().answer(request)
        }
        rig.folder.write("old", to: "target")
        #expect(symlink("target", rig.folder.path(of: "file.bin")) == 0)
        _ = try await rig.failure(to: .requestedName) { $0.resumption = .automatic }
        let result = try await rig.download(to: .requestedName) { $0.resumption = .automatic }.get()
        #expect(result.resumedAt == 100_000 && result.path == "file.bin.1")
        #expect(rig.folder.text(of: "target") == "old")
        #expect(rig.folder.octets(of: "file.bin.1") == Resource.someContent)
        #expect(rig.folder.names == ["file.bin", "file.bin.1", "target"])
    }
}
