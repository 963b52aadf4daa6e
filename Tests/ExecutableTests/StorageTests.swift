import Glibc
import TestSupport
import Testing

/// What disks do to downloads needs file systems of one's own, in a namespace that no other process sees.
@Suite("Disks that refuse", .serialized)
struct StorageTests {
    private let nginx: Nginx
    private let folder = TemporaryFolder()

    /// Whether a private namespace for mounts can be had.
    static let canMount =
        getuid() == 0 && succeeds("unshare", ["-m", "mount", "-t", "tmpfs", "none", "/mnt"])

    init() throws { nginx = try #require(Nginx.shared, "nginx is needed: .ci/setup installs it") }

    /// Whether a process without the superuser's rights can be had.
    static let canDropRights =
        getuid() != 0 || succeeds("setpriv", ["--reuid", "65534", "--clear-groups", "true"])

    private static func succeeds(_ program: String, _ arguments: [String]) -> Bool {
        let process = ChildProcess(program, arguments)
        for _ in 0..<500 where !process.hasEnded { usleep(10_000) }
        return process.ended == .exit(0)
    }

    /// Runs a script with the executable as `$0` and the server's address as `$1`; its output and errors.
    private func run(
        _ script: String, isPrivate: Bool = true
    ) async -> (ending: ChildProcess.Ending, text: String) {
        let output = NamelessFile()
        let shell = ChildProcess(
            isPrivate ? "unshare" : "env",
            (isPrivate ? ["-m"] : []) + ["bash", "-c", script, Executable.path, nginx.url("")],
            in: folder.path, output: output.descriptor, errors: output.descriptor)
        return (await shell.ending(), output.text)
    }

    @Test(
        "a disk that is full keeps what fits as the part, and says so",
        .enabled(if: canMount), arguments: ["middle", "included/middle"])
    func full(_ name: String) async throws {
        folder.makeFolder("disk")
        let result = await run(
            """
            mount -t tmpfs -o size=1m none disk; cd disk; "$0" -o file "$1\(name)"; echo "exit $?"
            for name in *; do echo "$name"; done; stat -c %s file.part
            """)
        #expect(result.text.contains("could not write file: no space is left on the device"))
        #expect(result.text.contains("kept in file.part"))
        // The record takes a page of the megabyte.
        #expect(result.text.hasSuffix("exit 23\nfile.part\n1044480\n"), "\(result.text)")
    }

    @Test("small content that does not fit is told just so", .enabled(if: canMount))
    func fullForSmallContent() async throws {
        folder.makeFolder("disk")
        let result = await run(
            """
            mount -t tmpfs -o size=64k none disk; cd disk; head -c 65536 /dev/zero >all; "$0" -o file "$1"small.txt
            echo "exit $?"; ls file 2>&1
            """)
        #expect(result.text.contains("could not write file: no space is left on the device"))
        #expect(result.text.contains("exit 23\n"))
        #expect(result.text.contains("cannot access"))
    }

    @Test("a read-only file system is told", .enabled(if: canMount), arguments: ["small.txt", "middle"])
    func readOnly(_ name: String) async throws {
        folder.makeFolder("disk")
        let result = await run(
            """
            mount -t tmpfs -o ro none disk; cd disk; "$0" -o file "$1\(name)"; echo "exit $?"
            """)
        #expect(result.text.contains("could not write file: the file system is read-only"), "\(result.text)")
        #expect(result.text.hasSuffix("exit 23\n"))
    }

    @Test(
        "a folder without the right to write is told", .enabled(if: canDropRights),
        arguments: ["small.txt", "middle"])
    func denied(_ name: String) async throws {
        folder.makeFolder("closed")
        chmod(folder.path(of: "closed"), 0o555)
        // The superuser may write everywhere, and the executable may stand where others cannot go.
        let result = await run(
            """
            cp "$0" . && chmod 755 . rawget; cd closed; run=../rawget
            [ $(id -u) != 0 ] || run="setpriv --reuid 65534 --regid 65534 --clear-groups ../rawget"
            $run -o file "$1\(name)"; echo "exit $?"
            """, isPrivate: false)
        #expect(result.text.contains("could not write file: permission denied"), "\(result.text)")
        #expect(result.text.hasSuffix("exit 23\n"))
    }

    @Test(
        "a file may not grow beyond the process's limit",
        .enabled(if: !isSanitized, "the limit ends the sanitizer"),
        arguments: [100])
    func limited(_ kibibytes: Int) async throws {
        let output = NamelessFile()
        let shell = ChildProcess(
            "bash",
            [
                "-c", #"trap '' XFSZ; ulimit -f "$2"; "$0" -o file "$1"; echo "exit $?""#, Executable.path,
                nginx.url("middle"),
                "\(kibibytes)",
            ],
            in: folder.path, output: output.descriptor, errors: output.descriptor)
        #expect(await shell.ending() == .exit(0))
        #expect(
            output.text.contains("could not write file: the file would be larger than is allowed"),
            "\(output.text)")
        #expect(output.text.hasSuffix("exit 23\n"))
        // How much fits before the kernel refuses a whole piece depends on what came with the head.
        #expect(folder.status(of: "file") == nil)
    }
}
