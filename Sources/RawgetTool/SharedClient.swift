import HTTPClient
import Transport

/// A client that all groups use whose settings of the network are equal: to a server they are one.
@NetworkActor
final class SharedClient {
    let client: Client
    /// Transfers that have not ended.
    private var awaited = 0

    init(_ client: Client) { self.client = client }

    /// So many transfers will use it.
    func expect(_ count: Int) { awaited += count }

    /// One of them has ended. After the last one nobody needs the connections that are left.
    func transferEnded() {
        awaited -= 1
        if awaited == 0 { client.closeIdleConnections() }
    }
}

extension GroupOptions {
    /// What a client is made by.
    struct Network: Hashable {
        var addresses: [ResolveRule]
        var connectRules: [ConnectRule]
        var addressFamily: AddressFamily
        var unixSocket: String?
        var sockets: SocketSettings
        var allowsHTTP09: Bool
        var ignoresContentLength: Bool
        var tls: TLSOptions
    }

    /// The settings of the network.
    var network: Network {
        Network(
            addresses: addresses, connectRules: connectRules, addressFamily: addressFamily,
            unixSocket: unixSocket, sockets: sockets, allowsHTTP09: allowsHTTP09,
            ignoresContentLength: ignoresContentLength, tls: tls)
    }
}
