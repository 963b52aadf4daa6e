import HTTPClient
import Transport

/// What the command line says about the sockets of a group.
struct SocketSettings: Hashable, Sendable {
    /// `--interface`, as given.
    var interface: String?
    /// `--no-keepalive` takes it back.
    var sendsKeepAlive = true
    /// `--keepalive-time`, in seconds.
    var keepAliveTime = 60
    /// `--keepalive-cnt`.
    var keepAliveCount: Int?
    /// `--happy-eyeballs-timeout-ms`; 0 is the default.
    var attemptDelay = 0

    /// Sets a client's configuration.
    func apply(to configuration: inout ClientConfiguration) {
        configuration.localBinding = interface.map(Self.binding)
        configuration.socketOptions.keepAlive = sendsKeepAlive ? .seconds(keepAliveTime) : nil
        configuration.socketOptions.keepAliveCount = keepAliveCount
        if attemptDelay > 0 { configuration.connectionAttemptDelay = .milliseconds(attemptDelay) }
    }

    /// curl's notation: `if!` and `host!` say what the name behind them is.
    private static func binding(_ text: String) -> LocalBinding {
        if text.hasPrefix("if!") { return LocalBinding(.interface, String(text.dropFirst(3))) }
        if text.hasPrefix("host!") { return LocalBinding(.host, String(text.dropFirst(5))) }
        return LocalBinding(.either, text)
    }
}
