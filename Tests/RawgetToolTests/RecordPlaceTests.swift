import Glibc
import Replay
import TestSupport
import Testing

@testable import RawgetTool

@Suite("A recording replaces no file of its run", .timeLimit(.minutes(1)))
struct RecordPlaceTests {
    private let rig: RecordingRig

    init() throws {
        rig = try RecordingRig()
        rig.folder.write("mine", to: "mine")
        rig.folder.write("url = \(rig.filled("A/"))small", to: "config")
        rig.folder.write("X: y", to: "fields")
        Glibc.link(rig.folder.path(of: "mine"), rig.folder.path(of: "hard"))
        rig.folder.link("soft", to: "mine")
        rig.folder.link("dangling", to: "out")
        rig.folder.makeFolder("folder")
        rig.folder.link("way", to: "folder")
        rig.folder.write("old", to: "folder/old")
    }

    @Test(
        "where it has no place nothing is sent",
        arguments: [
            ("nowhere/r.wire", "there is no folder for nowhere/r.wire"), ("folder", "folder is a folder"),
        ])
    func noPlace(record: String, reason: String) async {
        let run = await rig.run(["-o", "o", "http://A/small"], record: record)
        #expect(run.exit == 23)
        #expect(run.errors.contains(reason), "\(run.errors)")
        #expect(!rig.folder.names.contains("o"))
    }

    @Test(
        "where that is known before it begins: nothing is sent",
        arguments: [
            ("out", ["-o", "out", "http://A/small"], "is named by -o for content"),
            ("./out", ["-o", "out", "http://A/small"], "is named by -o for content"),
            ("out", ["-o", ".//out", "http://A/small"], "is named by -o for content"),
            ("dangling", ["-o", "out", "http://A/small"], "is named by -o for content"),
            ("out", ["-o", "dangling", "http://A/small"], "is named by -o for content"),
            ("way/x", ["-o", "folder/x", "http://A/small"], "is named by -o for content"),
            ("folder/../x", ["-o", "x", "http://A/small"], "is named by -o for content"),
            (
                "new/x", ["--create-dirs", "--output-dir", "new", "-o", "x", "http://A/small"],
                "is named by -o for content"
            ),
            ("folder/small", ["--output-dir", "way", "-O", "http://A/small"], "is named by -O for content"),
            ("small", ["-O", "http://A/small"], "is named by -O for content"),
            (
                "two", ["-o", "one", "http://A/small", "--next", "-o", "two", "http://A/2"],
                "is named by -o for content"
            ),
            ("new", ["--create-dirs", "-o", "new/x", "http://A/small"], "is a folder that outputs go to"),
            (
                "folder", ["--output-dir", "folder", "-O", "http://A/small"],
                "is named by --output-dir as a folder"
            ),
            ("heads", ["-D", "heads", "http://A/small"], "is named by -D for heads"),
            ("mine", ["--unix-socket", "mine", "http://A/small"], "is a file that this command reads"),
            ("mine", ["-T", "mine", "http://A/"], "holds content of a request"),
            ("soft", ["-T", "mine", "http://A/"], "holds content of a request"),
            ("hard", ["-T", "mine", "http://A/"], "holds content of a request"),
            ("mine", ["-d", "@soft", "http://A/"], "holds content of a request"),
            ("mine", ["--data-urlencode", "n@mine", "http://A/"], "holds content of a request"),
            ("config", ["-K", "config"], "is a file that this command reads"),
            ("fields", ["-H", "@fields", "http://A/"], "is a file that this command reads"),
            ("mine", ["--url-query", "n@mine", "http://A/"], "is a file that this command reads"),
            ("mine", ["-w", "@mine", "http://A/"], "is a file that this command reads"),
            ("mine", ["-E", "mine", "http://A/"], "is a file that this command reads"),
            (
                "mine", ["-E", "fields:pass", "--key", "soft", "http://A/"],
                "is a file that this command reads"
            ),
            ("mine", ["--cacert", "mine", "http://A/"], "is a file that this command reads"),
            ("mine", ["--pinnedpubkey", "mine", "http://A/"], "is a file that this command reads"),
            ("folder/old", ["--capath", "gone:way", "http://A/"], "is a file that this command reads"),
            (
                "mine", ["http://A/a", "--next", "-k", "--key", "mine", "-E", "fields", "http://A/"],
                "is a file that this command reads"
            ),
            ("mine", ["-z", "mine", "http://A/"], "is a file that this command reads"),
        ])
    func refused(record: String, arguments: [String], reason: String) async throws {
        let before = rig.folder.names
        let run = await rig.run(arguments, record: record)
        #expect(run.exit == 23)
        #expect(
            run.errors == "rawget: (23) --record: \(record) \(reason): the recording would replace it\n")
        #expect(rig.first.requests.isEmpty)
        #expect(rig.folder.names == before && rig.folder.text(of: "mine") == "mine")
    }

    @Test("nor a stream that is a file")
    func streams() async throws {
        for kind in 0..<3 {
            let file = open(rig.folder.path(of: "mine"), O_RDWR | O_APPEND | O_CLOEXEC)
            defer { close(file) }
            let run = await rig.run(["http://A/small"], record: "mine") { invocation in
                switch kind {
                case 0: invocation.standardInput = file
                case 1: invocation.standardOutput = file
                default: invocation.standardError = file
                }
            }
            #expect(run.exit == 23, "\(kind)")
            #expect(rig.folder.text(of: "mine")?.hasPrefix("mine") ?? false)
        }
        #expect(rig.first.requests.isEmpty)
    }

    @Test("nor a file that the environment names")
    func environment() async throws {
        for (name, value) in [
            ("SSL_CERT_FILE", "mine"), ("CURL_CA_BUNDLE", "soft"), ("SSL_CERT_DIR", "folder:."),
            ("SSLKEYLOGFILE", "./mine"),
        ] {
            let run = await rig.run(["http://A/small"], record: "mine") {
                $0.environment = { $0 == name ? value : nil }
            }
            #expect(run.exit == 23 && rig.folder.text(of: "mine") == "mine", "\(name): \(run.errors)")
        }
        #expect(rig.first.requests.isEmpty)
    }

    @Test(
        "where only the run shows it: the recording gets a number",
        arguments: [
            ("named.txt", ["http://A/named"], "named.txt", Int32(0)),
            ("small", ["http://A/small"], "small", 0),
            ("x.part", ["-o", "x", "http://A/cut"], "x.part", 18),
            ("x.part", ["-o", "x", "-m", "0.3", "http://A/stall"], "x.part", 28),
            ("x.1", ["-o", "x", "http://A/small", "-o", "x", "http://A/small"], "x.1", 0),
        ])
    func numbered(record: String, arguments: [String], left: String, exit: Int32) async throws {
        let run = await rig.run(arguments, record: record)
        #expect(run.exit == exit)
        #expect(
            run.errors.firstRange(
                of: "--record: the run has written \(record) itself; the recording is \(record).1\n") != nil,
            "\(run.errors)")
        #expect(!(rig.folder.text(of: left)?.hasPrefix("# Recorded") ?? true))
        let text = try rig.recorded("\(record).1")
        #expect(text.hasPrefix("# Recorded"))
        #expect(try await problems(playing: Array(text.utf8)) == [], "\(text)")
    }

    @Test("but the one of an earlier run")
    func again() async throws {
        for _ in 0..<2 { #expect(await rig.run(["-o", "x", "http://A/small"]).errors == "") }
        #expect(!rig.folder.names.contains("r.wire.1"))
    }

    @Test("a file that replaced an earlier recording stays")
    func replaced() async throws {
        rig.folder.write("an earlier one", to: "small")
        let run = await rig.run(["http://A/small"], record: "small")
        #expect(run.exit == 0 && rig.folder.text(of: "small") == "GET /small: 0\n", "\(run.errors)")
        #expect(try rig.recorded("small.1").hasPrefix("# Recorded"))
    }

    @Test("the null device takes both")
    func device() async throws {
        let run = await rig.run(["-o", "/dev/null", "-T", "/dev/null", "http://A/x"], record: "/dev/null")
        #expect(run.exit == 0 && run.errors == "", "\(run.errors)")
    }
}
