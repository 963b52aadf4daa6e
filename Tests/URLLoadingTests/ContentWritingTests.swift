import Glibc
import HTTPClient
import System
import TestSupport
import Testing
import URLLoading

@Suite("Content is written to a file (D3)")
struct ContentWritingTests {
    private let place = TemporaryFolder()

    private func path(_ name: String) -> String { place.path(of: name) }

    @Test(
        "it makes a file, and replaces a longer one, which keeps its permissions", arguments: [true, false])
    func writing(_ atomically: Bool) throws {
        try [UInt8]("content".utf8).write(toFile: path("file"), atomically: atomically)
        #expect(place.text(of: "file") == "content")
        chmod(path("file"), 0o640)
        try [UInt8]("new".utf8).write(toFile: path("file"), atomically: atomically)
        #expect(place.text(of: "file") == "new")
        #expect(place.status(of: "file").map { $0.st_mode & 0o777 } == 0o640)
        try [UInt8]().write(toFile: path("file"), atomically: atomically)
        #expect(place.octets(of: "file") == [])
        #expect(place.names == ["file"])
    }

    @Test("atomically: who has the old file open keeps it whole")
    func replacing() throws {
        place.write("old", to: "file")
        place.write("stays", to: "file.new")
        let old = try place.open("file", flags: O_RDONLY)
        try [UInt8]("new".utf8).write(toFile: path("file"), atomically: true)
        #expect(String(decoding: contents(ofDescriptor: old.rawValue), as: UTF8.self) == "old")
        #expect(place.text(of: "file") == "new" && place.text(of: "file.new") == "stays")
        try [UInt8]("third".utf8).write(toFile: path("file"), atomically: false)
        #expect(place.names == ["file", "file.new"])
    }

    @Test("a link is followed, to a file that is there or not", arguments: [true, false])
    func links(_ atomically: Bool) throws {
        place.makeFolder("folder")
        place.link("link", to: "folder/file")
        for text in ["first", "second"] {
            try [UInt8](text.utf8).write(toFile: path("link"), atomically: atomically)
            #expect(place.text(of: "folder/file") == text)
        }
        #expect(place.status(of: "link").map { $0.st_mode & S_IFMT } == S_IFLNK)
    }

    @Test("a pipe is written to, not replaced", arguments: [true, false])
    func pipe(_ atomically: Bool) throws {
        mkfifo(path("pipe"), 0o644)
        do {
            let reader = try place.open("pipe", flags: O_RDONLY | O_NONBLOCK)
            try [UInt8]([1, 2, 3]).write(toFile: path("pipe"), atomically: atomically)
            var octets = [UInt8](repeating: 0, count: 10)
            #expect(read(reader.rawValue, &octets, 10) == 3)
        }
        let error = #expect(throws: TransferError.self) {
            try [UInt8]([1]).write(toFile: path("pipe"), atomically: atomically)
        }
        #expect(error?.detail == "could not write \(path("pipe")): nobody reads from the pipe")
    }

    @Test("why it could not be written is told", arguments: [true, false])
    func failures(_ atomically: Bool) {
        place.makeFolder("folder")
        for (name, cause) in [
            ("folder", "a folder of that name exists"), ("gone/file", "its folder does not exist"),
        ] {
            let error = #expect(throws: TransferError.self) {
                try [UInt8]([1]).write(toFile: path(name), atomically: atomically)
            }
            #expect(error?.code == .writeFailed && error?.errno != nil)
            #expect(error?.detail == "could not write \(path(name)): \(cause)")
        }
        #expect(throws: TransferError.self) {
            try [UInt8]([1]).write(toFile: path("a\0b"), atomically: atomically)
        }
        #expect(place.names == ["folder"])
    }
}
