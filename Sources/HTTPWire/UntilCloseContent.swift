/// Content that ends with the connection (RFC 9112, section 6.3, rules 4 and 8). Whether all of it came,
/// nobody can tell: an end of stream is the only end it has.
public struct UntilCloseContent: Sendable {
    /// What one call read.
    public enum Event: Hashable, Sendable {
        /// All input is used; call again with more.
        case needsInput
        /// Octets of content, as offsets in the input just given.
        case content(Range<Int>)
    }

    /// Content without a declared length.
    public init() {}

    /// Takes all of `input[offset...]` and moves `offset` to its end.
    public func nextEvent(in input: Span<UInt8>, at offset: inout Int) -> Event {
        guard offset < input.count else { return .needsInput }
        defer { offset = input.count }
        return .content(offset..<input.count)
    }
}
