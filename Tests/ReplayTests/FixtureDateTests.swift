import Glibc
import Testing

@testable import Replay

@Suite("Dates of fixtures (RFC 9110, section 5.6.7)")
struct FixtureDateTests {
    @Test("the RFC's example is what it says")
    func example() {
        let text = "Sun, 06 Nov 1994 08:49:37 GMT"
        #expect(FixtureDate.seconds(of: Array(text.utf8)) == 784_111_777)
        #expect(FixtureDate.text(of: 784_111_777) == text)
    }

    @Test("agree with those of the system's library")
    func library() {
        var samples: [Int64] = [
            0, -1, 951_782_400, 951_868_800, 4_107_542_400, -2_203_891_201, 253_402_300_799, -62_135_596_800,
        ]
        samples += (0..<3000).map { -62_135_596_800 + $0 * 105_179_299 }
        for sample in samples {
            var time = time_t(sample)
            var parts = tm()
            gmtime_r(&time, &parts)
            var text = [CChar](repeating: 0, count: 64)
            let count = strftime(&text, 64, "%a, %d %b %Y %H:%M:%S GMT", &parts)
            var expected = String(decoding: text[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
            // The library writes early years with fewer digits.
            while expected.utf8.count < 29 {
                expected.insert("0", at: expected.index(expected.startIndex, offsetBy: 12))
            }
            if FixtureDate.text(of: sample) != expected {
                Issue.record("\(sample): \(FixtureDate.text(of: sample))")
            }
            if FixtureDate.seconds(of: Array(expected.utf8)) != sample { Issue.record("\(expected)") }
        }
    }

    @Test(
        "whatever is no such date is refused",
        arguments: [
            "", "Sun, 06 Nov 1994 08:49:37 GM", "Sun, 06 Nov 1994 08:49:37 GMT ",
            "Mon, 06 Nov 1994 08:49:37 GMT",
            "sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 nov 1994 08:49:37 GMT", "Sun, 06-Nov-1994 08:49:37 GMT",
            "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 06 Nov 1994 08:60:37 GMT",
            "Sun, 06 Nov 1994 08:49:60 GMT", "Sun, 06 Nov 1994 08:49:37 UTC", "Wed, 29 Feb 2023 00:00:00 GMT",
            "Fri, 31 Apr 2026 00:00:00 GMT", "Wed, 00 Apr 2026 00:00:00 GMT", "Sun, +6 Nov 1994 08:49:37 GMT",
            "Sat, 01 Jan 0000 00:00:00 GMT", "Sun Nov  6 08:49:37 1994", "Sunday, 06-Nov-94 08:49:37 GMT",
        ])
    func refused(text: String) { #expect(FixtureDate.seconds(of: Array(text.utf8)) == nil) }

    @Test("times that cannot be written are written as the nearest that can")
    func clamped() {
        #expect(FixtureDate.text(of: .max) == "Fri, 31 Dec 9999 23:59:59 GMT")
        #expect(FixtureDate.text(of: .min) == "Mon, 01 Jan 0001 00:00:00 GMT")
    }
}
