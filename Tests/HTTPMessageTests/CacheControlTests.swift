import HTTPMessage
import Testing

@Suite("Cache-Control (RFC 9111, section 5.2)")
struct CacheControlTests {
    private func control(_ lines: String...) -> CacheControl {
        var fields: HTTPFields = ["Date": "no-store"]
        for line in lines { fields.append("cache-CONTROL", line) }
        fields.append("X-Cache-Control", "no-store")
        return CacheControl(in: fields)
    }

    @Test(
        "is read as directives with names in lower case and arguments without quotes", arguments: Self.lines)
    func reads(value: String, expected: [String]) {
        #expect(control(value).directives.map(\.description) == expected)
    }

    static let lines: [(String, [String])] = [
        ("", []),
        (" , ,\t,", []),
        ("no-store", ["no-store"]),
        ("No-STORE,max-AGE=5", ["no-store", "max-age=5"]),
        ("max-age=\"5\"", ["max-age=5"]),
        ("private=\"A, b\" , x", ["private=\"A, b\"", "x"]),
        ("a=\"no-store, max-age=5\"", ["a=\"no-store, max-age=5\""]),
        ("a=\"\\\"\\\\\", b", ["a=\"\\\"\\\\\"", "b"]),
        ("a=\"\"", ["a=\"\""]),
        ("community=UCI", ["community=UCI"]),
        // Each of these has a name and no argument that can be read.
        ("max-age =100", ["max-age"]),
        ("max-age= 100", ["max-age"]),
        ("max-age=", ["max-age"]),
        ("max-age=1 2", ["max-age"]),
        ("max-age=\"1\"2", ["max-age"]),
        ("max-age=\"1", ["max-age"]),
        ("max-age:1", ["max-age"]),
        ("no-store; max-age=1", ["no-store"]),
        // No name at all.
        ("=5, \"no-store\", ;, @, max-age=1", ["max-age=1"]),
        ("\u{E9}, a=\"\u{E9}\"", ["a=\"\u{E9}\""]),
    ]

    @Test func isReadAcrossLinesEachForItself() {
        let control = control("a=\"not closed, b", "no-store, c", "", "max-age=5")
        #expect(control.directives.map(\.name) == ["a", .noStore, "c", .maxAge])
        #expect(control.directives.map(\.isMalformed) == [true, false, false, false])
    }

    @Test func isEmptyWhereThereIsNone() {
        #expect(CacheControl(in: HTTPFields()).isEmpty)
        #expect(control().isEmpty)
        #expect(!control("a").isEmpty)
    }

    @Test("gives times in digits, and tells those that are invalid from none", arguments: Self.times)
    func readsSeconds(value: String, expected: CacheControl.DeltaSeconds?) {
        #expect(control(value).seconds(.maxAge) == expected)
    }

    static let times: [(String, CacheControl.DeltaSeconds?)] = [
        ("no-cache", nil),
        ("x-max-age=5, s-maxage=6", nil),
        ("a=\"max-age=5\"", nil),
        ("max-age=0", .seconds(0)),
        ("max-age=7776000", .seconds(7_776_000)),
        ("Max-Age=\"0060\"", .seconds(60)),
        ("max-age=2147483648", .seconds(2_147_483_648)),
        ("max-age=9223372036854775806", .seconds(9_223_372_036_854_775_806)),
        ("max-age=9223372036854775807", .seconds(.max)),
        ("max-age=9223372036854775808", .seconds(.max)),
        ("max-age=99999999999999999999999999999999999999", .seconds(.max)),
        ("max-age", .invalid),
        ("max-age=", .invalid),
        ("max-age=\"\"", .invalid),
        ("max-age=-1", .invalid),
        ("max-age=+1", .invalid),
        ("max-age=3600.0", .invalid),
        ("max-age=a1", .invalid),
        ("max-age=1a", .invalid),
        ("max-age='1'", .invalid),
        ("max-age=\" 1\"", .invalid),
        ("max-age=99999999999999999999a", .invalid),
        ("max-age =100", .invalid),
        ("max-age= 100", .invalid),
        ("max-age=100;", .invalid),
        ("max-age=\"\u{B2}\"", .invalid),
        // Of several the first counts, whatever it is.
        ("max-age=5, max-age=6", .seconds(5)),
        ("max-age=a, max-age=6", .invalid),
    ]

    @Test func countsTheFirstOfSeveralLines() {
        #expect(control("no-cache", "max-age=7", "max-age=8").seconds(.maxAge) == .seconds(7))
    }

    @Test("names the fields that a directive is limited to", arguments: Self.limits)
    func namesFields(value: String, isThere: Bool, expected: [FieldName]?) {
        let control = control(value)
        #expect(control.contains(.noCache) == isThere)
        #expect(control.fieldNames(of: .noCache) == expected)
    }

    static let limits: [(String, Bool, [FieldName]?)] = [
        ("private=\"a\"", false, nil),
        ("no-cache", true, nil),
        ("no-cache=\"set-cookie\"", true, ["Set-Cookie"]),
        ("no-cache=Set-Cookie", true, ["Set-Cookie"]),
        ("No-Cache=\" A ,, b,\"", true, ["A", "B"]),
        ("no-cache=\"a\", x, no-cache=\"b\"", true, ["a", "b"]),
        // As a whole: the most restrictive meaning.
        ("no-cache=\"a\", no-cache", true, nil),
        ("no-cache, no-cache=\"a\"", true, nil),
        ("no-cache=\"\"", true, nil),
        ("no-cache=\",\"", true, nil),
        ("no-cache=\"a b\"", true, nil),
        ("no-cache=\"a, (b)\"", true, nil),
        ("no-cache=\"a", true, nil),
        ("no-cache =\"a\"", true, nil),
        ("no-cache;", true, nil),
    ]

    @Test func comparesNamesWithoutRegardToCase() {
        #expect(CacheControl.Name("No-Store") == .noStore)
        #expect(control("NO-STORE").contains("No-Store"))
        #expect(!control("no-stores").contains(.noStore))
    }

    @Test("spells its names as the RFCs do", arguments: Self.names)
    func knows(name: CacheControl.Name, spelling: String) {
        #expect(control("x, \(spelling)=1, y")[name]?.argument == "1")
    }

    static let names: [(CacheControl.Name, String)] = [
        (.immutable, "immutable"), (.maxAge, "max-age"), (.maxStale, "max-stale"), (.minFresh, "min-fresh"),
        (.mustRevalidate, "must-revalidate"), (.mustUnderstand, "must-understand"), (.noCache, "no-cache"),
        (.noStore, "no-store"), (.noTransform, "no-transform"), (.onlyIfCached, "only-if-cached"),
        (.private, "private"), (.proxyRevalidate, "proxy-revalidate"), (.public, "public"),
        (.sMaxage, "s-maxage"), (.staleIfError, "stale-if-error"),
        (.staleWhileRevalidate, "stale-while-revalidate"),
    ]
}
