import HTTPMessage
import Testing

@Suite("Dates (RFC 9110, section 5.6.7)")
struct HTTPDateTests {
    /// 2026-07-01 00:00:00.
    static let now = HTTPDate(secondsSinceEpoch: 1_782_864_000)

    @Test("are read in their three forms", arguments: Self.dates)
    func parses(input: String, seconds: Int64) {
        #expect(HTTPDate(parsing: input, now: Self.now)?.secondsSinceEpoch == seconds)
    }

    static let dates: [(String, Int64)] = [
        ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
        ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
        ("Sun Nov  6 08:49:37 1994", 784_111_777),
        ("Sun Nov 06 08:49:37 1994", 784_111_777),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
        ("Wed, 31 Dec 1969 23:59:59 GMT", -1),
        ("Wed, 02 Sep 2015 13:17:01 GMT", 1_441_199_821),
        ("Mon, 01 Jun 2015 03:58:27 GMT", 1_433_131_107),
        // Any case (RFC 9111, section 4.2), any day's name.
        ("sUN, 06 nOV 1994 08:49:37 gmt", 784_111_777),
        ("SUNDAY, 06-NOV-94 08:49:37 Gmt", 784_111_777),
        ("sun nov  6 08:49:37 1994", 784_111_777),
        ("Mon, 06 Nov 1994 08:49:37 GMT", 784_111_777),
        ("Friday, 06-Nov-94 08:49:37 GMT", 784_111_777),
        // Leap days and leap seconds.
        ("Tue, 29 Feb 2000 00:00:00 GMT", 951_782_400),
        ("Thu, 29 Feb 2024 12:00:00 GMT", 1_709_208_000),
        ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800),
        // The ends of what four digits can say.
        ("Sat, 01 Jan 0000 00:00:00 GMT", -62_167_219_200),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
        ("Tue, 19 Jan 2038 03:14:08 GMT", 2_147_483_648),
        // Two digits: not more than 50 years past 2026-07-01.
        ("Monday, 01-Jan-01 00:00:00 GMT", 978_307_200),
        ("Wednesday, 01-Jul-76 00:00:00 GMT", 3_360_787_200),
        ("Thursday, 01-Jul-76 00:00:01 GMT", 205_027_201),
        ("Saturday, 01-Jan-77 00:00:00 GMT", 220_924_800),
        ("Friday, 31-Dec-99 23:59:59 GMT", 946_684_799),
    ]

    @Test("are nothing else", arguments: Self.failures)
    func refuses(input: String) {
        #expect(HTTPDate(parsing: input, now: Self.now) == nil)
    }

    static let failures = [
        "", "0", "-1", "784111777", "Sun", "Sun,", "now",
        "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 1994 08:49:37 +0000",
        "Sun, 06 Nov 1994 08:49:37 GMT ", " Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMTx",
        "Sun,06 Nov 1994 08:49:37 GMT", "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 94 08:49:37 GMT",
        "Sun, 06-Nov-1994 08:49:37 GMT", "Sun 06 Nov 1994 08:49:37 GMT", "06 Nov 1994 08:49:37 GMT",
        "Sunday, 06 Nov 1994 08:49:37 GMT", "Sun, 06-Nov-94 08:49:37 GMT", "Sunday, 06-Nov-1994 08:49:37 GMT",
        "Son, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 06 Nov 1994 8:49:37 GMT",
        "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:37 GMT",
        "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 31 Nov 1994 08:49:37 GMT",
        "Sun, 32 Jan 1994 08:49:37 GMT", "Wed, 29 Feb 1900 00:00:00 GMT", "Wed, 29 Feb 2023 00:00:00 GMT",
        "Wed, 30 Feb 2024 00:00:00 GMT", "Sun, 06 Nov 19940 08:49:37 GMT", "Sun, 06 Nov -994 08:49:37 GMT",
        "Sun Nov 6 08:49:37 1994", "Sun Nov  6 08:49:37 1994 GMT", "Sun Nov  6 08:49:37 94",
        "Sun Nov  6 08:49:37  1994", "Sunday Nov  6 08:49:37 1994", "Tuesday, 29-Feb-23 00:00:00 GMT",
        "Sun, 06 Nov 1994 08:49:37 GMT, Sun, 06 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37Z",
        "Sun, ０6 Nov 1994 08:49:37 GMT", "Sun,\t06 Nov 1994 08:49:37 GMT",
    ]

    @Test("take the most recent century that fits", arguments: Self.centuries)
    func choosesCentury(now: String, year: String, expected: String) throws {
        let now = try #require(HTTPDate(parsing: now, now: Self.now))
        let date = try #require(HTTPDate(parsing: "Monday, 15-Mar-\(year) 12:00:00 GMT", now: now))
        #expect(date.description.contains(" Mar \(expected) "))
    }

    static let centuries = [
        ("Sat, 15 Mar 2025 12:00:00 GMT", "75", "2075"), ("Sat, 15 Mar 2025 11:59:59 GMT", "75", "1975"),
        ("Sat, 15 Mar 2025 12:00:00 GMT", "25", "2025"), ("Sat, 15 Mar 2025 12:00:00 GMT", "24", "2024"),
        ("Sat, 15 Mar 2025 12:00:00 GMT", "76", "1976"), ("Thu, 01 Jan 1970 00:00:00 GMT", "00", "2000"),
        ("Thu, 01 Jan 1970 00:00:00 GMT", "20", "1920"), ("Tue, 01 Jan 2099 00:00:00 GMT", "01", "2101"),
    ]

    @Test("print as IMF-fixdate", arguments: Self.printed)
    func prints(seconds: Int64, expected: String) {
        #expect(HTTPDate(secondsSinceEpoch: seconds).description == expected)
    }

    static let printed: [(Int64, String)] = [
        (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
        (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
        (-1, "Wed, 31 Dec 1969 23:59:59 GMT"),
        (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
        (951_868_800, "Wed, 01 Mar 2000 00:00:00 GMT"),
        (4_107_542_399, "Sun, 28 Feb 2100 23:59:59 GMT"),
        (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
        (-62_167_219_200, "Sat, 01 Jan 0000 00:00:00 GMT"),
        (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
        (.min, "Sat, 01 Jan 0000 00:00:00 GMT"),
        (.max, "Fri, 31 Dec 9999 23:59:59 GMT"),
    ]

    @Test("print to what parses to the same")
    func roundTrips() {
        // A step of some days and an odd time over all years.
        for seconds in stride(from: Int64(-62_167_219_200), through: 253_402_300_799, by: 9_973 * 8641) {
            let date = HTTPDate(secondsSinceEpoch: seconds)
            #expect(HTTPDate(parsing: date.description, now: Self.now) == date)
        }
    }

    @Test("are read with any present")
    func survivesAnyPresent() {
        for now in [Int64.min, -62_167_219_200, 0, 253_402_300_799, .max] {
            let now = HTTPDate(secondsSinceEpoch: now)
            #expect(HTTPDate(parsing: "Sunday, 06-Nov-94 08:49:37 GMT", now: now) != nil)
        }
    }

    @Test("are ordered")
    func isOrdered() {
        #expect(HTTPDate(secondsSinceEpoch: -1) < HTTPDate(secondsSinceEpoch: 0))
    }
}
