/// Data as fixtures write it: never in memory as a whole unless it is small.
public indirect enum FixtureContent: Hashable, Sendable {
    /// A content coding (RFC 9110, section 8.4.1).
    public enum Coding: String, Hashable, Sendable, CaseIterable {
        case gzip
        /// The format of RFC 1950, which HTTP calls deflate.
        case zlib
        /// The raw format of RFC 1951.
        case deflate
    }

    /// These octets.
    case octets([UInt8])
    /// Data with a name.
    case blob(String, FixtureContent)
    /// The first `count` octets that `seed` determines.
    case generated(count: UInt64, seed: UInt64)
    /// The same data so many times.
    case repeated(FixtureContent, times: UInt64)
    /// A part, up to but not its upper bound; empty where the data is shorter.
    case slice(FixtureContent, Range<UInt64>)
    /// The data coded.
    case coded(FixtureContent, Coding)
    /// One after another.
    case joined([FixtureContent])

    /// The octets of a text.
    public static func text(_ text: String) -> FixtureContent { .octets(Array(text.utf8)) }
}
