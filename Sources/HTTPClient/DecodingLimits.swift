/// How far content is decoded before it is refused. `TransferOptions.maximumContentLength` goes in place of the limits of
/// expansion.
public struct DecodingLimits: Hashable, Sendable {
    /// Content codings one upon another; 5, as curl.
    public var maximumCodings = 5
    /// Decoded octets for each coded one, once `unlimitedOctets` are passed; 200. One layer of gzip can make 1,030, two a
    /// million. Others (curl, browsers): no limit.
    public var maximumExpansion: UInt64 = 200
    /// Decoded octets that are allowed whatever the coded ones; 64 MiB.
    public var unlimitedOctets: UInt64 = 64 << 20

    /// The defaults.
    public init() {}

    /// Whether `decoded` octets are too many for so many coded ones.
    func forbids(_ decoded: UInt64, outOf coded: UInt64) -> Bool {
        guard decoded > unlimitedOctets else { return false }
        let (most, overflows) = coded.multipliedReportingOverflow(by: maximumExpansion)
        return !overflows && decoded > most
    }
}
