/// The octets of a representation that are stored: all of them, or parts. Copies share them.
public struct StoredContent: Sendable {
    /// A run of octets and where in the representation it begins.
    public struct Extent: Sendable {
        /// The offset of the first octet.
        public let start: UInt64
        /// The octets.
        public let octets: [UInt8]

        /// Octets that begin at `start`; those past the last offset of 64 bits are left out.
        public init(start: UInt64, octets: [UInt8]) {
            self.start = start
            let room = UInt64.max - start
            self.octets = UInt64(octets.count) <= room ? octets : Array(octets.prefix(Int(room)))
        }

        /// The offsets of the octets.
        public var range: Range<UInt64> { start..<start &+ UInt64(octets.count) }

        func slice(_ range: Range<UInt64>) -> Extent {
            guard range != self.range else { return self }
            return Extent(
                start: range.lowerBound,
                octets: Array(octets[Int(range.lowerBound - start)..<Int(range.upperBound - start)]))
        }
    }

    /// Most parts that are kept of one representation; 64. With more the ones before are given up.
    public static let maximumExtents = 64

    /// In the order of their offsets; none overlaps another.
    public private(set) var extents: [Extent] = []
    /// The length of the whole representation in octets; `nil` where nobody said.
    public private(set) var completeLength: UInt64?
    /// The length that the octets here suggest where nobody has said it for certain: what was called the last part of the
    /// representation ends here. Good enough to find a part, not to take the whole for whole.
    var apparentLength: UInt64?
    /// Octets stored.
    public private(set) var count = 0

    /// A whole representation.
    public init(whole octets: [UInt8]) {
        completeLength = UInt64(octets.count)
        count = octets.count
        if !octets.isEmpty { extents = [Extent(start: 0, octets: octets)] }
    }

    /// A part of a representation of `completeLength` octets.
    public init(part: Extent, completeLength: UInt64?) {
        self.completeLength = completeLength
        count = part.octets.count
        if !part.octets.isEmpty { extents = [part] }
    }

    /// Whether no octet is here.
    var isEmpty: Bool { extents.isEmpty }

    /// Whether all octets are here.
    public var isComplete: Bool { completeLength == UInt64(count) }

    /// How many octets are here from the beginning on, without a gap.
    public var prefixLength: UInt64 { end(from: 0) }

    /// Whether all octets at these offsets are here.
    public func contains(_ range: Range<UInt64>) -> Bool {
        range.isEmpty || end(from: range.lowerBound) >= range.upperBound
    }

    /// The first offset at or behind `offset` whose octet is missing.
    private func end(from offset: UInt64) -> UInt64 {
        var end = offset
        for extent in extents where extent.start <= end { end = max(end, extent.range.upperBound) }
        return end
    }

    /// Whether both may be of one representation, by the lengths that are known and the octets that are here.
    func fits(_ other: StoredContent) -> Bool {
        guard let length = completeLength ?? other.completeLength else { return true }
        return (other.completeLength ?? length) == length
            && (extents + other.extents).allSatisfy { $0.range.upperBound <= length }
    }

    /// Adds a part of the same representation; what is here already stays. `completeLength` where it is told.
    public mutating func insert(_ part: Extent, completeLength: UInt64?) {
        var missing: [Extent] = []
        var offset = part.start
        for extent in extents where extent.range.upperBound > offset && extent.start < part.range.upperBound {
            if extent.start > offset { missing.append(part.slice(offset..<extent.start)) }
            offset = max(offset, extent.range.upperBound)
        }
        if offset < part.range.upperBound { missing.append(part.slice(offset..<part.range.upperBound)) }
        guard !missing.isEmpty || self.completeLength == nil else { return }
        if extents.count + missing.count > StoredContent.maximumExtents {
            self = StoredContent(part: part, completeLength: completeLength ?? self.completeLength)
            return
        }
        extents = (extents + missing).sorted { $0.start < $1.start }
        count += missing.reduce(0) { $0 + $1.octets.count }
        // Where it ends is not what one part suggests.
        apparentLength = nil
        self.completeLength = self.completeLength ?? completeLength
    }

    /// Lends the octets at these offsets, which are here, in order.
    public func forEachPart<Failure: Error>(
        in range: Range<UInt64>, _ body: (ArraySlice<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        for extent in extents {
            let part = extent.range.clamped(to: range)
            guard !part.isEmpty else { continue }
            try body(extent.octets[Int(part.lowerBound - extent.start)..<Int(part.upperBound - extent.start)])
        }
    }
}
