import Download
import Glibc
import HTTPClient
import Replay
import TestSupport
import Testing

@Suite("Content on its way to a file")
struct WritingTests {
    @Test("content of each size comes whole", arguments: [0, 1, 65_535, 65_536, 65_537, 1 << 20, 3 << 20])
    func sizes(_ count: Int) async throws {
        let content = Array(large.prefix(count))
        let rig = try Rig { request in
            request.target == "/chunked"
                ? answerInChunks(
                    stride(from: 0, to: count, by: 50_000).map {
                        Array(content[$0..<min($0 + 50_000, count)])
                    })
                : answer("200 OK", [], content)
        }
        #expect(try await rig.path(to: .path("plain")) == "plain")
        #expect(try await rig.path("/chunked", to: .path("chunked")) == "chunked")
        #expect(rig.folder.octets(of: "plain") == content)
        #expect(rig.folder.octets(of: "chunked") == content)
        #expect(rig.folder.names == ["chunked", "plain"])
    }

    @Test("content that ends with the connection comes whole")
    func untilClose() async throws {
        let rig = try Rig([.send("HTTP/1.1 200 OK\r\n\r\n"), .send(large), .close])
        #expect(try await rig.path(to: .path("file")) == "file")
        #expect(rig.folder.octets(of: "file") == large)
    }

    @Test("no octet of it is asked for or shown under the final name before it is whole")
    func hiddenUntilWhole() async throws {
        let rig = try Rig([
            .send("HTTP/1.1 200 OK\r\nContent-Length: 200000\r\n\r\n"), .sendRepeated([7], times: 199_999),
            .stall,
        ])
        let failure = try await rig.failure(to: .path("file")) {
            $0.options.totalTimeout = .milliseconds(300)
        }
        #expect(failure?.code == .timedOut)
        #expect(rig.folder.names == ["file.part"])
        #expect(rig.folder.octets(of: "file.part")?.count == 199_999)
    }

    @Test(
        "what a cut transfer brought stays in the part, which the error names",
        arguments: [1, 1000, 100_000, 1_000_000])
    func cut(_ count: Int) async throws {
        let rig = try Rig([
            .send("HTTP/1.1 200 OK\r\nContent-Length: \(largeCount)\r\n\r\n"),
            .send(Array(large.prefix(count))), .close,
        ])
        rig.folder.write("old", to: "file")
        let failure = try await rig.failure(to: .path("file"))
        #expect(failure?.code == .incompleteContent)
        #expect(failure?.detail.contains("\(largeCount)") == true)
        #expect(failure?.detail.contains("kept in file.part") == true)
        #expect(rig.folder.octets(of: "file.part") == Array(large.prefix(count)))
        #expect(rig.folder.text(of: "file") == "old")
    }

    @Test("chunked content that is cut stays in the part, too")
    func cutInChunks() async throws {
        let rig = try Rig([
            .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n186A0\r\n"),
            .send(Array(large.prefix(100_000))),
            .send("\r\n"), .close,
        ])
        let failure = try await rig.failure(to: .path("file"))
        #expect(failure?.code == .incompleteContent)
        #expect(rig.folder.octets(of: "file.part") == Array(large.prefix(100_000)))
    }

    @Test("a transfer that is cut before any content leaves nothing")
    func cutAtHead() async throws {
        let rig = try Rig([.send("HTTP/1.1 200 OK\r\nContent-Length: \(largeCount)\r\n\r\n"), .close])
        let failure = try await rig.failure(to: .path("file"))
        #expect(failure?.code == .incompleteContent)
        #expect(rig.folder.names.isEmpty)
    }

    @Test("error answers are saved or not, as the plan says")
    func errorAnswers() async throws {
        let rig = try Rig(answer("404 Not Found", ["Content-Type: text/plain"], "not here"))
        #expect(try await rig.path(to: .path("saved")) == "saved")
        #expect(rig.folder.text(of: "saved") == "not here")
        #expect(try await rig.path(to: .path("none")) { $0.savesErrorAnswers = false } == nil)
        #expect(rig.folder.names == ["saved"])
        #expect(rig.server.connectionCount == 1)
    }

    @Test("a device is written in place", arguments: [1000, 3 << 20])
    func device(_ count: Int) async throws {
        let rig = try Rig(answer("200 OK", [], Array(large.prefix(count))))
        #expect(try await rig.path(to: .path("/dev/null")) == "/dev/null")
        #expect(rig.folder.names.isEmpty)
        var status = stat()
        #expect(stat("/dev/null", &status) == 0 && status.st_mode & S_IFMT == S_IFCHR)
    }

    @Test("a named pipe is written in place")
    func pipe() async throws {
        let rig = try Rig(answer("200 OK", [], "through a pipe"))
        let path = rig.folder.path(of: "pipe")
        #expect(mkfifo(path, 0o600) == 0)
        // A pipe with both ends in one descriptor: opening it to write waits for nobody.
        let reader = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        defer { close(reader) }
        #expect(try await rig.path(to: .path("pipe")) == "pipe")
        var octets = [UInt8](repeating: 0, count: 100)
        let count = read(reader, &octets, 100)
        #expect(String(decoding: octets.prefix(max(0, count)), as: UTF8.self) == "through a pipe")
        #expect(rig.folder.names == ["pipe"])
    }

    @Test("a full device is told, and what is wrong with it", arguments: [1000, 3 << 20])
    func full(_ count: Int) async throws {
        let rig = try Rig(answer("200 OK", [], Array(large.prefix(count))))
        let failure = try await rig.failure(to: .path("/dev/full"))
        #expect(failure?.code == .writeFailed)
        #expect(failure?.errno == ENOSPC)
        #expect(failure?.detail == "could not write /dev/full: no space is left on the device")
    }

    @Test("a read-only file system is told", arguments: [1000, 3 << 20])
    func readOnly(_ count: Int) async throws {
        // /proc takes no new file; as its own errors differ, what counts is that the name is told and nothing hangs.
        let rig = try Rig(answer("200 OK", [], Array(large.prefix(count))))
        let failure = try await rig.failure(to: .path("/proc/rawget-test"))
        #expect(failure?.code == .writeFailed)
        #expect(failure?.detail.contains("/proc/rawget-test") == true)
    }

    @Test("a folder that vanishes is told")
    func vanishedFolder() async throws {
        let rig = try Rig(answer("200 OK", [], "x"))
        rig.folder.makeFolder("gone")
        let inner = open(rig.folder.path(of: "gone"), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { close(inner) }
        rmdir(rig.folder.path(of: "gone"))
        let failure = try await rig.failure(to: .path("file")) { $0.folder = inner }
        #expect(failure?.code == .writeFailed)
        #expect(failure?.errno == ENOENT)
    }

    @Test("a folder that vanishes during the transfer makes it fail, and no file appears elsewhere")
    func vanishingFolder() async throws {
        let folder = TemporaryFolder()
        folder.makeFolder("out")
        let rig = try Rig { _ in
            [
                .send("HTTP/1.1 200 OK\r\nContent-Length: \(largeCount)\r\n\r\n"),
                .send(Array(large.prefix(1 << 20))),
                .check { _ in
                    // Until it is written through, the file may not be there.
                    var tries = 0
                    while unlink(folder.path(of: "out/file.part")) != 0, tries < 500 {
                        usleep(10_000)
                        tries += 1
                    }
                    return rmdir(folder.path(of: "out")) == 0 ? nil : "the folder could not be removed"
                },
                .send(Array(large.dropFirst(1 << 20))),
            ]
        }
        let failure = try await rig.failure(to: .path(folder.path(of: "out/file")))
        #expect(rig.server.complaints.isEmpty)
        #expect(failure?.code == .writeFailed)
        #expect(failure?.errno == ENOENT)
        #expect(folder.names.isEmpty)
    }

    @Test("a file's date is the server's where that is wanted")
    func remoteTime() async throws {
        let rig = try Rig(answer("200 OK", ["Last-Modified: Mon, 01 Jun 2015 03:58:27 GMT"], "x"))
        _ = try await rig.path(to: .path("dated")) { $0.setsModified = true }
        _ = try await rig.path(to: .path("fresh"))
        #expect(rig.folder.status(of: "dated")?.st_mtim.tv_sec == 1_433_131_107)
        #expect((rig.folder.status(of: "fresh")?.st_mtim.tv_sec ?? 0) > 1_600_000_000)
    }

    @Test("content larger than allowed is refused, declared or not", arguments: [true, false])
    func tooLarge(_ isDeclared: Bool) async throws {
        let rig = try Rig(isDeclared ? largeAnswer : answerInChunks([large]))
        let failure = try await rig.failure(to: .path("file")) { $0.options.maximumContentLength = 100_000 }
        #expect(failure?.code == .tooLarge)
        #expect(rig.folder.status(of: "file") == nil)
        if isDeclared { #expect(rig.folder.names.isEmpty) }
    }

    @Test("heads go before the content where that is wanted")
    func heads() async throws {
        let rig = try Rig(
            [.send("HTTP/1.1 103 Early\r\nA: b\r\n\r\n")] + answer("200 OK", ["C: d"], "content"))
        _ = try await rig.path(to: .path("file")) { $0.includesHeads = true }
        #expect(
            rig.folder.text(of: "file")
                == "HTTP/1.1 103 Early\r\nA: b\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 7\r\nC: d\r\n\r\ncontent"
        )
    }

    @Test("content for nowhere is received and dropped")
    func nowhere() async throws {
        let rig = try Rig(largeAnswer)
        let result = try await rig.download(to: .nowhere).get()
        #expect(result.path == nil)
        #expect(result.report.contentOctets == UInt64(largeCount))
        #expect(rig.folder.names.isEmpty)
    }
}
