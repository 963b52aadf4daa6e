public import System
public import Transport

/// Tells when interfaces, addresses, routes or rules have changed. Nothing is asked again and again: while nothing changes,
/// nothing runs.
@NetworkActor
public final class NetworkWatch {
    private var socket: NetlinkSocket
    private let quiet: Duration
    private let longest: Duration

    /// How long nothing must happen before a change is told; 100 ms.
    public nonisolated static let defaultQuiet = Duration.milliseconds(100)
    /// How long a change waits at most where others follow without end; 2 s.
    public nonisolated static let defaultLongest = Duration.seconds(2)

    /// A watch that hears from now on. Who asks for the state after this misses nothing. Throws what the system says.
    public init(quiet: Duration = defaultQuiet, longest: Duration = defaultLongest) throws(SystemError) {
        socket = try NetlinkSocket(hearing: .all)
        self.quiet = quiet
        self.longest = longest
    }

    /// Waits until something has changed, and then until it has become quiet: of many changes in a row only their end is
    /// told. False where the task is cancelled. One task at a time may wait.
    public func change() async -> Bool {
        repeat {
            guard await DescriptorWatch.readable(socket.rawValue) else { return false }
        } while !socket.takeNews()
        let end = Instant.now + longest
        repeat {
            guard await NetworkActor.loop.sleep(until: min(.now + quiet, end)) else { return false }
        } while socket.takeNews() && Instant.now < end
        return true
    }
}
