import Download
import Glibc
import HTTPClient
import System
import TestSupport
import Testing

@testable import URLLoading

@Suite("Temporary files (D22)")
struct TemporaryFileTests {
    private let place = TemporaryFolder()

    private func permissions(_ name: String) -> UInt32? { place.status(of: name).map { $0.st_mode & 0o777 } }

    private func folder() throws -> PrivateFolder { try PrivateFolder(path: place.path(of: "tmp")) }

    @Test("what is missing of the folder's path is made for the user alone")
    func missingFolders() throws {
        let folder = try PrivateFolder(path: place.path(of: "a/b//c/"))
        #expect(folder.path == place.path(of: "a/b//c"))
        for name in ["a", "a/b", "a/b/c"] { #expect(permissions(name) == 0o700, "\(name)") }
        _ = try PrivateFolder(path: place.path(of: "a/b/c"))
    }

    @Test("a folder that is somebody else's, too, is refused", arguments: [0o777, 0o770, 0o702, 0o1777])
    func sharedFolder(_ mode: UInt32) throws {
        place.makeFolder("tmp")
        chmod(place.path(of: "tmp"), mode)
        let error = #expect(throws: TransferError.self) { try folder() }
        #expect(error?.code == .writeFailed)
        #expect(
            error?.detail
                == "could not use \(place.path(of: "tmp")) as the folder for temporary files: others than its owner may write to it"
        )
    }

    @Test("a folder of another user's is refused", .enabled(if: geteuid() == 0, "only root gives files away"))
    func strangeFolder() throws {
        place.makeFolder("tmp")
        chown(place.path(of: "tmp"), 12_345, 12_345)
        let error = #expect(throws: TransferError.self) { try folder() }
        #expect(error?.detail.hasSuffix("it belongs to another user") == true)
    }

    @Test("so is a link to a folder, and what is no folder", arguments: ["tmp", "tmp/", "file", "file/x"])
    func link(_ name: String) throws {
        place.makeFolder("real")
        place.link("tmp", to: "real")
        place.write("", to: "file")
        let error = #expect(throws: TransferError.self) { try PrivateFolder(path: place.path(of: name)) }
        #expect(error?.detail.contains("is no folder, or it is a link") == true, "\(error?.detail ?? "")")
    }

    @Test("a path that no system call can take is refused", arguments: ["", "/tmp/a\0b"])
    func badPath(_ path: String) {
        #expect(throws: TransferError.self) { try PrivateFolder(path: path) }
    }

    @Test("a file is empty, the user's alone, and of a name like no other's")
    func making() throws {
        let folder = try folder()
        let (file, other) = (try folder.makeFile(), try folder.makeFile(extension: "part"))
        #expect(file.path == "\(folder.path)/\(file.name)")
        #expect(file.name.hasPrefix("rawget-") && file.name.hasSuffix(".tmp") && file.name.utf8.count == 27)
        #expect(TemporaryFile.isName(ofPath: file.path) && TemporaryFile.isName(ofPath: other.name))
        #expect(permissions("tmp/\(file.name)") == 0o600)
        try File.write([1, 2].span, to: file.descriptor)
        #expect(place.octets(of: "tmp/\(file.name)") == [1, 2])
        #expect(file.identity == FileIdentity(try File.status(of: file.descriptor)))
        #expect(file.identity != other.identity)
    }

    @Test(
        "not every name is one of these",
        arguments: [
            "rawget-0123456789abcde.tmp", "rawget-0123456789abcdeg.tmp", "rawget-0123456789abcdef",
            "rawget-0123456789abcdef.", "rawget-0123456789abcdef.t/x", "x", "rawget-0123456789ABCDEF.tmp",
            "/a/rawget-0123456789abcdef.tmp/",
        ])
    func names(_ name: String) { #expect(!TemporaryFile.isName(ofPath: name)) }

    @Test("it goes away with the value, unless it is kept or was moved")
    func lifetime() throws {
        let folder = try folder()
        var file: TemporaryFile? = try folder.makeFile()
        #expect(place.names.count == 1)
        file = nil
        file = try folder.makeFile()
        file?.keep()
        let kept = try #require(file?.name)
        file = try folder.makeFile()
        try withExtendedLifetime(file) {
            try DownloadedFile.move(try #require(file?.path), to: place.path(of: "moved"))
        }
        file = nil
        #expect(place.names == ["moved", "tmp"])
        #expect(try File.names(in: folder.descriptor) == [kept])
    }

    @Test("it stays in the folder that was looked at, wherever that is moved")
    func movedFolder() throws {
        let folder = try folder()
        place.rename("tmp", to: "elsewhere")
        place.makeFolder("tmp")
        let file = try folder.makeFile()
        #expect(place.status(of: "elsewhere/\(file.name)") != nil)
        #expect(place.status(of: "tmp/\(file.name)") == nil)
    }

    // MARK: Files of earlier

    /// A file of three octets that a process has left.
    private func left() throws -> (path: String, identity: FileIdentity) {
        let file = try folder().makeFile()
        try File.write([1, 2, 3].span, to: file.descriptor)
        file.keep()
        return (file.path, file.identity)
    }

    @Test("one that was left is taken over once, under another name")
    func adopting() throws {
        let (path, identity) = try left()
        let file = try TemporaryFile.adopt(path, identity: identity, size: 3)
        #expect(file.path != path && file.identity == identity)
        #expect(try File.contents(of: file.descriptor, limit: 10) == [1, 2, 3])
        let error = #expect(throws: TransferError.self) {
            try TemporaryFile.adopt(path, identity: identity, size: 3)
        }
        #expect(error?.code == .badResume)
        #expect(error?.detail.contains("is not there any more, or somebody else goes on with it") == true)
        #expect(try File.names(in: file.folder.descriptor) == [file.name])
    }

    @Test("of two who hold the same file one gets it")
    func renaming() throws {
        let file = try folder().makeFile()
        let second = try File.open(file.name, in: file.folder.descriptor, flags: O_RDWR)
        let rival = try TemporaryFile(file.name, in: file.folder, second)
        let name = file.name
        try rival.rename()
        #expect(throws: TransferError.self) { try file.rename() }
        #expect(file.name == name && rival.name != name)
        #expect(try File.names(in: file.folder.descriptor) == [rival.name])
    }

    @Test("another file than was left is not touched")
    func otherFile() throws {
        let (path, identity) = try left()
        let other = try folder().makeFile()
        try File.write([4, 5, 6].span, to: other.descriptor)
        let folder = other.folder
        #expect(throws: TransferError.self) { try TemporaryFile.adopt(path, identity: identity, size: 4) }
        #expect(throws: TransferError.self) {
            try TemporaryFile.adopt(other.path, identity: identity, size: 3)
        }
        let link = "rawget-0123456789abcdef.tmp"
        symlink(path, "\(folder.path)/\(link)")
        #expect(throws: TransferError.self) {
            try TemporaryFile.adopt("\(folder.path)/\(link)", identity: identity, size: 3)
        }
        let pipe = "rawget-0123456789abcdee.tmp"
        mkfifo("\(folder.path)/\(pipe)", 0o600)
        let status = try #require(
            try File.status(of: pipe, in: folder.descriptor, followsLinks: false))
        #expect(throws: TransferError.self) {
            try TemporaryFile.adopt("\(folder.path)/\(pipe)", identity: FileIdentity(status), size: 0)
        }
        place.write("abc", to: "precious", permissions: 0o600)
        let precious = try #require(
            try File.status(of: "precious", in: place.descriptor, followsLinks: false))
        #expect(throws: TransferError.self) {
            try TemporaryFile.adopt(
                place.path(of: "precious"), identity: FileIdentity(precious), size: 3)
        }
        #expect(try File.names(in: folder.descriptor).count == 4)
        #expect(place.text(of: "precious") == "abc")
        // None of this was in its way.
        _ = try TemporaryFile.adopt(path, identity: identity, size: 3)
    }

    @Test("nothing is taken over from a folder that others can write to, and none is made for it")
    func otherFolder() throws {
        let (path, identity) = try left()
        chmod(place.path(of: "tmp"), 0o777)
        let error = #expect(throws: TransferError.self) {
            try TemporaryFile.adopt(path, identity: identity, size: 3)
        }
        #expect(error?.code == .badResume)
        #expect(throws: TransferError.self) {
            try TemporaryFile.adopt(
                place.path(of: "gone/rawget-0123456789abcdef.tmp"), identity: identity, size: 3)
        }
        #expect(place.names == ["tmp"])
    }
}
