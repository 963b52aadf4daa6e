/// Data in parts: what is large is never in memory as a whole.
extension FixtureContent {
    /// The most octets of a part.
    static let mostOfPart = 64 << 10

    /// The number of octets; `nil` when it takes coding to know.
    public var count: UInt64? {
        switch self {
        case .octets(let octets): return UInt64(octets.count)
        case .blob(_, let content): return content.count
        case .generated(let count, _): return count
        case .repeated(let content, let times):
            if times == 0 { return 0 }
            return content.count.map { count in
                let (product, isTooBig) = count.multipliedReportingOverflow(by: times)
                return isTooBig ? .max : product
            }
        case .slice(let content, let range):
            if range.isEmpty { return 0 }
            return content.count.map { count in
                let part = range.clamped(to: 0..<count)
                return part.upperBound - part.lowerBound
            }
        case .joined(let contents):
            var sum: UInt64 = 0
            for content in contents {
                guard let count = content.count else { return nil }
                let (total, isTooBig) = sum.addingReportingOverflow(count)
                sum = isTooBig ? .max : total
            }
            return sum
        case .coded: return nil
        }
    }

    /// Hands out all octets in order, in parts of 1 octet to 64 KiB.
    public func forEachPart<Failure: Error>(
        _ body: ([UInt8]) throws(Failure) -> Void
    ) throws(Failure) {
        var all = Window(skip: 0, take: .max)
        _ = try produce(&all) { part throws(Failure) in
            try body(part)
            return true
        }
    }

    /// All octets; `nil` where they are more than `most`.
    public func octets(atMost most: Int) -> [UInt8]? {
        if let count, count > UInt64(max(most, 0)) { return nil }
        var octets: [UInt8] = []
        var all = Window(skip: 0, take: .max)
        let isComplete = produce(&all) { part in
            octets += part
            return octets.count <= most
        }
        return isComplete && octets.count <= most ? octets : nil
    }

    /// What is still wanted of data that comes in order: behind so many octets, so many. Both fall as it comes.
    private struct Window {
        var skip: UInt64
        var take: UInt64

        /// What is wanted of the next `count` octets.
        mutating func next(_ count: UInt64) -> Range<UInt64> {
            let start = min(skip, count)
            skip -= start
            let end = start + min(take, count - start)
            take -= end - start
            return start..<end
        }
    }

    /// Hands what is wanted to `body`, which says whether it wants more. False when it did not.
    private func produce<Failure: Error>(
        _ window: inout Window, _ body: ([UInt8]) throws(Failure) -> Bool
    ) throws(Failure) -> Bool {
        guard window.take > 0 else { return true }
        if let count, count <= window.skip {
            window.skip -= count
            return true
        }
        switch self {
        case .octets(let octets): return try FixtureContent.pass(octets, &window, body)
        case .blob(_, let content): return try content.produce(&window, body)
        case .generated(let count, let seed):
            let wanted = window.next(count)
            let generated = GeneratedContent(seed: seed)
            var start = wanted.lowerBound
            while start < wanted.upperBound {
                let end = min(start + UInt64(FixtureContent.mostOfPart), wanted.upperBound)
                guard try body(generated.octets(in: start..<end)) else { return false }
                start = end
            }
            return true
        case .repeated(let content, let times):
            return try FixtureContent.produce(content, times, &window, body)
        case .slice(let content, let range):
            // A slice whose length is not known is passed on as it comes: its end is where the data behind it begins.
            var inner = Window(skip: range.lowerBound, take: range.upperBound - range.lowerBound)
            if content.count != nil {
                inner.skip += window.skip
                inner.take = min(inner.take - window.skip, window.take)
                window.skip = 0
            }
            return try content.produce(&inner) { part throws(Failure) in
                try FixtureContent.pass(part, &window, body)
            }
        case .joined(let contents):
            for content in contents {
                guard try content.produce(&window, body) else { return false }
            }
            return true
        case .coded(let content, let coding):
            let deflater = Deflater(coding)
            var all = Window(skip: 0, take: .max)
            let wantsMore = try content.produce(&all) { part throws(Failure) in
                try deflater.code(part, isLast: false) { coded throws(Failure) in
                    guard try FixtureContent.pass(coded, &window, body) else { return false }
                    return window.take > 0
                }
            }
            guard wantsMore else { return window.take == 0 }
            _ = try deflater.code([], isLast: true) { coded throws(Failure) in
                try FixtureContent.pass(coded, &window, body)
            }
            return true
        }
    }

    /// Hands what is wanted of `octets` to `body`, in parts.
    private static func pass<Failure: Error>(
        _ octets: [UInt8], _ window: inout Window, _ body: ([UInt8]) throws(Failure) -> Bool
    ) throws(Failure) -> Bool {
        let wanted = window.next(UInt64(octets.count))
        var start = Int(wanted.lowerBound)
        let end = Int(wanted.upperBound)
        if start == 0, end == octets.count, end <= mostOfPart, end > 0 { return try body(octets) }
        while start < end {
            let next = min(start + mostOfPart, end)
            guard try body(Array(octets[start..<next])) else { return false }
            start = next
        }
        return true
    }

    private static func produce<Failure: Error>(
        _ content: FixtureContent, _ times: UInt64, _ window: inout Window,
        _ body: ([UInt8]) throws(Failure) -> Bool
    ) throws(Failure) -> Bool {
        guard let unit = content.octets(atMost: mostOfPart) else {
            var rest = times
            if let count = content.count {
                // Whole ones before what is wanted are not made.
                rest -= window.skip / count
                window.skip %= count
            }
            while rest > 0, window.take > 0 {
                guard try content.produce(&window, body) else { return false }
                rest -= 1
            }
            return true
        }
        guard !unit.isEmpty, times > 0 else { return true }
        // What is small is repeated in blocks.
        let size = UInt64(unit.count)
        let (product, isTooBig) = size.multipliedReportingOverflow(by: times)
        let wanted = window.next(isTooBig ? .max : product)
        let repetitions = min(UInt64(max(1, mostOfPart / unit.count)), times)
        let block = Array(repeatElement(unit, count: Int(repetitions)).joined())
        var start = wanted.lowerBound
        while start < wanted.upperBound {
            let offset = Int(start % size)
            let count = min(block.count - offset, Int(clamping: wanted.upperBound - start))
            let part = offset == 0 && count == block.count ? block : Array(block[offset..<offset + count])
            guard try body(part) else { return false }
            start += UInt64(count)
        }
        return true
    }
}
