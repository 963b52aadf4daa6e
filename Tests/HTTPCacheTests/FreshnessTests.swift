import HTTPMessage
import Testing

@testable import HTTPCache

@Suite("How long a response is fresh (RFC 9111, section 4.2)")
struct FreshnessTests {
    /// Wed, 02 Sep 2015 13:17:01 GMT.
    static let now = HTTPDate(secondsSinceEpoch: 1_441_199_821)

    static func freshness(_ fields: [(FieldName, String)], _ status: Int = 200) -> Freshness {
        var section = HTTPFields()
        for (name, value) in fields { section.append(name, value) }
        let response = HTTPResponse(status: HTTPStatus(status) ?? .ok, fields: section)
        return Freshness(of: response, CacheControl(in: section), receivedAt: now)
    }

    @Test(
        "comes from max-age, before Expires, before a guess (section 4.2.1)",
        arguments: [
            ("max-age=60", 60), ("max-age=\"60\"", 60), ("MAX-AGE=60", 60), ("max-age=060", 60),
            ("max-age=0", 0),
            ("max-age=-1", 0), ("max-age=60.5", 0), ("max-age=6a", 0), ("max-age", 0), ("max-age=", 0),
            ("max-age =60", 0), ("max-age= 60", 0), ("max-age='60'", 0), ("max-age=60, max-age=1", 60),
            ("max-age=1, max-age=60", 1), ("ext=\"max-age=9\", max-age=60", 60),
            ("s-maxage=9, max-age=60", 60),
            ("max-age=99999999999999999999", Int64.max), ("max-age=2147483648", 2_147_483_648),
        ] as [(String, Int64)])
    func maxAge(control: String, seconds: Int64) {
        let freshness = Self.freshness([
            ("Cache-Control", control), ("Expires", "Wed, 02 Sep 2015 14:17:01 GMT"),
            ("Last-Modified", "Mon, 31 Aug 2015 13:17:01 GMT"),
        ])
        #expect(freshness.lifetime == seconds && freshness.basis == .maxAge)
    }

    @Test(
        "of Expires is the time from Date; what cannot be read is past (section 5.3)",
        arguments: [
            ("Wed, 02 Sep 2015 13:18:01 GMT", 60), ("Wednesday, 02-Sep-15 13:18:01 GMT", 60),
            ("Wed Sep  2 13:18:01 2015", 60), ("wed, 02 sep 2015 13:18:01 gmt", 60),
            ("Wed, 02 Sep 2015 13:16:01 GMT", -60), ("0", 0), ("-1", 0), ("", 0), ("never", 0),
            ("Wed, 02 Sep 2015 13:18:01 UTC", 0), ("Wed 02 Sep 2015 13:18:01 GMT", 0),
            ("Wed, 02 Sep 15 13:18:01 GMT", 0), ("Wed, 2 Sep 2015 13:18:01 GMT", 0),
            ("Wed, 02-Sep-2015 13:18:01 GMT", 0), ("Wed, 02 Sep 2015 13.18.01 GMT", 0),
            ("Wed, 02  Sep 2015 13:18:01 GMT", 0), ("Wed, 02 Sep 2015 3:18:01 GMT", 0),
        ] as [(String, Int64)])
    func expires(value: String, seconds: Int64) {
        let freshness = Self.freshness([
            ("Expires", value), ("Date", "Wed, 02 Sep 2015 13:17:01 GMT"),
            ("Last-Modified", "Mon, 31 Aug 2015 13:17:01 GMT"),
        ])
        #expect(freshness.lifetime == seconds && freshness.basis == .expires)
    }

    @Test("of two Expires lines none counts, and an invalid Date is the time of receipt")
    func expiresAndItsDate() {
        let later = "Wed, 02 Sep 2015 13:18:01 GMT"
        #expect(Self.freshness([("Expires", later), ("Expires", later)]).lifetime == 0)
        #expect(Self.freshness([("Expires", later), ("Date", "nonsense")]).lifetime == 60)
        #expect(Self.freshness([("Expires", later)]).lifetime == 60)
        #expect(
            Self.freshness([("Expires", later), ("Date", "Wed, 02 Sep 2015 13:18:00 GMT")]).lifetime == 1)
    }

    @Test(
        "is guessed for some statuses alone: a tenth of the time since the last change, at most seven days",
        arguments: [
            (200, nil, 17_280), (203, nil, 17_280), (204, nil, 17_280), (300, nil, 17_280),
            (301, nil, 17_280),
            (308, nil, 17_280), (404, nil, 17_280), (405, nil, 17_280), (410, nil, 17_280),
            (414, nil, 17_280),
            (501, nil, 17_280), (201, nil, 0), (202, nil, 0), (302, nil, 0), (303, nil, 0), (307, nil, 0),
            (400, nil, 0), (403, nil, 0), (500, nil, 0), (502, nil, 0), (503, nil, 0), (599, nil, 0),
            (599, "public", 17_280), (403, "public", 17_280), (403, "private", 0), (200, "public", 17_280),
        ] as [(Int, String?, Int64)])
    func guess(status: Int, control: String?, seconds: Int64) {
        var fields: [(FieldName, String)] = [
            ("Date", "Wed, 02 Sep 2015 13:17:01 GMT"), ("Last-Modified", "Mon, 31 Aug 2015 13:17:01 GMT"),
        ]
        if let control { fields.append(("Cache-Control", control)) }
        #expect(Self.freshness(fields, status).lifetime == seconds)
    }

    @Test(
        "a guess has its bounds",
        arguments: [
            ("Wed, 02 Sep 1970 13:17:01 GMT", 604_800), ("Wed, 02 Sep 2015 13:17:01 GMT", 0),
            ("Wed, 02 Sep 2015 13:17:02 GMT", 0), ("Wed, 02 Sep 2015 13:16:51 GMT", 1), ("nonsense", 0),
        ] as [(String, Int64)])
    func boundsOfTheGuess(modified: String, seconds: Int64) {
        let freshness = Self.freshness([
            ("Date", "Wed, 02 Sep 2015 13:17:01 GMT"), ("Last-Modified", modified),
        ])
        #expect(freshness.lifetime == seconds)
    }

    @Test(
        "no-cache for some fields leaves the rest usable; for all it does not (section 5.2.2.4)",
        arguments: [
            ("no-cache", true), ("no-cache=\"a\"", false), ("no-cache=a", false), ("no-cache=\"\"", true),
            ("no-cache=\"a b\"", true), ("no-cache=\"a\", no-cache", true), ("No-Cache", true),
            ("max-age=1", false),
        ])
    func noCache(control: String, isNeeded: Bool) {
        #expect(Self.freshness([("Cache-Control", control)]).needsValidation == isNeeded)
    }
}

@Suite("How old a response is when it comes (RFC 9111, sections 4.2.3 and 5.1)")
struct AgeTests {
    @Test(
        "the Age field is the first member of the first line, digits alone",
        arguments: [
            (["30"], 30), (["30, 60"], 30), (["60,30"], 60), (["30", "60"], 30), ([" 30 ,60"], 30),
            (["030"], 30),
            (["abc"], 0), (["-30"], 0), (["30.0"], 0), (["30s"], 0), ([""], 0), ([",30"], 0), (["\"30\""], 0),
            (["+30"], 0), (["3 0"], 0), (["18446744073709551615"], Int64.max),
            (["9223372036854775807"], Int64.max),
        ] as [([String], Int64)])
    func value(lines: [String], age: Int64) {
        var fields = HTTPFields()
        for line in lines { fields.append(.age, line) }
        #expect(Age.value(in: fields) == age)
    }

    private func time(_ seconds: Int64) -> CacheTime {
        CacheTime(
            date: HTTPDate(secondsSinceEpoch: FreshnessTests.now.secondsSinceEpoch + seconds),
            uptime: 1000 + seconds)
    }

    @Test(
        "is the greater of what the Date and what the Age says, the delay added to the latter",
        arguments: [
            ("Wed, 02 Sep 2015 13:17:01 GMT", nil, 0, 0, 0), ("Wed, 02 Sep 2015 13:16:01 GMT", nil, 0, 0, 60),
            ("Wed, 02 Sep 2015 13:18:01 GMT", nil, 0, 0, 0),
            ("Wed, 02 Sep 2015 13:16:01 GMT", "90", 0, 0, 90),
            ("Wed, 02 Sep 2015 13:17:01 GMT", "90", 0, 5, 95), ("nonsense", "90", 0, 5, 95),
            (nil, nil, 0, 5, 5),
            ("Wed, 02 Sep 2015 13:16:01 GMT", "10", 0, 5, 65), (nil, "9223372036854775807", 0, 5, Int64.max),
        ] as [(String?, String?, Int64, Int64, Int64)])
    func initial(date: String?, age: String?, requested: Int64, received: Int64, seconds: Int64) {
        var response = HTTPResponse(status: .ok)
        if let date { response.fields.append(.date, date) }
        if let age { response.fields.append(.age, age) }
        #expect(Age.initial(of: response, requested: time(requested), received: time(received)) == seconds)
    }
}
