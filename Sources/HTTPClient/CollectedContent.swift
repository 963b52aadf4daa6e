public import HTTPMessage

/// A sink that keeps content in memory, up to a limit.
@NetworkActor
public final class CollectedContent: ContentSink {
    /// Limit for those who name none: 256 MiB.
    public nonisolated static let defaultMaximumLength: UInt64 = 256 << 20

    /// What has come so far.
    public private(set) var octets: [UInt8] = []
    private let maximumLength: UInt64

    /// Collects at most `maximumLength` octets; more is an error (`tooLarge`).
    public nonisolated init(maximumLength: UInt64 = defaultMaximumLength) {
        self.maximumLength = maximumLength
    }

    /// Refuses a declared length past the limit.
    public func begin(_ response: HTTPResponse, length: UInt64?) throws(TransferError) {
        guard let length else { return }
        try check(length)
        // A declared length is a promise of the peer's: memory is set aside for a part of it only.
        octets.reserveCapacity(Int(min(length, 1 << 20)))
    }

    /// Keeps a copy. Throws `tooLarge` at the limit.
    public func write(_ content: Span<UInt8>) throws(TransferError) -> SinkDemand {
        try check(UInt64(octets.count) + UInt64(content.count))
        octets.append(copying: content)
        return .more
    }

    private func check(_ length: UInt64) throws(TransferError) {
        guard length <= maximumLength else {
            throw TransferError(
                .tooLarge, during: .content,
                "the content has more than the \(maximumLength) octets allowed in memory")
        }
    }
}

public import Transport
