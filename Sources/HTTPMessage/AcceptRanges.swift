/// What a server says about ranges (RFC 9110, section 14.3).
public enum AcceptRanges: Hashable, Sendable {
    /// Ranges of octets are answered.
    case bytes
    /// No range of any kind is answered: ask for none, record nothing to go on from.
    case none
    /// Nothing is said, or nothing about octets: a range may be tried.
    case unknown

    /// What the field says, if it is there.
    ///
    ///     Accept-Ranges     = acceptable-ranges
    ///     acceptable-ranges = 1#range-unit
    public init(_ fields: HTTPFields) {
        let units = CommaList(.acceptRanges, in: fields)
        // "bytes, none" contradicts itself; a range that is tried does no harm.
        if units.contains(token: "bytes") {
            self = .bytes
        } else if units.contains(token: "none") {
            self = .none
        } else {
            self = .unknown
        }
    }

    /// Whether a Range field may be sent.
    public var allowsByteRanges: Bool { self != .none }
}
