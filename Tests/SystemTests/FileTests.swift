import Glibc
import NetworkProbes
import System
import Testing

@Suite("Calls on files")
struct FileTests {
    private let folder: TemporaryFolder

    init() throws { folder = TemporaryFolder() }

    private func make(_ name: String, _ content: String = "") throws {
        let file = try folder.open(name)
        try File.write(Array(content.utf8).span, to: file.rawValue)
    }

    // MARK: Writing and reading

    @Test func writesAllToAPipeThatTakesLittleAtATime() async throws {
        let pipe = try Pipe()
        let octets = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        let writing = FileDescriptor(owning: pipe.takeWriting()).release()
        async let writer: Void = {
            let end = FileDescriptor(owning: writing)
            try File.write(octets.span, to: end.rawValue)
        }()
        var received: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1000)
        while true {
            // Not one blocking wait: the writer may be queued behind all other tests for the same few threads.
            var entry = pollfd(fd: pipe.reading, events: Int16(POLLIN), revents: 0)
            while poll(&entry, 1, 0) == 0 { try await Task.sleep(for: .milliseconds(1)) }
            let count = read(pipe.reading, &chunk, chunk.count)
            guard count > 0 else { break }
            received += chunk[..<count]
        }
        try await writer
        #expect(received == octets)
    }

    @Test func tellsThatTheDiskIsFull() throws {
        let full = try File.open("/dev/full", in: File.workingDirectory, flags: O_WRONLY)
        #expect(throws: SystemError(call: "write", errno: ENOSPC)) {
            try File.write([1, 2, 3].span, to: full.rawValue)
        }
    }

    @Test func writesNothingWithoutACall() throws {
        try File.write([UInt8]().span, to: -1)
        #expect(throws: SystemError(call: "write", errno: EBADF)) { try File.write([1].span, to: -1) }
    }

    @Test(
        "contents up to the limit, not past it",
        arguments: [(0, 0), (70_000, 70_000), (70_000, 70_001)])
    func contentsWithinLimit(count: Int, limit: Int) throws {
        try make("a", String(repeating: "x", count: count))
        let file = try folder.open("a", flags: O_RDONLY)
        #expect(try File.contents(of: file.rawValue, limit: limit).count == count)
    }

    @Test(arguments: [(1, 0), (70_000, 69_999)])
    func contentsPastTheLimitAreAnError(count: Int, limit: Int) throws {
        try make("a", String(repeating: "x", count: count))
        let file = try folder.open("a", flags: O_RDONLY)
        #expect(throws: SystemError(call: "read", errno: EFBIG)) {
            _ = try File.contents(of: file.rawValue, limit: limit)
        }
    }

    // MARK: Status

    @Test func tellsKindsApart() throws {
        try make("file", "abc")
        try File.makeFolder("folder", in: folder.descriptor)
        #expect(symlink("file", folder.path + "/link") == 0)
        #expect(mkfifo(folder.path + "/pipe", 0o600) == 0)
        func kind(_ name: String, followsLinks: Bool = false) throws -> File.Kind? {
            try File.status(of: name, in: folder.descriptor, followsLinks: followsLinks)?.kind
        }
        #expect(try kind("file") == .regular)
        #expect(try kind("folder") == .folder)
        #expect(try kind("link") == .symbolicLink)
        #expect(try kind("link", followsLinks: true) == .regular)
        #expect(try kind("pipe") == .special)
        #expect(try kind("nothing") == nil)
        #expect(try File.destination(ofLink: "link", in: folder.descriptor) == "file")
    }

    @Test func tellsSizePermissionsAndTime() throws {
        try make("file", "abc")
        let file = try folder.open("file")
        try File.setPermissions(0o640, of: file.rawValue)
        try File.setModified(784_111_777, of: file.rawValue)
        let byNumber = try File.status(of: file.rawValue)
        #expect(byNumber.size == 3 && byNumber.permissions == 0o640 && byNumber.modified == 784_111_777)
        #expect(try File.status(of: "file", in: folder.descriptor, followsLinks: false) == byNumber)
    }

    @Test func aPathThroughAFileIsAnErrorNotAnAbsence() throws {
        try make("file")
        #expect(throws: SystemError(call: "stat", errno: ENOTDIR)) {
            _ = try File.status(of: "file/below", in: folder.descriptor, followsLinks: true)
        }
    }

    @Test func descriptorsAreClosedOnExec() throws {
        let file = try folder.open("file")
        #expect(fcntl(file.rawValue, F_GETFD) & FD_CLOEXEC != 0)
    }

    // MARK: Names

    @Test func renamesOverWhatIsThere() throws {
        try make("a", "new")
        try make("b", "old")
        try File.rename("a", to: "b", in: folder.descriptor)
        #expect(try folder.contents(of: "b") == Array("new".utf8))
        #expect(names(in: folder.path) == ["b"])
    }

    @Test func renamesWithoutReplacing() throws {
        try make("a", "new")
        try make("b", "old")
        #expect(throws: SystemError(call: "rename", errno: EEXIST)) {
            try File.renameWithoutReplacing("a", to: "b", in: folder.descriptor)
        }
        #expect(try folder.contents(of: "b") == Array("old".utf8))
        try File.renameWithoutReplacing("a", to: "c", in: folder.descriptor)
        #expect(names(in: folder.path).sorted() == ["b", "c"])
    }

    @Test func aFolderThatIsThereIsFine() throws {
        try File.makeFolder("f", in: folder.descriptor)
        try File.makeFolder("f", in: folder.descriptor)
        try File.removeFolder("f", in: folder.descriptor)
        #expect(throws: SystemError(call: "rmdir", errno: ENOENT)) {
            try File.removeFolder("f", in: folder.descriptor)
        }
    }

    @Test func anErrorSpeaksTheSystemsWords() {
        #expect(SystemError(call: "open", errno: ENOENT).description == "open: No such file or directory")
        #expect(!SystemError.explanation(of: 12_345).isEmpty)
    }
}
