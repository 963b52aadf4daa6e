import Download
import Glibc
import HTTPClient
import HTTPMessage
import Replay
import TestSupport
import Testing

@Suite("The names of files")
struct NamingTests {
    private let named = ["Content-Disposition: attachment; filename=\"server.txt\""]

    @Test("the requested address names the file where the server does not")
    func fromAddress() async throws {
        let rig = try Rig(answer("200 OK", [], "x"))
        #expect(try await rig.path("/a/b%20c.txt?query", to: .suggestedName) == "b c.txt")
        #expect(try await rig.path("/a/b.txt", to: .requestedName) == "b.txt")
        #expect(rig.folder.names == ["b c.txt", "b.txt"])
    }

    @Test("an address without a last segment gives index.html", arguments: ["/", "/folder/", "/?q=1"])
    func noSegment(_ target: String) async throws {
        let rig = try Rig(answer())
        #expect(try await rig.path(target, to: .suggestedName) == "index.html")
    }

    @Test("the server's name goes before the address's")
    func fromServer() async throws {
        let rig = try Rig(answer("200 OK", named, "x"))
        #expect(try await rig.path(to: .suggestedName) == "server.txt")
        #expect(try await rig.path(to: .requestedName) == "file.bin")
        #expect(try await rig.path(to: .path("chosen")) == "chosen")
    }

    @Test("a response that a loading style delivers suggests the name by itself (D5, D21)")
    func suggestedByResponse() throws {
        var response = HTTPResponse(status: .ok)
        #expect(response.suggestedFilename == "index.html")
        let moved = try URI(parsing: "http://example.com/moved.bin")
        response.noteSource(moved, requestedAs: try URI(parsing: "http://example.com/a/使.apk?r=1"))
        #expect(response.suggestedFilename == "使.apk")
        response.noteSource(moved, requestedAs: try URI(parsing: "http://example.com/"))
        #expect(response.suggestedFilename == "index.html")
        response.fields[.contentDisposition] = "attachment; filename=\"../server.txt\""
        #expect(response.suggestedFilename == "server.txt")
        #expect(HTTPResponse(status: .ok, fields: response.fields).suggestedFilename == "server.txt")
    }

    @Test(
        "a server's name never leads out of the folder",
        arguments: ["../../evil", "/etc/evil", "..\\\\evil", "C:\\\\evil", "a/../evil"])
    func noPath(_ name: String) async throws {
        let rig = try Rig(answer("200 OK", ["Content-Disposition: attachment; filename=\"\(name)\""], "x"))
        let path = try await rig.path(to: .suggestedName)
        #expect(path == "evil")
        #expect(rig.folder.names == ["evil"])
    }

    @Test("a server's name replaces nothing: it gets a number")
    func serverNeverReplaces() async throws {
        let rig = try Rig(answer("200 OK", named, "new"))
        rig.folder.write("old", to: "server.txt")
        rig.folder.write("older", to: "server.txt.1")
        #expect(try await rig.path(to: .suggestedName) == "server.txt.2")
        #expect(rig.folder.text(of: "server.txt") == "old")
        #expect(rig.folder.text(of: "server.txt.1") == "older")
        #expect(rig.folder.text(of: "server.txt.2") == "new")
    }

    @Test(
        "names of a person's choice replace a file, by a new one",
        arguments: [Destination.path("file.bin"), .requestedName, .suggestedName])
    func replaces(_ destination: Destination) async throws {
        let rig = try Rig(answer("200 OK", [], "new"))
        rig.folder.write("something old", to: "file.bin", permissions: 0o640)
        let before = rig.folder.status(of: "file.bin")?.st_ino
        #expect(try await rig.path(to: destination) == "file.bin")
        #expect(rig.folder.text(of: "file.bin") == "new")
        #expect(rig.folder.status(of: "file.bin")?.st_ino != before)
        #expect(rig.folder.names == ["file.bin"])
    }

    @Test("a file that is replaced keeps its permissions", arguments: [UInt32(0o600), 0o640, 0o755])
    func keepsPermissions(_ permissions: UInt32) async throws {
        let rig = try Rig(answer("200 OK", [], "new"))
        rig.folder.write("old", to: "file.bin")
        chmod(rig.folder.path(of: "file.bin"), permissions)
        _ = try await rig.path(to: .path("file.bin"))
        #expect(rig.folder.status(of: "file.bin").map { $0.st_mode & 0o7777 } == permissions)
    }

    @Test("two transfers of a run never share a name")
    func neverShared() async throws {
        let rig = try Rig { request in answer("200 OK", [], request.target) }
        let run = await rawget(
            [
                "http://\(rig.server.authority)/1/same", "http://\(rig.server.authority)/2/same",
                "-o", "x", "http://\(rig.server.authority)/3/x", "http://\(rig.server.authority)/4/x",
            ],
            in: rig.folder)
        #expect(run.exit == 0)
        #expect(rig.folder.names.count == 4)
        #expect(Set(rig.folder.names.compactMap { rig.folder.text(of: $0) }).count == 4)
    }

    @Test("a number for a second transfer replaces nothing either")
    func numberReplacesNothing() async throws {
        let rig = try Rig { request in answer("200 OK", [], request.target) }
        rig.folder.write("old", to: "same")
        rig.folder.write("precious", to: "same.1")
        let base = "http://\(rig.server.authority)"
        let run = await rawget(["\(base)/1/same", "\(base)/2/same", "\(base)/3/same"], in: rig.folder)
        #expect(run.exit == 0)
        #expect(rig.folder.names == ["same", "same.1", "same.2", "same.3"])
        #expect(rig.folder.text(of: "same") == "/1/same")
        #expect(rig.folder.text(of: "same.1") == "precious")
    }

    @Test("a link given by name is followed, and the file it leads to replaced")
    func link() async throws {
        let rig = try Rig(largeAnswer)
        rig.folder.makeFolder("deep")
        rig.folder.write("old", to: "deep/real")
        rig.folder.link("link", to: "deep/real")
        #expect(try await rig.path(to: .path("link")) == "deep/real")
        #expect(rig.folder.status(of: "link").map { $0.st_mode & S_IFMT } == S_IFLNK)
        #expect(rig.folder.octets(of: "deep/real") == large)
    }

    @Test("a link that leads nowhere yet gets its file there")
    func danglingLink() async throws {
        let rig = try Rig(answer("200 OK", [], "new"))
        rig.folder.makeFolder("deep")
        rig.folder.link("link", to: "deep/real")
        #expect(try await rig.path(to: .path("link")) == "deep/real")
        #expect(rig.folder.text(of: "deep/real") == "new")
    }

    @Test("links in a circle are an error")
    func circle() async throws {
        let rig = try Rig(answer())
        rig.folder.link("a", to: "b")
        rig.folder.link("b", to: "a")
        let failure = try await rig.failure(to: .path("a"))
        #expect(failure?.code == .writeFailed)
        #expect(failure?.errno == ELOOP)
    }

    @Test("a link under a name from the address is neither followed nor replaced: the file gets a number")
    func linkUnderAddress() async throws {
        let rig = try Rig(answer("200 OK", [], "new"))
        rig.folder.write("precious", to: "other")
        rig.folder.link("file.bin", to: "other")
        #expect(try await rig.path(to: .requestedName) == "file.bin.1")
        #expect(rig.folder.text(of: "other") == "precious")
        #expect(rig.folder.text(of: "file.bin.1") == "new")
    }

    @Test("a link under the part's name is not written through")
    func linkUnderPart() async throws {
        let rig = try Rig(largeAnswer)
        rig.folder.write("precious", to: "other")
        rig.folder.link("file.bin.part", to: "other")
        #expect(try await rig.path(to: .path("file.bin")) == "file.bin")
        #expect(rig.folder.text(of: "other") == "precious")
        #expect(rig.folder.octets(of: "file.bin") == large)
    }

    @Test("a part that stands there is somebody else's")
    func foreignPart() async throws {
        let rig = try Rig([
            .send("HTTP/1.1 200 OK\r\nContent-Length: 200000\r\n\r\n"), .sendRepeated([1], times: 100_000),
            .close,
        ])
        rig.folder.write("not mine", to: "file.bin.part")
        let failure = try await rig.failure(to: .path("file.bin"))
        #expect(failure?.detail.contains("file.bin.1.part") == true)
        #expect(rig.folder.text(of: "file.bin.part") == "not mine")
        #expect(rig.folder.octets(of: "file.bin.1.part")?.count == 100_000)
    }

    @Test(
        "a folder of that name is an error",
        arguments: [Destination.path("file.bin"), .requestedName, .suggestedName])
    func folderOfThatName(_ destination: Destination) async throws {
        let rig = try Rig(answer())
        rig.folder.makeFolder("file.bin")
        let failure = try await rig.failure(to: destination)
        #expect(failure?.code == .writeFailed)
        #expect(failure?.detail.contains("a folder of that name exists") == true)
        #expect(rig.folder.names == ["file.bin"])
    }

    @Test("an output folder goes before every name", arguments: ["out", "out/", "./out"])
    func outputFolder(_ folder: String) async throws {
        let rig = try Rig(answer("200 OK", named, "x"))
        rig.folder.makeFolder("out")
        _ = try await rig.path(to: .suggestedName) { $0.outputFolder = folder }
        _ = try await rig.path(to: .path("chosen")) { $0.outputFolder = folder }
        #expect(rig.folder.names == ["out"])
        #expect(rig.folder.text(of: "out/server.txt") == "x")
        #expect(rig.folder.text(of: "out/chosen") == "x")
    }

    @Test("folders are made where that is asked for, else their lack is an error")
    func makesFolders() async throws {
        let rig = try Rig(answer("200 OK", [], "x"))
        let failure = try await rig.failure(to: .path("a/b/c"))
        #expect(failure?.detail.contains("--create-dirs") == true)
        #expect(try await rig.path(to: .path("a/b/c")) { $0.createsFolders = true } == "a/b/c")
        #expect(rig.folder.text(of: "a/b/c") == "x")
        let absolute = rig.folder.path(of: "d/e")
        #expect(try await rig.path(to: .path(absolute)) { $0.createsFolders = true } == absolute)
        #expect(rig.folder.text(of: "d/e") == "x")
    }

    @Test("a name of 255 octets works, although its part needs a suffix; one of 256 is too long")
    func longNames() async throws {
        let rig = try Rig(largeAnswer)
        let longest = String(repeating: "é", count: 127) + "x"
        #expect(try await rig.path(to: .path(longest)) == longest)
        #expect(rig.folder.octets(of: longest) == large)
        let failure = try await rig.failure(to: .path(longest + "y"))
        #expect(failure?.code == .writeFailed)
        #expect(failure?.errno == ENAMETOOLONG)
        #expect(failure?.detail.contains("too long") == true)
    }

    @Test(
        "a response suggests a name (D5)",
        arguments: [
            ("attachment; filename=\"../a.zip\"", "http://h/x.bin", "a.zip"),
            (nil, "http://h/d/x.bin?r=1", "x.bin"),
            (nil, "http://h/", "index.html"),
        ] as [(String?, String, String)])
    func suggestion(_ disposition: String?, _ uri: String, _ name: String) throws {
        var response = HTTPResponse(status: .ok)
        response.fields[.contentDisposition] = disposition
        #expect(response.suggestedFilename(for: try URI(parsing: uri)) == name)
    }
}
