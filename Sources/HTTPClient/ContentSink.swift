public import HTTPMessage

/// Where content goes, called on the loop, in order: `begin` once, then `write` or `didSplice` many times, then
/// `end` when the content is whole. A transfer that fails never calls `end`.
@NetworkActor
public protocol ContentSink: AnyObject {
    /// The final response's head is in. `length` is the content's length in octets where it was declared.
    func begin(_ response: HTTPResponse, length: UInt64?) throws(TransferError)

    /// Takes content; the octets are lent for the call. After `.pause` nothing is read until `Transfer.resume()`.
    func write(_ content: Span<UInt8>) throws(TransferError) -> SinkDemand

    /// Where octets may go straight from the socket, if nobody needs to see them.
    var spliceTarget: SpliceTarget? { get }

    /// `count` octets reached the splice target.
    func didSplice(_ count: Int) throws(TransferError)

    /// Content as it came, which is decoded next and then written; lent for the call. Not for content that is not decoded.
    func willDecode(_ content: Span<UInt8>)

    /// All content was received.
    func end(trailers: HTTPFields) throws(TransferError)
}

extension ContentSink {
    /// None, unless a sink says otherwise: all content goes through `write`.
    public var spliceTarget: SpliceTarget? { nil }
    /// Nothing to do, unless a sink says otherwise.
    public func didSplice(_ count: Int) throws(TransferError) {}
    /// Nothing to do, unless a sink says otherwise.
    public func willDecode(_ content: Span<UInt8>) {}
    /// Nothing to do, unless a sink says otherwise.
    public func end(trailers: HTTPFields) throws(TransferError) {}
}

/// Whether a sink wants more.
public enum SinkDemand: Hashable, Sendable {
    case more
    case pause
}

/// An open file that octets are moved into by the kernel.
public struct SpliceTarget: Hashable, Sendable {
    /// Lent; stays open until the transfer is over.
    public var descriptor: Int32
    /// Where in the file; `nil` at the file's own position.
    public var offset: Int64?

    /// The file behind `descriptor`, from `offset` on.
    public init(descriptor: Int32, offset: Int64? = nil) {
        self.descriptor = descriptor
        self.offset = offset
    }
}

public import Transport
