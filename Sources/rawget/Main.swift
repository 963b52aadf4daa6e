import CLinux
import Glibc
import RawgetTool
import System
import Transport

/// The executable: gives the command the world as it is, and is the only place that touches it.
@main
struct Main {
    static func main() {
        occupyClosedStreams()
        signal(SIGPIPE, SIG_IGN)
        // A limit to the size of files shows as EFBIG, which is told; the signal would kill.
        signal(SIGXFSZ, SIG_IGN)
        let (arguments, malformed) = arguments()
        var invocation = Invocation(
            arguments: arguments, directory: File.workingDirectory, standardInput: 0,
            standardOutput: 1, standardError: 2)
        invocation.malformedArgument = malformed
        invocation.environment = { name in
            // Safety: the text is copied before anything could change the environment, which nothing here does.
            getenv(name).map { String(cString: $0) }
        }
        invocation.isTerminal = { isatty($0) == 1 }
        invocation.columns = { clinux_columns(2) > 0 ? Int(clinux_columns(2)) : 80 }
        invocation.interruptions = {
            let descriptor = clinux_catch_signals([SIGINT, SIGTERM, SIGHUP], 3)
            return descriptor >= 0 ? descriptor : nil
        }
        invocation.interruptionStatus = { 128 + clinux_caught_signal() }
        guard Invocation.loop.isUsable else { exit(invocation.tellUnusable()) }
        let call = invocation
        exit(Invocation.loop.run { await call.run() })
    }

    /// Puts something on each standard stream that is closed, so that no socket or file lands there: it ends at once
    /// when read, and writing fails as it would without it.
    private static func occupyClosedStreams() {
        for stream: Int32 in 0...2 where fcntl(stream, F_GETFD) < 0 {
            // The lowest number that is free is this one. A folder, since a device could be opened again for writing
            // by way of its descriptor.
            if stream > 0, clinux_openat(AT_FDCWD, "/", O_RDONLY | O_DIRECTORY, 0) == stream { continue }
            _ = clinux_openat(AT_FDCWD, "/dev/null", O_RDONLY, 0)
        }
    }

    /// The arguments, and the index of the first that is not UTF-8: `CommandLine.arguments` would hide it.
    private static func arguments() -> ([String], malformed: Int?) {
        var arguments: [String] = []
        var malformed: Int?
        for index in 0..<Int(CommandLine.argc) {
            // Safety: the system ends each argument by a NUL and keeps them as long as the process lives.
            guard let octets = CommandLine.unsafeArgv[index] else { break }
            if let argument = String(validatingCString: octets) {
                arguments.append(argument)
            } else {
                arguments.append(String(cString: octets))
                malformed = malformed ?? index
            }
        }
        return (arguments, malformed)
    }
}
