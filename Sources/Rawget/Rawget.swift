// The umbrella: one import for everything that a program which downloads needs.

@_exported public import Download
@_exported public import HTTPCache
@_exported public import HTTPClient
@_exported public import HTTPMessage
@_exported public import Reachability
@_exported public import URLLoading
// What stands in the signatures of those modules and comes from below them: each by its name, since the rest of these
// modules is no business of a program that downloads.
@_exported public import struct HTTPWire.Leniency
@_exported public import struct HTTPWire.WireLimits
@_exported public import struct System.MessageDigest
@_exported public import struct System.FileDescriptor
@_exported public import struct System.Instant
@_exported public import struct System.SystemError
@_exported public import struct System.WallClock
@_exported public import enum Transport.AddressFamily
@_exported public import struct Transport.Deadline
@_exported public import struct Transport.LocalBinding
@_exported public import struct Transport.LocalEnd
@_exported public import class Transport.NetworkActor
@_exported public import struct Transport.SocketAddress
@_exported public import class Transport.TCPStream
@_exported public import struct Transport.TLSConfiguration
@_exported public import struct Transport.TLSFailure
@_exported public import struct Transport.TLSFile
@_exported public import class Transport.TLSKeyLog
@_exported public import struct Transport.TLSSummary
@_exported public import struct Transport.TransportError
