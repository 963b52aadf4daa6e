import Glibc
import NetworkProbes
import Replay
import TestSupport
import Testing

@testable import RawgetTool

@Suite("The file of --record", .timeLimit(.minutes(1)))
struct RecordFileTests {
    private let rig: RecordingRig

    init() throws { rig = try RecordingRig() }

    @Test("is its owner's alone, and replaces what had its name")
    func replaces() async throws {
        rig.folder.write("before", to: "r.wire", permissions: 0o666)
        Glibc.link(rig.folder.path(of: "r.wire"), rig.folder.path(of: "other name"))
        _ = await rig.run(["http://A/small", "-o", "x"])
        #expect(rig.folder.status(of: "r.wire")?.st_mode == S_IFREG | 0o600)
        #expect(rig.folder.text(of: "other name") == "before")
        #expect(try rig.recorded().hasPrefix("# Recorded from "))
        #expect(rig.folder.status(of: "r.wire.part") == nil)
    }

    @Test("may be written through a link")
    func link() async throws {
        rig.folder.makeFolder("real")
        rig.folder.write("before", to: "real/file")
        rig.folder.link("r.wire", to: "real/file")
        _ = await rig.run(["http://A/small", "-o", "x"])
        #expect(rig.folder.status(of: "real/file")?.st_mode == S_IFREG | 0o600)
        #expect(rig.folder.text(of: "real/file")?.hasPrefix("# Recorded") ?? false)
    }

    @Test("that cannot be written is told of; what was loaded stays")
    func unwritable() async throws {
        let name = "/dev/full"
        var run = await rig.run(["http://A/small", "-o", "x"], record: name)
        #expect(run.exit == 23 && run.errors.hasPrefix("rawget: (23) --record: could not write \(name): "))
        #expect(rig.folder.text(of: "x") == "GET /small: 0\n")
        run = await rig.run(["http://A/missing"], record: name)
        #expect(run.exit == 22, "the first failure counts")
    }

    @Test("must have a name", arguments: ["-", ""])
    func names(name: String) async throws {
        let run = await rig.run(["http://A/small", "-o", "x"], record: name)
        #expect(run.exit == 2 && rig.folder.status(of: "x") == nil)
        #expect(run.errors.hasPrefix("rawget: (2) --record: "), "\(run.errors)")
    }

    @Test("a device is written, not replaced")
    func device() async throws {
        mkfifo(rig.folder.path(of: "pipe"), 0o600)
        let reader = open(rig.folder.path(of: "pipe"), O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        defer { close(reader) }
        let run = await rig.run(["http://A/small", "-o", "x"], record: "pipe")
        #expect(run.exit == 0, "\(run.errors)")
        var octets = [UInt8](repeating: 0, count: 10)
        #expect(read(reader, &octets, 10) == 10 && octets == Array("# Recorded".utf8))
        #expect(rig.folder.status(of: "pipe").map { $0.st_mode & S_IFMT } == S_IFIFO)
    }

    @Test("of a run that a person interrupts says when")
    func interruption() async throws {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        let (reading, writing) = (ends[0], ends[1])
        let server = try serve { _ in
            // What has been sent is on its way before the person does anything.
            [
                .send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf\n"),
                .check { _ in
                    var octet: UInt8 = 1
                    return write(writing, &octet, 1) == 1 ? nil : "not written"
                }, .stall,
            ]
        }
        let run = await rawget(
            ["--record", "r.wire", "-o", "x", "http://\(server.authority)/"], in: rig.folder
        ) { $0.interruptions = { reading } }
        #expect(run.exit == 130, "\(run.errors)")
        let lines = try rig.recorded().split(separator: "\n")
        #expect(
            lines.contains("= exit 130") && lines.filter { $0.hasPrefix("! ") } == ["! interrupt", "! stall"])
        #expect(
            lines.contains("= file x.part is blob content") || lines.contains("= file x.part is \"half\\n\""))
        #expect(try await problems(playing: Array(rig.recorded().utf8)) == [])
    }

    @Test("is not written when nothing was under way")
    func interruptedEarly() async throws {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        let reading = ends[0]
        var octet: UInt8 = 1
        #expect(write(ends[1], &octet, 1) == 1)
        let run = await rig.run(["http://A/silent"]) { $0.interruptions = { reading } }
        #expect(run.exit == 130)
        if rig.folder.status(of: "r.wire") == nil {
            #expect(run.errors.firstRange(of: "nothing was under way") != nil)
        }
    }
}
