import Glibc

/// How octets differ from those a fixture expects, for people.
public struct FixtureDifference: Hashable, Sendable, CustomStringConvertible {
    /// The offset of the first octet that differs, or where the shorter of both ends.
    public private(set) var offset: UInt64 = 0
    /// How many octets were expected.
    public private(set) var expectedCount: UInt64 = 0
    /// Whether more than `expectedCount` were expected: how many would take coding to know.
    public private(set) var expectsMore = false
    /// How many came.
    public private(set) var count: UInt64 = 0
    /// The line of the first difference, from 1.
    private var line = 1
    /// The last octets that both have in common.
    private var common: [UInt8] = []
    /// What comes next on either side.
    private var expectedRest: [UInt8] = []
    private var rest: [UInt8] = []

    /// Octets shown before the first difference and, of each side, from there on. What is not longer is shown whole.
    private static let commonLimit = 256
    private static let restLimit = 256

    private init() {}

    /// How octets differ; `nil`: not at all.
    public static func between(_ expected: FixtureContent, _ octets: [UInt8]) -> FixtureDifference? {
        var offset = 0
        return between(expected) { wanted in
            let end = offset + min(wanted, octets.count - offset)
            defer { offset = end }
            return Array(octets[offset..<end])
        }
    }

    /// How octets differ, of which `next` gives each time the next ones: at least one and at most so many as it is
    /// asked for, none at their end. It is called until then, so that all octets are counted. `nil`: they do not differ.
    public static func between<E>(
        _ expected: FixtureContent, _ next: (Int) throws(E) -> [UInt8]
    ) throws(E) -> FixtureDifference? {
        try between(expected, countingRest: true) { (wanted, _) throws(E) in try next(wanted) }
    }

    /// The same, where `next` also learns whether a difference is known. Without `countingRest` nothing is asked for
    /// behind octets that are all as expected.
    static func between<E>(
        _ expected: FixtureContent, countingRest: Bool, _ next: (Int, Bool) throws(E) -> [UInt8]
    ) throws(E) -> FixtureDifference? {
        var difference = FixtureDifference()
        var isDifferent = false
        var hasEnded = false
        do throws(Interruption<E>) {
            try expected.forEachPart { (part) throws(Interruption<E>) in
                difference.expectedCount += UInt64(part.count)
                var used = 0
                while !isDifferent, used < part.count {
                    let octets: [UInt8]
                    do throws(E) {
                        octets = try next(part.count - used, false)
                    } catch {
                        throw .failed(error)
                    }
                    guard !octets.isEmpty else {
                        (hasEnded, isDifferent) = (true, true)
                        break
                    }
                    difference.count += UInt64(octets.count)
                    let equal = FixtureDifference.commonCount(octets, part[used...])
                    difference.pass(octets.prefix(equal))
                    used += equal
                    guard equal < octets.count else { continue }
                    isDifferent = true
                    difference.rest = Array(octets[equal...].prefix(restLimit))
                }
                guard isDifferent else { return }
                let room = restLimit - difference.expectedRest.count
                difference.expectedRest += part[used...].prefix(max(0, room))
                // The rest of what was expected, be it a terabyte, need not be made to be counted.
                guard difference.expectedRest.count == restLimit else { return }
                if let count = expected.count {
                    difference.expectedCount = count
                } else {
                    difference.expectsMore = true
                }
                throw .done
            }
        } catch {
            if case .failed(let error) = error { throw error }
        }
        while !hasEnded, countingRest || isDifferent {
            let octets = try next(65_536, isDifferent)
            guard !octets.isEmpty else { break }
            isDifferent = true
            difference.count += UInt64(octets.count)
            let room = restLimit - difference.rest.count
            if room > 0 { difference.rest += octets.prefix(room) }
        }
        return isDifferent ? difference : nil
    }

    /// What ends the making of expected octets before their end.
    private enum Interruption<E: Error>: Error {
        case done
        case failed(E)
    }

    private static func commonCount(_ some: [UInt8], _ others: ArraySlice<UInt8>) -> Int {
        let count = min(some.count, others.count)
        // Safety: both have at least so many octets.
        let isEqual = some.withUnsafeBytes { some in
            others.withUnsafeBytes { others in
                guard let some = some.baseAddress, let others = others.baseAddress else { return count == 0 }
                return memcmp(some, others, count) == 0
            }
        }
        if isEqual { return count }
        return zip(some, others).prefix { $0 == $1 }.count
    }

    /// Goes past octets that are as expected.
    private mutating func pass(_ octets: ArraySlice<UInt8>) {
        offset += UInt64(octets.count)
        line += FixtureDifference.newlines(in: octets)
        common += octets.suffix(FixtureDifference.commonLimit)
        if common.count > FixtureDifference.commonLimit {
            common.removeFirst(common.count - FixtureDifference.commonLimit)
        }
    }

    private static func newlines(in octets: ArraySlice<UInt8>) -> Int {
        // Safety: the pointers stay within the slice's own octets.
        octets.withUnsafeBytes { octets in
            guard var place = octets.baseAddress else { return 0 }
            let end = place + octets.count
            var count = 0
            while place < end, let found = memchr(place, 0x0A, end - place) {
                count += 1
                place = UnsafeRawPointer(found) + 1
            }
            return count
        }
    }

    /// Several lines: where the first difference is, what was expected and what came. Short texts are shown whole.
    public var description: String {
        var facts = "they differ from octet \(offset) on"
        if line > 1 { facts += " (line \(line))" }
        if offset == count {
            facts = "octets are missing from octet \(offset) on"
        } else if offset == expectedCount {
            facts = "octets are too many from octet \(offset) on"
        }
        return """
            expected \(expectsMore ? "more than " : "")\(FixtureDifference.octets(expectedCount)), got \(count); \(facts)
            expected: \(shown(expectedRest, of: expectedCount))
            got:      \(shown(rest, of: count))
            """
    }

    private func shown(_ rest: [UInt8], of count: UInt64) -> String {
        // What both have in common takes less room where the texts are long.
        let isShort = max(expectedCount, self.count) <= 120
        let before = isShort ? common[...] : common.suffix(40)
        let after = isShort ? rest[...] : rest.prefix(80)
        let isCutBefore = UInt64(before.count) < offset
        let isCutAfter = offset + UInt64(after.count) < count
        return (isCutBefore ? "…" : "") + VisibleOctets.quoted(before + after) + (isCutAfter ? "…" : "")
    }

    private static func octets(_ count: UInt64) -> String { count == 1 ? "1 octet" : "\(count) octets" }
}
