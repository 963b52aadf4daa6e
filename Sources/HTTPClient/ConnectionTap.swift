import HTTPMessage
package import Transport

/// Is told all that happens on one connection, in order and in clear, on the loop. Whoever listens must return at once.
@NetworkActor
package protocol ConnectionTap: AnyObject {
    /// The connection stands; what secures it is still to come.
    func opened(_ remote: SocketAddress?)
    /// TLS is agreed on.
    func secured(_ summary: TLSSummary)
    /// The connection could not be opened, or not be secured.
    func failed(_ error: TransportError)
    /// These octets went out.
    func sent(_ octets: ArraySlice<UInt8>)
    /// These octets arrived.
    func received(_ octets: Span<UInt8>)
    /// The peer ended it, in order.
    func ended()
    /// It ended otherwise.
    func broke(_ error: TransportError)
    /// This side closed it.
    func closed()
}
