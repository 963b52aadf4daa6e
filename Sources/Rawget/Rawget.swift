// The umbrella: one import for everything that a program which downloads needs.

@_exported public import Download
@_exported public import HTTPClient
@_exported public import HTTPMessage
public import HTTPWire
public import System
public import Transport

// What stands in the signatures of those modules and comes from below them.

/// Isolates sinks and transfers to the network loop.
public typealias NetworkActor = Transport.NetworkActor
/// Where a connection leads.
public typealias SocketAddress = Transport.SocketAddress
/// Which kinds of addresses are wanted.
public typealias AddressFamily = Transport.AddressFamily
/// Why a stream could not be opened, or went no further.
public typealias TransportError = Transport.TransportError
/// A point on the system's monotonic clock.
public typealias Instant = System.Instant
/// How much a peer may send before an exchange is refused.
public typealias WireLimits = HTTPWire.WireLimits
/// Which departures from the grammar are read all the same.
public typealias Leniency = HTTPWire.Leniency
