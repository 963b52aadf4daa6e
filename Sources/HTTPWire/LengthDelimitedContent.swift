/// Content whose length the header section declared (RFC 9112, section 6.2).
public struct LengthDelimitedContent: Sendable {
    /// What one call read.
    public enum Event: Hashable, Sendable {
        /// All input is used; call again with more.
        case needsInput
        /// Octets of content, as offsets in the input just given.
        case content(Range<Int>)
        /// What follows belongs to the next message.
        case end
    }

    /// Octets of content still to come.
    public private(set) var remaining: UInt64

    /// Content of `length` octets.
    public init(length: UInt64) { remaining = length }

    /// Reads one event from `input[offset...]` and moves `offset` past what it used.
    public mutating func nextEvent(in input: Span<UInt8>, at offset: inout Int) -> Event {
        guard remaining > 0 else { return .end }
        let count = Int(min(remaining, UInt64(input.count - offset)))
        guard count > 0 else { return .needsInput }
        defer { offset += count }
        remaining -= UInt64(count)
        return .content(offset..<offset + count)
    }

    /// Counts octets that were moved outside; more than `remaining` is a mistake in the program.
    public mutating func skip(_ count: UInt64) { remaining -= count }

    /// The peer closed. Ending short of the declared length is an error (RFC 9112, section 8).
    public func receiveEndOfStream() throws(IncompleteContent) {
        guard remaining == 0 else { throw IncompleteContent(missing: remaining) }
    }
}

/// The connection ended `missing` octets before the content did.
public struct IncompleteContent: Error, Hashable, Sendable {
    /// Octets that did not come.
    public var missing: UInt64

    /// An end that came `missing` octets too early.
    public init(missing: UInt64) { self.missing = missing }
}
