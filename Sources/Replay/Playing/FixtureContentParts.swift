extension FixtureContent {
    var count: UInt64? {
        switch self {
        case .octets(let octets): UInt64(octets.count)
        case .generated(let count, _): count
        case .repeated(.octets(let octets), let times):
            times.multipliedReportingOverflow(by: UInt64(octets.count)).partialValue
        default: nil
        }
    }

    func forEachPart<E>(_ body: ([UInt8]) throws(E) -> Void) throws(E) {
        switch self {
        case .octets(let octets): try body(octets)
        case .blob(_, let content): try content.forEachPart(body)
        case .generated(let count, let seed):
            var offset: UInt64 = 0
            while offset < count {
                let end = min(count, offset + 65_536)
                try body(GeneratedContent(seed: seed).octets(in: offset..<end))
                offset = end
            }
        case .repeated(let content, let times): for _ in 0..<times { try content.forEachPart(body) }
        case .slice(let content, _): try content.forEachPart(body)
        case .coded(let content, _): try content.forEachPart(body)
        case .joined(let contents): for content in contents { try content.forEachPart(body) }
        }
    }
}
