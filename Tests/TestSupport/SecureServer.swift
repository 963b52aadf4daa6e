public import Replay

/// A server over TLS that answers every request alike.
public func serve(
    tls: TLSService, _ handler: @escaping @Sendable (RecordedRequest) -> [Script.Step] = { _ in answer() }
) throws -> ReplayServer {
    let server = try ReplayServer(tls: tls, handler: handler)
    try server.start()
    return server
}
