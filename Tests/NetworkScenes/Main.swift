import Glibc
import Reachability
import Transport

/// What tests run inside of a namespace: `monitor [FOLDER [ADDRESS...]]` prints each status as its number, one a line,
/// until it is killed.
@main
struct Main {
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch arguments.first {
        case "monitor": await monitor(Array(arguments.dropFirst()))
        case "session": exit(await SessionScene.run(Array(arguments.dropFirst())))
        case "queue": exit(QueueScene.run(arguments.count > 1 ? arguments[1] : ""))
        default: exit(2)
        }
    }

    private static func monitor(_ arguments: [String]) async {
        let addresses = arguments.dropFirst().compactMap { SocketAddress(literal: $0, port: 0) }
        let folder = arguments.first.flatMap { $0.isEmpty ? nil : $0 }
        let monitor = ReachabilityMonitor(
            for: addresses, interfaceFolder: folder ?? NetworkState.interfaceFolder)
        let changes = monitor.changes
        monitor.startMonitoring()
        for await status in changes { say("\(status.rawValue)") }
    }
}

/// Writes a line at once, whatever standard output is.
func say(_ line: String) {
    let octets = Array((line + "\n").utf8)
    _ = write(1, octets, octets.count)
}
