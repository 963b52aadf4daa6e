import Glibc
import HTTPClient
import System
import TestSupport
import Testing

@testable import URLLoading

@Suite("A downloaded file comes to its place (D9, D22)")
struct DownloadedFileTests {
    private let place = TemporaryFolder()
    private let content = [UInt8](repeating: 7, count: 600_000) + [1, 2, 3]

    /// The two ways to a place: within a file system, and over its end.
    enum Way: CaseIterable {
        case renaming
        case copying

        func move(_ path: String, to target: String, replacing: Bool = true) throws(TransferError) {
            switch self {
            case .renaming: try DownloadedFile.move(path, to: target, replacing: replacing)
            case .copying: try DownloadedFile.moveOver(path, to: target, replacing: replacing)
            }
        }
    }

    private func path(_ name: String) -> String { place.path(of: name) }
    private func permissions(_ name: String) -> UInt32? { place.status(of: name).map { $0.st_mode & 0o777 } }

    /// A file as a task leaves it.
    private func temporaryFile(_ octets: [UInt8]) throws -> TemporaryFile {
        let file = try PrivateFolder(path: path("tmp")).makeFile()
        try File.write(octets.span, to: file.descriptor)
        return file
    }

    @Test("it has the permissions of any new file there", arguments: Way.allCases)
    func moving(_ way: Way) throws {
        let file = try temporaryFile(content)
        try way.move(file.path, to: path("a.zip"))
        place.write("", to: "new", permissions: 0o666)
        #expect(place.octets(of: "a.zip") == content)
        #expect(permissions("a.zip") == permissions("new"))
        #expect(place.names == ["a.zip", "new", "tmp"])
        #expect(try File.names(in: file.folder.descriptor).isEmpty)
    }

    @Test("it replaces a file and takes its permissions", arguments: Way.allCases)
    func replacing(_ way: Way) throws {
        place.write("old", to: "a.zip", permissions: 0o600)
        chmod(path("a.zip"), 0o640)
        let file = try temporaryFile(content)
        try withExtendedLifetime(file) { try way.move(file.path, to: path("a.zip")) }
        #expect(place.octets(of: "a.zip") == content)
        #expect(permissions("a.zip") == 0o640)
    }

    @Test("it leaves a file that is not to be replaced", arguments: Way.allCases)
    func notReplacing(_ way: Way) throws {
        place.write("old", to: "a.zip")
        let file = try temporaryFile([1])
        let error = #expect(throws: TransferError.self) {
            try way.move(file.path, to: path("a.zip"), replacing: false)
        }
        #expect(error?.code == .writeFailed)
        #expect(
            error?.detail
                == "could not write \(path("a.zip")): a file of that name exists and is not replaced")
        #expect(place.text(of: "a.zip") == "old")
        #expect(place.octets(of: "tmp/\(file.name)") == [1])
        try withExtendedLifetime(file) { try way.move(file.path, to: path("b.zip"), replacing: false) }
        #expect(place.octets(of: "b.zip") == [1])
        #expect(place.names == ["a.zip", "b.zip", "tmp"])
    }

    @Test("a file that is no temporary one keeps its permissions and its date", arguments: Way.allCases)
    func ordinaryFile(_ way: Way) throws {
        place.write("text", to: "from", permissions: 0o600)
        let file = try place.open("from", flags: O_RDONLY)
        try File.setModified(1_000_000_000, of: file.rawValue)
        try way.move(path("from"), to: path("to"))
        #expect(place.text(of: "to") == "text")
        #expect(permissions("to") == 0o600)
        #expect(place.status(of: "to")?.st_mtim.tv_sec == 1_000_000_000)
        #expect(place.names == ["to"])
    }

    @Test("what is no file has its name replaced by none", arguments: Way.allCases)
    func targets(_ way: Way) throws {
        place.makeFolder("folder")
        mkfifo(path("pipe"), 0o644)
        let file = try temporaryFile([1])
        for (name, cause) in [
            ("folder", "a folder of that name exists"), ("pipe", "something else than a file has that name"),
            ("gone/a.zip", "its folder does not exist"), ("pipe/a.zip", "part of its path is no folder"),
            (String(repeating: "a", count: 256), "the name is too long"),
        ] {
            let error = #expect(throws: TransferError.self) { try way.move(file.path, to: path(name)) }
            #expect(error?.detail == "could not write \(path(name)): \(cause)")
        }
        #expect(throws: TransferError.self) { try way.move(file.path, to: "") }
        #expect(throws: TransferError.self) { try way.move(file.path, to: path("a\0b")) }
        #expect(place.names == ["folder", "pipe", "tmp"])
        #expect(place.octets(of: "tmp/\(file.name)") == [1])
    }

    @Test("a link at the target is replaced, and what it leads to stays", arguments: Way.allCases)
    func link(_ way: Way) throws {
        place.write("precious", to: "file")
        place.link("link", to: "file")
        let file = try temporaryFile([1])
        try withExtendedLifetime(file) { try way.move(file.path, to: path("link")) }
        #expect(place.text(of: "file") == "precious")
        #expect(place.octets(of: "link") == [1])
    }

    @Test("only a file is moved", arguments: Way.allCases)
    func sources(_ way: Way) throws {
        place.makeFolder("folder")
        place.link("link", to: "file")
        mkfifo(path("pipe"), 0o644)
        for (name, cause) in [
            ("gone", "there is no such file"), ("folder", "it is a folder"),
            ("link", "it is a link, or no file"), ("pipe", "it is a link, or no file"),
        ] {
            let error = #expect(throws: TransferError.self) { try way.move(path(name), to: path("a.zip")) }
            #expect(error?.code == .readFailed)
            #expect(error?.detail == "could not read \(path(name)): \(cause)")
        }
        #expect(place.names == ["folder", "link", "pipe"])
    }

    @Test("a copy leaves the file where it is")
    func copying() throws {
        let file = try temporaryFile(content)
        place.write("old", to: "a.zip")
        try DownloadedFile.copy(file.path, to: path("a.zip"))
        #expect(place.octets(of: "a.zip") == content)
        #expect(place.octets(of: "tmp/\(file.name)") == content)
    }

    @Test("a disk that is full leaves the old file, and no half one")
    func fullDisk() throws {
        place.write("old", to: "a.zip")
        #expect(throws: SystemError(call: "write", errno: ENOSPC)) {
            try File.place(at: path("a.zip"), replacing: true, permissions: nil) {
                (half) throws(SystemError) in
                try File.write(content.span, to: half)
                throw SystemError(call: "write", errno: ENOSPC)
            }
        }
        #expect(place.names == ["a.zip"])
        #expect(place.text(of: "a.zip") == "old")
    }

    @Test(
        "a file moves to another file system",
        .enabled(if: isMemoryElsewhere, "/dev/shm is where the temporary files are"))
    func otherFileSystem() throws {
        let elsewhere = TemporaryFolder(in: "/dev/shm")
        let file = try temporaryFile(content)
        elsewhere.write("old", to: "a.zip")
        #expect(throws: TransferError.self) {
            try DownloadedFile.move(file.path, to: elsewhere.path(of: "a.zip"), replacing: false)
        }
        try DownloadedFile.move(file.path, to: elsewhere.path(of: "a.zip"))
        #expect(elsewhere.octets(of: "a.zip") == content)
        #expect(elsewhere.names == ["a.zip"])
        #expect(try File.names(in: file.folder.descriptor).isEmpty)
        try DownloadedFile.move(elsewhere.path(of: "a.zip"), to: path("a.zip"), replacing: false)
        #expect(place.octets(of: "a.zip") == content)
    }

    @Test("an old target is removed, and none is fine; what cannot be removed is told")
    func removing() throws {
        place.write("old", to: "a.zip")
        place.makeFolder("folder")
        try DownloadedFile.remove(path("a.zip"))
        try DownloadedFile.remove(path("a.zip"))
        let error = #expect(throws: TransferError.self) { try DownloadedFile.remove(path("folder")) }
        #expect(error?.detail == "could not remove \(path("folder")): it is a folder")
        #expect(place.names == ["folder"])
    }

    /// Whether `/dev/shm` is a file system of its own.
    private static let isMemoryElsewhere: Bool = {
        var (memory, temporary) = (stat(), stat())
        return stat("/dev/shm", &memory) == 0 && stat(TemporaryFolder.place, &temporary) == 0
            && memory.st_dev != temporary.st_dev && access("/dev/shm", W_OK) == 0
    }()
}
