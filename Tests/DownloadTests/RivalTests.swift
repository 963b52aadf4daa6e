import Download
import Glibc
import HTTPClient
import Replay
import TestSupport
import Testing

@Suite("Files that others want, too")
struct RivalTests {
    /// 100,000 octets of one letter, the second half of them after `pause`.
    private static func slowly(_ letter: UInt8, _ pause: Duration) -> [Script.Step] {
        [
            .send("HTTP/1.1 200 OK\r\nContent-Length: 200000\r\n\r\n"),
            .sendRepeated([letter], times: 100_000),
            .pause(pause), .sendRepeated([letter], times: 100_000),
        ]
    }

    @Test("a part and a file of its name are kept apart in one run")
    func partAndName() async throws {
        let rig = try Rig { request in
            request.target == "/a"
                ? Self.slowly(0x41, .milliseconds(300)) : Self.slowly(0x50, .milliseconds(50))
        }
        let names = TakenNames()
        nonisolated(unsafe) let shared = names  // Safety: both downloads touch it on the network loop only
        async let first = rig.path("/a", to: .requestedName) { $0.takenNames = shared }
        #expect(rig.server.waitForRequests(1))
        async let second = rig.path("/a.part", to: .requestedName) { $0.takenNames = shared }
        let (one, other) = try await (first, second)
        #expect(one == "a")
        #expect(rig.folder.octets(of: "a") == [UInt8](repeating: 0x41, count: 200_000))
        let rival = try #require(other)
        #expect(rival != "a" && rival.hasPrefix("a.part"))
        #expect(rig.folder.octets(of: rival) == [UInt8](repeating: 0x50, count: 200_000))
    }

    @Test("a part that another program has replaced does not get the name")
    func replacedPart() async throws {
        let rig = try Rig { _ in Self.slowly(0x41, .milliseconds(400)) }
        rig.folder.write("old", to: "a")
        async let download = rig.failure("/a", to: .requestedName)
        #expect(rig.folder.waitForFile("a.part"))
        rig.folder.write("rival", to: "rival")
        rig.folder.rename("rival", to: "a.part")
        let failure = try await download
        #expect(failure?.code == .writeFailed && failure?.errno == ESTALE)
        #expect(rig.folder.text(of: "a") == "old")
    }

    @Test("a pipe under the name is written in place; without a reader that is an error, not a wait")
    func pipe() async throws {
        let rig = try Rig([.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")])
        #expect(mkfifoat(rig.folder.descriptor, "file.bin", 0o600) == 0)
        for destination in [Destination.requestedName, .path("file.bin")] {
            let failure = try await rig.failure(to: destination)
            #expect(failure?.code == .writeFailed && failure?.errno == ENXIO)
        }
        let reader = openat(rig.folder.descriptor, "file.bin", O_RDONLY | O_NONBLOCK)
        defer { close(reader) }
        #expect(try await rig.path(to: .path("file.bin")) == "file.bin")
        var octets = [UInt8](repeating: 0, count: 16)
        #expect(read(reader, &octets, 16) == 5)
        #expect(octets.prefix(5).elementsEqual("hello".utf8))
    }

    @Test("a server's name that a folder has gets a number")
    func folderUnderServerName() async throws {
        let rig = try Rig(
            [
                .send(
                    "HTTP/1.1 200 OK\r\nContent-Disposition: attachment; filename=d\r\nContent-Length: 1\r\n\r\nx"
                )
            ])
        #expect(mkdirat(rig.folder.descriptor, "d", 0o700) == 0)
        #expect(try await rig.path(to: .suggestedName) == "d.1")
    }
}
