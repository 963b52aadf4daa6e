import CacheModel
import HTTPCache
import HTTPMessage
import Testing

/// The model itself: what it must refuse, by the text of the RFCs, and what it must let pass.
@Suite("The second model of RFC 9111")
struct NaiveModelTests {
    /// A thing that a cache does, and the section that forbids it.
    struct Fault: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var section: String
        var complaint: @Sendable (Scene) throws -> String?

        init(_ name: String, _ section: String, _ complaint: @escaping @Sendable (Scene) throws -> String?) {
            testDescription = name
            self.section = section
            self.complaint = complaint
        }
    }

    @Test("refuses", arguments: faultsOfUse + faultsOfSelection + faultsOfUpdates + faultsOfParts)
    func refusesAnswers(fault: Fault) throws {
        let complaint = try fault.complaint(try Scene())
        #expect(complaint?.contains(fault.section) == true, "\(complaint ?? "nothing")")
    }

    @Test("refuses to store, to send and to deliver", arguments: faultsOfStoring + faultsOfSending)
    func refusesOthers(fault: Fault) throws {
        let complaint = try fault.complaint(try Scene())
        #expect(complaint?.contains(fault.section) == true, "\(complaint ?? "nothing")")
    }

    // MARK: - Freshness and directives

    static let faultsOfUse: [Fault] = [
        Fault("what became stale this second", "section 4.2.4") {
            $0.stored(1, [.cacheControl: "max-age=60"])
            return $0.judge(1, [.cacheControl: "max-age=60", .age: "60"], at: 60)
        },
        Fault("what came old", "section 4.2.4") {
            $0.stored(1, [.cacheControl: "max-age=60", .age: "50"])
            return $0.judge(1, [.cacheControl: "max-age=60", .age: "60"], at: 10)
        },
        Fault("an Age that starts anew", "section 4.2.3") {
            $0.stored(1, [.cacheControl: "max-age=60", .age: "50"])
            return $0.judge(1, [.cacheControl: "max-age=60", .age: "5"], at: 5)
        },
        Fault("an answer without Age", "section 4)") {
            $0.stored(1, [.cacheControl: "max-age=60"])
            return $0.judge(1, [.cacheControl: "max-age=60"], at: 5)
        },
        Fault("an Expires of 0 taken for a date to come", "section 4.2.4") {
            $0.stored(1, [.expires: "0"])
            return $0.judge(1, [.expires: "0", .age: "0"], at: 0)
        },
        Fault("heuristics beyond seven days", "section 4.2.4") {
            let old = Scene.date(-400 * 86_400)
            $0.stored(1, [.lastModified: old])
            return $0.judge(1, [.lastModified: old, .age: "691200"], at: 8 * 86_400)
        },
        Fault("heuristics for a status that has none", "section 4.2.4") {
            let old = Scene.date(-86_400)
            $0.stored(1, status: 403, [.lastModified: old, .cacheControl: "private"])
            return $0.judge(1, status: 403, [.lastModified: old, .cacheControl: "private", .age: "1"], at: 1)
        },
        Fault("no-cache without validation", "section 5.2.2.4") {
            $0.stored(1, [.cacheControl: "max-age=60, NO-cache"])
            return $0.judge(1, [.cacheControl: "max-age=60, NO-cache", .age: "1"], at: 1)
        },
        Fault("a field that no-cache names", "section 5.2.2.4") {
            let control = "max-age=60, no-cache=\"x-note\""
            $0.stored(1, [.cacheControl: control, "X-Note": "a"])
            return $0.judge(1, [.cacheControl: control, "X-Note": "a", .age: "1"], at: 1)
        },
        Fault("must-revalidate, stale, when the origin is away", "section 5.2.2.2") {
            $0.stored(1, [.cacheControl: "max-age=60, must-revalidate"])
            return $0.judge(
                1, [.cacheControl: "max-age=60, must-revalidate", .age: "61"], ground: .failure, at: 61)
        },
        Fault("older than the request takes", "section 5.2.1.1") {
            $0.stored(1, [.cacheControl: "max-age=60"])
            return $0.judge(
                1, [.cacheControl: "max-age=60", .age: "11"], request: [.cacheControl: "max-age=10"], at: 11)
        },
        Fault("fresh for less than the request wants", "section 5.2.1.3") {
            $0.stored(1, [.cacheControl: "max-age=60"])
            return $0.judge(
                1, [.cacheControl: "max-age=60", .age: "11"], request: [.cacheControl: "min-fresh=50"], at: 11
            )
        },
        Fault("Pragma: no-cache overlooked", "section 5.2.1.4") {
            $0.stored(1, [.cacheControl: "max-age=60"])
            return $0.judge(
                1, [.cacheControl: "max-age=60", .age: "1"], request: [.pragma: "No-Cache"], at: 1)
        },
        Fault("stale for longer than max-stale says", "section 4.2.4") {
            $0.stored(1, [.cacheControl: "max-age=60"])
            return $0.judge(
                1, [.cacheControl: "max-age=60", .age: "71"], request: [.cacheControl: "max-stale=10"], at: 71
            )
        },
        Fault("stale-while-revalidate without validation", "section 4.2.4") {
            let control = "max-age=60, stale-while-revalidate=30"
            $0.stored(1, [.cacheControl: control])
            return $0.judge(1, [.cacheControl: control, .age: "61"], at: 61)
        },
        Fault("the example of RFC 5861, a second too late", "RFC 5861, section 4") {
            let control = "max-age=600, stale-if-error=1200"
            $0.stored(1, [.cacheControl: control])
            return $0.judge(
                1, [.cacheControl: control, .age: "1801"], ground: .error(500, wasValidation: false), at: 1801
            )
        },
        Fault("a 404 replaced by what is stored", "section 4.3.3") {
            $0.stored(1, [.cacheControl: "max-age=60"])
            return $0.judge(
                1, [.cacheControl: "max-age=60", .age: "1"], ground: .error(404, wasValidation: true), at: 1)
        },
        Fault("a 504, though nobody said only-if-cached", "section 5.2.1.7") {
            $0.judge(nil, status: 504, [.contentLength: "0"], content: "", at: 0)
        },
        Fault("a reload answered by what is not immutable", "D17") {
            $0.stored(1, [.cacheControl: "max-age=60"])
            return $0.judge(
                1, [.cacheControl: "max-age=60", .age: "1"], policy: .reloadRevalidatingCacheData, at: 1)
        },
        Fault("what a policy ignores", "D17") {
            $0.stored(1, [.cacheControl: "max-age=60"])
            return $0.judge(
                1, [.cacheControl: "max-age=60", .age: "1"], policy: .reloadIgnoringLocalCacheData, at: 1)
        },
    ]

    // MARK: - Which response

    static let faultsOfSelection: [Fault] = [
        Fault("another target", "section 4)") {
            $0.stored(1, [.cacheControl: "max-age=60"])
            let other = try URI(parsing: "http://a.test/x?")
            return $0.judge(1, [.cacheControl: "max-age=60", .age: "1"], of: other, at: 1)
        },
        Fault("a POST that never reaches the origin", "section 4)") {
            $0.stored(1, [.cacheControl: "max-age=60"])
            return $0.judge(1, [.cacheControl: "max-age=60", .age: "1"], to: .post, at: 1)
        },
        Fault("another variant", "section 4.1") {
            $0.stored(1, [.cacheControl: "max-age=60", .vary: "X-A"], request: ["X-A": "1"])
            return $0.judge(
                1, [.cacheControl: "max-age=60", .vary: "X-A", .age: "1"], request: ["x-a": "2"], at: 1)
        },
        Fault("a field that is there, but empty, for one that is absent", "section 4.1") {
            $0.stored(1, [.cacheControl: "max-age=60", .vary: "X-A"])
            return $0.judge(
                1, [.cacheControl: "max-age=60", .vary: "X-A", .age: "1"], request: ["x-a": ""], at: 1)
        },
        Fault("Vary: *", "section 4.1") {
            $0.stored(1, [.cacheControl: "max-age=60", .vary: "X-A, *"])
            return $0.judge(1, [.cacheControl: "max-age=60", .vary: "X-A, *", .age: "1"], at: 1)
        },
        Fault("the older of two", "section 4)") {
            $0.stored(1, [.cacheControl: "max-age=60", .vary: "X-A"])
            $0.stored(2, [.cacheControl: "max-age=60", .vary: "X-B"], at: 5)
            return $0.judge(
                1, [.cacheControl: "max-age=60", .vary: "X-A", .age: "9"], at: 9, stored: [1, 2])
        },
        Fault("a HEAD's answer for a GET", "section 4)") {
            $0.stored(1, [.cacheControl: "max-age=60"], to: .head, content: "")
            return $0.judge(1, [.cacheControl: "max-age=60", .age: "1"], content: "", at: 1)
        },
        Fault("what was there before a PUT", "section 4.4") {
            $0.stored(1, [.cacheControl: "max-age=60"])
            $0.came(2, status: 204, to: .put, at: 1)
            return $0.judge(1, [.cacheControl: "max-age=60", .age: "2"], at: 2)
        },
        Fault("what an unknown method has changed, by its Location", "section 4.4") {
            let other = try URI(parsing: "http://a.test/y")
            let response = HTTPResponse(status: .ok, fields: ["X-Id": "1", .cacheControl: "max-age=60"])
            let request = HTTPRequest(other)
            $0.model.receive(response, to: Sent(request, as: request, at: Scene.time(0)), at: Scene.time(0))
            _ = $0.model.store(1, content: [], isWhole: true)
            $0.came(2, status: 303, [.location: "/y"], to: HTTPMethod("FROB") ?? .post, at: 1)
            return $0.judge(
                1, [.cacheControl: "max-age=60", .age: "2"], content: "", of: other, at: 2)
        },
    ]

    // MARK: - Updates and fields

    static let faultsOfUpdates: [Fault] = [
        Fault("a 304 of another tag", "section 4.3.4") {
            $0.stored(1, [.etag: "\"a\""])
            $0.came(2, status: 304, [.etag: "\"b\""], sent: [.ifNoneMatch: "\"a\""], at: 5)
            return $0.judge(2, [.etag: "\"b\""], ground: .validated(2), made: 5, at: 5)
        },
        Fault("a strong 304 for a weak tag", "section 4.3.4") {
            $0.stored(1, [.etag: "W/\"a\""])
            $0.came(2, status: 304, [.etag: "\"a\""], sent: [.ifNoneMatch: "W/\"a\""], at: 5)
            return $0.judge(2, [.etag: "\"a\""], ground: .validated(2), made: 5, at: 5)
        },
        Fault("fields that a 304 has replaced", "section 4.3.4") {
            $0.stored(1, [.cacheControl: "max-age=60", .etag: "\"a\""])
            $0.came(
                2, status: 304, [.cacheControl: "max-age=5", .etag: "\"a\""], sent: [.ifNoneMatch: "\"a\""],
                at: 5)
            return $0.judge(1, [.cacheControl: "max-age=60", .etag: "\"a\"", .age: "30"], at: 30)
        },
        Fault("a field that a 304 left alone, gone", "section 3.1") {
            $0.stored(1, ["X-Note": "a", .etag: "\"a\""])
            $0.came(2, status: 304, [.etag: "\"a\""], sent: [.ifNoneMatch: "\"a\""], at: 5)
            return $0.judge(2, [.etag: "\"a\""], ground: .validated(2), made: 5, at: 5)
        },
        Fault("what a HEAD does not agree with", "section 4.2.4") {
            $0.stored(1, [.cacheControl: "max-age=60", .etag: "\"a\""])
            $0.came(2, [.etag: "\"b\""], to: .head, at: 5)
            return $0.judge(1, [.cacheControl: "max-age=60", .etag: "\"a\"", .age: "9"], at: 9)
        },
        Fault("a field of the connection", "section 3.1") {
            $0.stored(1, [.cacheControl: "max-age=60", .keepAlive: "timeout=5"])
            return $0.judge(1, [.cacheControl: "max-age=60", .keepAlive: "timeout=5", .age: "1"], at: 1)
        },
        Fault("a field that Connection names", "section 3.2") {
            $0.stored(1, [.cacheControl: "max-age=60", .connection: "x-hop", "X-Hop": "1"])
            return $0.judge(1, [.cacheControl: "max-age=60", "X-Hop": "1", .age: "1"], at: 1)
        },
        Fault("another Date", "section 3.2") {
            $0.stored(1, [.cacheControl: "max-age=60"])
            return $0.judge(1, [.cacheControl: "max-age=60", .age: "5"], made: 5, at: 5)
        },
        Fault("a 304 though no tag matches", "section 13.1") {
            $0.stored(1, [.cacheControl: "max-age=60", .etag: "\"a\""])
            return $0.judge(
                nil, status: 304,
                [.etag: "\"a\"", .age: "1", .date: Scene.date(0), .cacheControl: "max-age=60"],
                content: "", request: [.ifNoneMatch: "\"b\""], at: 1)
        },
        Fault("the whole again though a tag matches", "section 13.2.1") {
            $0.stored(1, [.cacheControl: "max-age=60", .etag: "\"a\""])
            return $0.judge(
                1, [.cacheControl: "max-age=60", .etag: "\"a\"", .age: "1"],
                request: [.ifNoneMatch: "\"b\", W/\"a\""], at: 1)
        },
    ]
}
