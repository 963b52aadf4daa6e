import HTTPMessage
import Testing

@testable import HTTPCache

@Suite("Octets of a representation, whole or in parts (RFC 9111, section 3.4)")
struct StoredContentTests {
    private func part(_ start: UInt64, _ text: String, of length: UInt64? = 10) -> StoredContent {
        StoredContent(part: .init(start: start, octets: Array(text.utf8)), completeLength: length)
    }

    private func text(_ content: StoredContent, _ range: Range<UInt64>) -> String {
        var octets: [UInt8] = []
        content.forEachPart(in: range) { octets += $0 }
        return String(decoding: octets, as: UTF8.self)
    }

    @Test(
        "parts are put together whatever their order, and what is there stays",
        arguments: [[0, 3, 6], [6, 3, 0], [3, 0, 6], [3, 6, 0], [0, 0, 6, 3], [0, 1, 2, 3, 4, 5, 6]]
            as [[UInt64]])
    func combined(starts: [UInt64]) {
        let whole = "0123456789"
        let octets = Array(whole.utf8)
        var content = part(starts[0], String(decoding: octets[Int(starts[0])...].prefix(4), as: UTF8.self))
        for start in starts.dropFirst() {
            content.insert(
                .init(start: start, octets: Array(octets[Int(start)...].prefix(4))), completeLength: 10)
        }
        #expect(content.isComplete && content.count == 10 && text(content, 0..<10) == whole)
        #expect(text(content, 2..<8) == "234567" && content.prefixLength == 10)
    }

    @Test func gapsAreGaps() {
        var content = part(0, "012")
        content.insert(.init(start: 6, octets: Array("678".utf8)), completeLength: 10)
        #expect(!content.isComplete && content.count == 6 && content.prefixLength == 3)
        #expect(content.contains(0..<3) && content.contains(6..<9) && content.contains(4..<4))
        #expect(!content.contains(2..<4) && !content.contains(3..<7) && !content.contains(8..<10))
        content.insert(.init(start: 2, octets: Array("XXXXXX".utf8)), completeLength: 10)
        #expect(text(content, 0..<9) == "012XXX678")
    }

    @Test func withManyPartsThoseBeforeAreGivenUp() {
        var content = part(0, "0", of: 1000)
        for number in 1..<StoredContent.maximumExtents {
            content.insert(.init(start: UInt64(number) * 2, octets: [0x31]), completeLength: 1000)
        }
        #expect(content.extents.count == StoredContent.maximumExtents)
        content.insert(.init(start: 500, octets: [0x32]), completeLength: 1000)
        #expect(content.extents.count == 1 && content.count == 1 && content.contains(500..<501))
    }

    @Test("offsets at the end of 64 bits do not overflow")
    func farOffsets() {
        let content = part(.max - 1, "abc", of: nil)
        #expect(content.count == 1 && content.extents[0].range == UInt64.max - 1..<UInt64.max)
        #expect(!content.contains(0..<1))
    }

    @Test(
        "a range is found by the length that is known, or by where the last part ends",
        arguments: [
            (ByteRange.bounded(2...4), 2..<5), (.bounded(2...20), 2..<10), (.from(4), 4..<10),
            (.suffix(3), 7..<10),
            (.suffix(20), 0..<10), (.bounded(10...12), nil), (.suffix(0), nil),
        ] as [(ByteRange, Range<UInt64>?)])
    func offsets(range: ByteRange, offsets: Range<UInt64>?) {
        #expect(part(0, "01", of: 10).offsets(of: range) == offsets)
        var unsure = part(0, "01", of: nil)
        if case .bounded(let bounds) = range {
            #expect(unsure.offsets(of: range) == bounds.lowerBound..<bounds.upperBound + 1)
        } else {
            #expect(unsure.offsets(of: range) == nil)
        }
        unsure.apparentLength = 10
        #expect(unsure.offsets(of: range) == offsets)
    }

    @Test func partsOfDifferentLengthsAreNotOfOneRepresentation() {
        #expect(part(0, "01").fits(part(2, "23")))
        #expect(!part(0, "01").fits(part(2, "23", of: 11)))
        #expect(part(0, "01", of: nil).fits(part(2, "23")))
        #expect(!part(0, "0123456789A", of: nil).fits(part(2, "23")))
    }
}

@Suite("A member of Cache-Status (RFC 9211, section 2)")
struct CacheStatusTests {
    @Test("is written as the RFC's examples have it")
    func text() {
        #expect(CacheStatus().description == "rawget; hit")
        var status = CacheStatus()
        status.ttl = 376
        #expect(status.description == "rawget; hit; ttl=376")
        status.ttl = -412
        #expect(status.description == "rawget; hit; ttl=-412")
        #expect(CacheStatus(forward: .uriMiss).description == "rawget; fwd=uri-miss")
        status = CacheStatus(forward: .stale)
        status.forwardStatus = .notModified
        #expect(status.description == "rawget; fwd=stale; fwd-status=304")
        status.isStored = true
        status.detail = "MEMORY"
        #expect(status.description == "rawget; fwd=stale; fwd-status=304; stored; detail=MEMORY")
    }

    @Test("its numbers have fifteen digits at most (RFC 9651, section 3.3.1)")
    func numbers() {
        var status = CacheStatus()
        status.ttl = .max
        #expect(status.description == "rawget; hit; ttl=999999999999999")
        status.ttl = .min
        #expect(status.description == "rawget; hit; ttl=-999999999999999")
    }

    @Test("policies have the documents' names, and the older one of one of them (D17)")
    func policies() {
        let names = [
            "useProtocolCachePolicy", "reloadIgnoringLocalCacheData", "reloadIgnoringLocalAndRemoteCacheData",
            "returnCacheDataElseLoad", "returnCacheDataDontLoad", "reloadRevalidatingCacheData",
        ]
        #expect(names.compactMap { CachePolicy(name: $0) } == CachePolicy.allCases)
        #expect(CachePolicy(name: "reloadIgnoringCacheData") == .reloadIgnoringLocalCacheData)
        #expect(CachePolicy(name: "useprotocolcachepolicy") == nil && CachePolicy(name: "") == nil)
    }
}
