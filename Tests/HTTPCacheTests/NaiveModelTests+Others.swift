import CacheModel
import HTTPCache
import HTTPMessage
import Testing

extension NaiveModelTests {
    // MARK: - Parts

    private static let part: HTTPFields = [.cacheControl: "max-age=60", .etag: "\"a\""]

    private static func part(_ range: String, age: String? = nil, tag: String = "\"a\"") -> HTTPFields {
        var fields: HTTPFields = [.cacheControl: "max-age=60", .etag: tag, .contentRange: "bytes \(range)"]
        if let age { fields.append(.age, age) }
        return fields
    }

    static let faultsOfParts: [Fault] = [
        Fault("what was cut as if it were whole", "section 3.3") {
            $0.stored(1, part, content: "hel", isWhole: false, length: 5)
            return $0.judge(
                1, [.cacheControl: "max-age=60", .etag: "\"a\"", .age: "1"], content: "hel", at: 1)
        },
        Fault("a part that nobody asked for", "section 14.2") {
            $0.stored(1, part)
            return $0.judge(1, status: 206, part("0-1/5", age: "1"), content: "he", at: 1)
        },
        Fault("a part that is not the one asked for", "section 14.2") {
            $0.stored(1, part)
            return $0.judge(
                1, status: 206, part("0-1/5", age: "1"), content: "he", request: [.range: "bytes=1-2"], at: 1)
        },
        Fault("a Content-Range that is not of its octets", "section 14.4") {
            $0.stored(1, part)
            return $0.judge(
                1, status: 206, part("1-2/5", age: "1"), content: "he", request: [.range: "bytes=1-2"], at: 1)
        },
        Fault("octets of two versions", "section 15.3.7.3") {
            $0.stored(1, status: 206, part("0-2/5"), request: [.range: "bytes=0-2"], content: "hel")
            $0.stored(
                2, status: 206, part("3-4/5", tag: "\"b\""), request: [.range: "bytes=3-4"], content: "XX",
                at: 1)
            return $0.judge(
                2, [.cacheControl: "max-age=60", .etag: "\"b\"", .age: "1"], content: "helXX", made: 1, at: 2)
        },
        Fault("octets put together by a weak tag", "section 15.3.7.3") {
            $0.stored(
                1, status: 206, part("0-2/5", tag: "W/\"a\""), request: [.range: "bytes=0-2"], content: "hel")
            $0.stored(
                2, status: 206, part("3-4/5", tag: "W/\"a\""), request: [.range: "bytes=3-4"], content: "lo",
                at: 1)
            return $0.judge(
                2, [.cacheControl: "max-age=60", .etag: "W/\"a\"", .age: "1"], content: "hello", made: 1,
                at: 2)
        },
        Fault("a part for an If-Range that does not hold", "section 13.1.5") {
            $0.stored(1, part)
            return $0.judge(
                1, status: 206, part("0-1/5", age: "1"), content: "he",
                request: [.range: "bytes=0-1", .ifRange: "\"b\""], at: 1)
        },
        Fault("a 416 for a range that there is", "section 15.5.17") {
            $0.stored(1, part)
            return $0.judge(
                nil, status: 416, [.contentRange: "bytes */5"], content: "", request: [.range: "bytes=4-"],
                at: 1)
        },
        Fault("a rest that does not begin where the prefix ends", "section 3.3") {
            $0.stored(1, part, content: "hel", isWhole: false, length: 5)
            $0.came(2, status: 206, part("4-4/5"), sent: [.range: "bytes=3-", .ifRange: "\"a\""], at: 1)
            return $0.judge(
                2, [.cacheControl: "max-age=60", .etag: "\"a\""], content: "hel", ground: .completed(2),
                made: 1,
                at: 1)
        },
    ]

    // MARK: - Storing

    static let faultsOfStoring: [Fault] = [
        Fault("no-store", "section 5.2.2.5") { $0.stored(1, [.cacheControl: "max-age=60, no-store"]) },
        Fault("no-store of the request", "section 5.2.1.5") {
            $0.stored(1, [.cacheControl: "max-age=60"], request: [.cacheControl: "No-Store"])
        },
        Fault("must-understand with a status that nobody knows", "section 5.2.2.3") {
            $0.stored(1, status: 299, [.cacheControl: "max-age=60, must-understand"])
        },
        Fault("no-store though must-understand, for such a status", "section 5.2.2.3") {
            $0.stored(1, status: 299, [.cacheControl: "max-age=60, must-understand, no-store"])
        },
        Fault("a status without freshness", "section 3)") { $0.stored(1, status: 500) },
        Fault("a PUT's answer", "section 3)") { $0.stored(1, [.cacheControl: "max-age=60"], to: .put) },
        Fault("a POST's answer without freshness of its own", "section 9.3.3") {
            $0.stored(1, [.contentLocation: "x"], to: .post)
        },
        Fault("a POST's answer that is of another URI", "section 9.3.3") {
            $0.stored(1, [.cacheControl: "max-age=60", .contentLocation: "y"], to: .post)
        },
        Fault("a cut error", "section 3.3") {
            $0.stored(1, status: 404, [.cacheControl: "max-age=60"], isWhole: false, length: 9)
        },
        Fault("a part that does not say which", "section 3.3") {
            $0.stored(1, status: 206, [.cacheControl: "max-age=60"], request: [.range: "bytes=0-4"])
        },
    ]

    // MARK: - Sending and delivering

    static let faultsOfSending: [Fault] = [
        Fault("a tag of nothing stored", "section 4.3.1") {
            $0.stored(1, [.etag: "\"a\""])
            return $0.judgeSending([.ifNoneMatch: "\"b\""])
        },
        Fault("a date though there is a tag", "section 4.3.1") {
            $0.stored(1, [.etag: "\"a\"", .lastModified: Scene.date(-9)])
            return $0.judgeSending([.ifModifiedSince: Scene.date(-9)])
        },
        Fault("the caller's tags left out", "section 4.3.2") {
            $0.stored(1, [.etag: "\"a\""])
            return $0.judgeSending([.ifNoneMatch: "\"a\""], for: [.ifNoneMatch: "\"b\""])
        },
        Fault("a tag of a part, beside the caller's", "section 4.3.2") {
            $0.stored(1, [.etag: "\"a\""], content: "hel", isWhole: false, length: 5)
            return $0.judgeSending([.ifNoneMatch: "\"b\", \"a\""], for: [.ifNoneMatch: "\"b\""])
        },
        Fault("a condition in a POST", "section 4.3.1") {
            $0.stored(1, [.etag: "\"a\""])
            return $0.judgeSending([.ifNoneMatch: "\"a\""], method: .post)
        },
        Fault("a weak tag in If-Range", "section 13.1.5") {
            $0.stored(1, [.etag: "W/\"a\""], content: "hel", isWhole: false, length: 5)
            return $0.judgeSending([.range: "bytes=3-", .ifRange: "W/\"a\""])
        },
        Fault("the origin asked despite only-if-cached", "section 5.2.1.7") {
            $0.judgeSending([.cacheControl: "only-if-cached"], for: [.cacheControl: "only-if-cached"])
        },
        Fault("the network used by a policy that forbids it", "D17") {
            $0.judgeSending([:], policy: .returnCacheDataDontLoad)
        },
        Fault("the network used though something old is stored", "D17") {
            $0.stored(1, [.cacheControl: "max-age=0"])
            return $0.judgeSending([:], policy: .returnCacheDataElseLoad, stored: [1])
        },
        Fault("a reload that does not say so", "D17") {
            $0.judgeSending([:], policy: .reloadRevalidatingCacheData)
        },
        Fault("a field of the caller's left out", "section 4.3.1") {
            $0.judgeSending([:], for: ["X-A": "1"])
        },
        Fault("a 304 for a caller who has nothing", "section 4.3.3") {
            $0.stored(1, [.etag: "\"a\""])
            $0.came(2, status: 304, [.etag: "\"a\""], sent: [.ifNoneMatch: "\"a\""])
            return $0.model.complaintAboutDelivery(of: 2)
        },
        Fault("a 304 of a tag that the caller did not name", "section 4.3.2") {
            $0.stored(1, [.etag: "\"a\""])
            $0.came(
                2, status: 304, [.etag: "\"a\""], request: [.ifNoneMatch: "\"b\""],
                sent: [.ifNoneMatch: "\"b\", \"a\""])
            return $0.model.complaintAboutDelivery(of: 2)
        },
        Fault("a part for who asked for the whole", "section 3.3") {
            $0.stored(1, part, content: "hel", isWhole: false, length: 5)
            $0.came(2, status: 206, part("3-4/5"), sent: [.range: "bytes=3-", .ifRange: "\"a\""])
            return $0.model.complaintAboutDelivery(of: 2)
        },
    ]

    // MARK: - What passes

    @Test("lets pass what is allowed", arguments: allowed)
    func passes(fault: Fault) throws {
        #expect(try fault.complaint(try Scene()) == nil)
    }

    static let allowed: [Fault] = [
        Fault("the last second of freshness", "4.2") {
            $0.stored(1, [.cacheControl: "max-age=60"])
            return $0.judge(1, [.cacheControl: "max-age=60", .age: "59"], at: 59)
        },
        Fault("the example of RFC 5861", "4") {
            let control = "max-age=600, stale-if-error=1200"
            $0.stored(1, [.cacheControl: control])
            return $0.judge(
                1, [.cacheControl: control, .age: "900"], ground: .error(500, wasValidation: false), at: 900)
        },
        Fault("stale while it is validated", "RFC 5861, section 3") {
            let control = "max-age=60, stale-while-revalidate=30"
            $0.stored(1, [.cacheControl: control])
            return $0.judge(1, [.cacheControl: control, .age: "90"], ground: .lookupThenValidation, at: 90)
        },
        Fault("stale when the origin is away", "4.2.4") {
            $0.stored(1, [.cacheControl: "max-age=60"])
            return $0.judge(1, [.cacheControl: "max-age=60", .age: "900"], ground: .failure, at: 900)
        },
        Fault("any age that is huge", "1.2.2") {
            $0.stored(1, [.cacheControl: "max-age=60", .age: "99999999999999999999"])
            return $0.judge(
                1, [.cacheControl: "max-age=60", .age: "2147483648"], request: [.cacheControl: "max-stale"],
                at: 1)
        },
        Fault("languages in another order and case, on two lines", "4.1") {
            $0.stored(
                1, [.cacheControl: "max-age=60", .vary: "Accept-Language"],
                request: ["Accept-Language": "de, en"])
            var request: HTTPFields = ["Accept-Language": "EN"]
            request.append("Accept-Language", "de")
            return $0.judge(
                1, [.cacheControl: "max-age=60", .vary: "Accept-Language", .age: "1"], request: request, at: 1
            )
        },
        Fault("no-cache, and the field left out", "5.2.2.4") {
            let control = "max-age=60, no-cache=\"x-note\""
            $0.stored(1, [.cacheControl: control, "X-Note": "a"])
            return $0.judge(1, [.cacheControl: control, .age: "1"], at: 1)
        },
        Fault("what a 304 has updated, with its new life", "4.3.4") {
            $0.stored(1, [.cacheControl: "max-age=5", .etag: "\"a\"", "X-Note": "a"])
            $0.came(2, status: 304, [.etag: "\"a\"", "X-Note": "b"], sent: [.ifNoneMatch: "\"a\""], at: 50)
            return $0.judge(
                2, [.cacheControl: "max-age=5", .etag: "\"a\"", "X-Note": "b", .age: "4"], made: 50, at: 54)
        },
        Fault("parts put together by a strong tag", "3.4") {
            $0.stored(1, status: 206, part("0-2/5"), request: [.range: "bytes=0-2"], content: "hel")
            $0.stored(2, status: 206, part("3-4/5"), request: [.range: "bytes=3-4"], content: "lo", at: 1)
            return $0.judge(
                2, [.cacheControl: "max-age=60", .etag: "\"a\"", .age: "1"], content: "hello", made: 1, at: 2)
        },
        Fault("what a POST to another origin's neighbour names", "4.4") {
            $0.stored(1, [.cacheControl: "max-age=60"])
            let other = HTTPRequest(.post, try URI(parsing: "http://b.test/x"))
            let response = HTTPResponse(status: .ok, fields: ["X-Id": "2", .location: "http://a.test/x"])
            $0.model.receive(response, to: Sent(other, as: other, at: Scene.time(1)), at: Scene.time(1))
            return $0.judge(1, [.cacheControl: "max-age=60", .age: "2"], at: 2)
        },
        Fault("any age, by a policy", "D17") {
            $0.stored(1, [.cacheControl: "max-age=0, no-cache, must-revalidate"])
            return $0.judge(
                1, [.cacheControl: "max-age=0, no-cache, must-revalidate", .age: "99"],
                policy: .returnCacheDataDontLoad, at: 99)
        },
        Fault("a clock that was set back", "4.2.3") {
            let model = $0.model
            $0.stored(1, [.cacheControl: "max-age=60"])
            let answer = Answer(
                200,
                ["X-Id": "1", .date: Scene.date(0), .cacheControl: "max-age=60", .age: "9"],
                Array("hello".utf8))
            return model.complaint(
                about: answer,
                to: NaiveModel.Question(
                    HTTPRequest($0.uri), at: CacheMoment(wall: 1_600_000_000, uptime: 109)))
        },
    ]
}
