import CLinux
import Glibc
import RawgetTool
import System
import Transport

/// The executable: gives the command the world as it is, and is the only place that touches it.
@main
struct Main {
    static func main() {
        signal(SIGPIPE, SIG_IGN)
        var invocation = Invocation(
            arguments: CommandLine.arguments, directory: File.workingDirectory, standardInput: 0,
            standardOutput: 1, standardError: 2)
        invocation.environment = { name in
            // Safety: the text is copied before anything could change the environment, which nothing here does.
            getenv(name).map { String(cString: $0) }
        }
        invocation.isTerminal = { isatty($0) == 1 }
        invocation.columns = { clinux_columns(2) > 0 ? Int(clinux_columns(2)) : 80 }
        let signals = clinux_signalfd([SIGINT, SIGTERM, SIGHUP], 3)
        if signals >= 0 { invocation.interruptions = signals }
        let call = invocation
        exit(NetworkActor.loop.run { await call.run() })
    }
}
