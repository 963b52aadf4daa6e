import Glibc
import NetworkProbes
import System

/// The folder that a round's client works in: an ordinary one, or a small file system of its own.
final class WorkFolder: Sendable {
    /// Its absolute path.
    let path: String
    /// The folder, open.
    let descriptor: Int32
    private let parent = TemporaryFolder()
    private let isMounted: Bool

    /// A folder in a file system of `room` octets; `nil` where it cannot be mounted.
    init?(room: UInt64?) {
        guard let room else {
            path = parent.path
            descriptor = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            isMounted = false
            return
        }
        parent.makeFolder("small")
        path = parent.path(of: "small")
        isMounted = WorkFolder.run("mount", ["-t", "tmpfs", "-o", "size=\(room)", "none", path])
        descriptor = isMounted ? Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1
        guard isMounted else { return nil }
    }

    deinit {
        close(descriptor)
        if isMounted { _ = WorkFolder.run("umount", ["-l", path]) }
    }

    /// Makes a small file system large; whether it is.
    func makeRoom() -> Bool {
        !isMounted || WorkFolder.run("mount", ["-o", "remount,size=256m", path])
    }

    /// All names in it, sorted.
    func names() throws(SystemError) -> [String] { try File.names(in: descriptor).sorted() }

    /// The size of a file; 0 where there is none.
    func size(of name: String) throws(SystemError) -> UInt64 {
        try File.status(of: name, in: descriptor, followsLinks: false)?.size ?? 0
    }

    /// Runs a program of the system to its end; whether that went well.
    static func run(_ name: String, _ arguments: [String]) -> Bool {
        let quiet = Glibc.open("/dev/null", O_RDWR | O_CLOEXEC)
        defer { close(quiet) }
        let program = try? Program(
            "/usr/bin/env", [name] + arguments, environment: Client.environment, folder: quietFolder,
            input: quiet, output: quiet, errors: quiet)
        guard let program else { return false }
        var entry = pollfd(fd: program.watch, events: Int16(truncatingIfNeeded: POLLIN), revents: 0)
        while poll(&entry, 1, -1) < 0 {}
        return program.exitCode == 0
    }

    private static let quietFolder = Glibc.open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
}
