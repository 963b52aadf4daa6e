import Download
import Glibc
import HTTPClient
import System
import TestSupport
import Testing

@Suite("Content is written to a file piece by piece (D5, D8)")
struct FileWriterTests {
    private let folder = TemporaryFolder()

    @Test("an empty file is made at once, and grows with each piece")
    func creating() throws {
        folder.write("an old file", to: "file")
        let writer = try FileWriter(creating: "file", in: folder.descriptor)
        #expect(folder.octets(of: "file") == [] && writer.offset == 0 && writer.path == "file")
        try writer.write([1, 2, 3])
        #expect(folder.octets(of: "file") == [1, 2, 3] && writer.offset == 3)
        let more: [UInt8] = [4, 5, 6]
        try writer.write(more.span.extracting(first: 2))
        try writer.write([])
        #expect(folder.octets(of: "file") == [1, 2, 3, 4, 5] && writer.offset == 5)
    }

    @Test("it goes on where a file ends, or begins one")
    func appending() throws {
        folder.write([1, 2], to: "file")
        for name in ["file", "new"] {
            let writer = try FileWriter(appendingTo: folder.path(of: name))
            #expect(writer.offset == (name == "file" ? 2 : 0))
            try writer.write([3])
            try writer.synchronize()
            try writer.close()
        }
        #expect(folder.octets(of: "file") == [1, 2, 3])
        #expect(folder.octets(of: "new") == [3])
    }

    @Test("writing after the end is an error, closing twice is none")
    func closed() throws {
        let writer = try FileWriter(creating: "file", in: folder.descriptor)
        try writer.write([1])
        try writer.close()
        try writer.close()
        let error = #expect(throws: TransferError.self) { try writer.write([2]) }
        #expect(error?.code == .writeFailed)
        #expect(error?.detail == "could not write file: its writer is closed")
        #expect(throws: TransferError.self) { try writer.synchronize() }
        #expect(writer.offset == 1 && folder.octets(of: "file") == [1])
    }

    @Test("what cannot be opened is told with its path")
    func unopened() throws {
        folder.makeFolder("folder")
        mkfifo(folder.path(of: "pipe"), 0o644)
        for (name, cause) in [
            ("folder", "a folder of that name exists"), ("gone/file", "its folder does not exist"),
            ("pipe", "nobody reads from the pipe"),
        ] {
            for isNew in [true, false] {
                let error = #expect(throws: TransferError.self) {
                    _ =
                        isNew
                        ? try FileWriter(creating: name, in: folder.descriptor)
                        : try FileWriter(appendingTo: name, in: folder.descriptor)
                }
                #expect(error?.code == .writeFailed)
                #expect(error?.detail == "could not write \(name): \(cause)")
            }
        }
        #expect(throws: TransferError.self) { try FileWriter(creating: "a\0b", in: folder.descriptor) }
        #expect(folder.names == ["folder", "pipe"])
    }

    @Test("a full disk is told, and how much was written is known")
    func fullDisk() throws {
        let writer = try FileWriter(appendingTo: "/dev/full")
        let error = #expect(throws: TransferError.self) { try writer.write([1]) }
        #expect(error?.detail == "could not write /dev/full: no space is left on the device")
        #expect(error?.errno == ENOSPC && writer.offset == 0)
    }

    @Test("a pipe takes what it can hold and is waited for")
    func pipe() throws {
        mkfifo(folder.path(of: "pipe"), 0o644)
        let reader = try folder.open("pipe", flags: O_RDONLY | O_NONBLOCK)
        let writer = try FileWriter(appendingTo: "pipe", in: folder.descriptor)
        try writer.write([1, 2, 3])
        try writer.synchronize()
        try writer.close()
        var octets = [UInt8](repeating: 0, count: 10)
        #expect(read(reader.rawValue, &octets, 10) == 3 && writer.offset == 3)
        #expect(read(reader.rawValue, &octets, 10) == 0)
    }

    @Test("pieces from many threads stay whole")
    func threads() async throws {
        let writer = try FileWriter(creating: "file", in: folder.descriptor)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    for _ in 0..<50 { try writer.write([UInt8](repeating: UInt8(number), count: 100)) }
                }
            }
            try await group.waitForAll()
        }
        let octets = try #require(folder.octets(of: "file"))
        #expect(octets.count == 40_000 && writer.offset == 40_000)
        for start in stride(from: 0, to: octets.count, by: 100) {
            #expect(Set(octets[start..<start + 100]).count == 1)
        }
    }

    @Test("the file is closed when nobody holds the writer any more")
    func lifetime() throws {
        func open() -> Int {
            (3..<1024).count { fcntl(Int32($0), F_GETFD) >= 0 && isFile(Int32($0)) }
        }
        func isFile(_ descriptor: Int32) -> Bool {
            var (own, wanted) = (stat(), stat())
            return fstat(descriptor, &own) == 0 && lstat(folder.path(of: "file"), &wanted) == 0
                && own.st_ino == wanted.st_ino && own.st_dev == wanted.st_dev
        }
        var writer: FileWriter? = try FileWriter(creating: "file", in: folder.descriptor)
        #expect(writer != nil && open() == 1)
        writer = nil
        #expect(open() == 0)
    }
}
