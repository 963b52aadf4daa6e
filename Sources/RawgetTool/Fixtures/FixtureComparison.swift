import Replay
import System

/// Compares a file with expected octets that come part by part.
struct FixtureComparison {
    /// How much of both sides is kept for showing.
    private static let shown = 1 << 16

    private let file: Int32
    private var offset: UInt64 = 0
    /// The place of the first octet that differs.
    private var firstDifference: UInt64?
    /// What was expected around the first difference, or at the beginning.
    private var expected: [UInt8] = []

    init(of file: Int32) { self.file = file }

    /// Compares the next octets expected.
    mutating func compare(_ part: [UInt8]) throws(SystemError) {
        defer { offset += UInt64(part.count) }
        if expected.count < FixtureComparison.shown {
            expected += part.prefix(FixtureComparison.shown - expected.count)
        }
        guard firstDifference == nil else { return }
        var compared = 0
        while compared < part.count {
            let got = try File.readSome(part.count - compared, at: offset + UInt64(compared), from: file)
            let same = zip(got, part[compared...]).prefix { $0 == $1 }.count
            compared += same
            if got.isEmpty || same < got.count {
                firstDifference = offset + UInt64(compared)
                return
            }
        }
    }

    /// What differs, for a person; `nil`: nothing.
    func difference() throws(SystemError) -> String? {
        let size = try File.status(of: file).size
        guard firstDifference != nil || size != offset else { return nil }
        if offset <= UInt64(FixtureComparison.shown), size <= UInt64(FixtureComparison.shown) {
            var got: [UInt8] = []
            while case let part = try File.readSome(1 << 16, at: UInt64(got.count), from: file), !part.isEmpty
            {
                got += part
            }
            return FixtureDifference.text(expected: expected, got: got)
        }
        let place = firstDifference ?? min(size, offset)
        return "  expected \(offset) octets, got \(size); the first \(place) are the same"
    }
}
