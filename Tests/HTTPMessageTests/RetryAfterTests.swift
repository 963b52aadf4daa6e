import HTTPMessage
import Testing

@Suite("Retry-After (RFC 9110, section 10.2.3)")
struct RetryAfterTests {
    /// Fri, 31 Dec 1999 23:58:59 GMT, a minute before the date of the RFC's example.
    private static let now = HTTPDate(secondsSinceEpoch: 946_684_739)

    @Test(
        "says how many seconds to wait",
        arguments: [
            ("120", 120), ("0", 0), ("000000000000000000000000000007", 7),
            ("9223372036854775807", 9_223_372_036_854_775_807),
            ("9223372036854775808", 9_223_372_036_854_775_807),
            ("99999999999999999999999999999999999999", 9_223_372_036_854_775_807),
            ("Fri, 31 Dec 1999 23:59:59 GMT", 60),
            ("Friday, 31-Dec-99 23:59:59 GMT", 60),
            ("Fri Dec 31 23:59:59 1999", 60),
            ("Fri, 31 Dec 1999 23:58:59 GMT", 0),
            ("Thu, 30 Dec 1999 23:59:59 GMT", 0),
        ] as [(String, UInt64)])
    func parses(value: String, seconds: UInt64) {
        #expect(RetryAfter(parsing: value, now: Self.now)?.delay(from: Self.now) == seconds)
    }

    @Test(
        "is nothing else",
        arguments: [
            "", " ", "-1", "+1", "1.5", "120 ", " 120", "120s", "0x10", "120, 120", "1e3", "\u{0661}", "now",
            "Fri, 31 Dec 1999 23:59:59", "Fri, 32 Dec 1999 23:59:59 GMT", "1999-12-31T23:59:59Z",
        ])
    func refuses(value: String) {
        #expect(RetryAfter(parsing: value, now: Self.now) == nil)
    }

    @Test("a date is counted from the moment of asking")
    func laterMoment() throws {
        let date = try #require(RetryAfter(parsing: "Fri, 31 Dec 1999 23:59:59 GMT", now: Self.now))
        #expect(date.delay(from: HTTPDate(secondsSinceEpoch: 946_684_700)) == 99)
        #expect(date.delay(from: HTTPDate(secondsSinceEpoch: 946_684_800)) == 0)
    }

    @Test("moments made by hand do not overflow")
    func extremes() {
        let last = RetryAfter.date(HTTPDate(secondsSinceEpoch: .max))
        #expect(last.delay(from: HTTPDate(secondsSinceEpoch: .min)) == .max)
        #expect(last.delay(from: HTTPDate(secondsSinceEpoch: 0)) == UInt64(Int64.max))
        let first = RetryAfter.date(HTTPDate(secondsSinceEpoch: .min))
        #expect(first.delay(from: HTTPDate(secondsSinceEpoch: .max)) == 0)
    }

    @Test("prints as it was", arguments: ["120", "Fri, 31 Dec 1999 23:59:59 GMT"])
    func prints(value: String) {
        #expect(RetryAfter(parsing: value, now: Self.now)?.description == value)
    }
}
