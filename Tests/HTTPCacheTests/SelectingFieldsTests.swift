import HTTPMessage
import Testing

@testable import HTTPCache

@Suite("Which requests a response was chosen for (RFC 9111, section 4.1)")
struct SelectingFieldsTests {
    private func request(_ fields: [(String, String)]) throws -> HTTPRequest {
        var request = HTTPRequest(try URI(parsing: "http://host.test/"))
        for (name, value) in fields { request.fields.append(try #require(FieldName(name)), value) }
        return request
    }

    private func matches(
        vary: [String], _ stored: [(String, String)], _ asked: [(String, String)],
        more: [(FieldName, String)] = []
    ) throws -> Bool {
        var response = HTTPResponse(status: .ok)
        for value in vary { response.fields.append(.vary, value) }
        for (name, value) in more { response.fields.append(name, value) }
        return try SelectingFields(response.fields, of: response, for: request(stored)).match(request(asked))
    }

    @Test(
        "by the values of the fields that Vary names",
        arguments: [
            (["Foo"], ["Foo": "1"], ["Foo": "1"], true), (["Foo"], ["Foo": "1"], ["Foo": "2"], false),
            (["Foo"], ["Foo": "1"], [:], false), (["Foo"], [:], ["Foo": "1"], false),
            (["Foo"], [:], [:], true),
            (["Foo"], [:], ["Foo": ""], false), (["foo"], ["FOO": "1"], ["Foo": "1"], true),
            (["Foo"], ["Foo": "a"], ["Foo": "A"], false),
            (["Foo"], ["Foo": "1", "Bar": "2"], ["Foo": "1"], true),
            (["Foo, Bar"], ["Foo": "1", "Bar": "2"], ["Bar": "2", "Foo": "1"], true),
            (["Foo, Bar"], ["Foo": "1", "Bar": "2"], ["Foo": "1"], false),
            (["Foo", "Bar"], ["Foo": "1", "Bar": "2"], ["Foo": "1", "Bar": "3"], false),
            (["Foo"], ["Foo": "1,2"], ["Foo": " 1, 2 "], true),
            (["Foo"], ["Foo": "1,2"], ["Foo": "2,1"], false),
            (["Foo"], ["Foo": "\"a, b\""], ["Foo": "\"a,b\""], false),
            ([""], ["Foo": "1"], ["Foo": "2"], true),
            (["*"], [:], [:], false), (["Foo, *"], [:], [:], false), (["", "*"], [:], [:], false),
            (["a b"], [:], [:], false),
        ] as [([String], [String: String], [String: String], Bool)])
    func values(vary: [String], stored: [String: String], asked: [String: String], isMatch: Bool) throws {
        #expect(try matches(vary: vary, stored.map { $0 }, asked.map { $0 }) == isMatch)
    }

    @Test func severalLinesAreOneList() throws {
        #expect(try matches(vary: ["Foo"], [("Foo", "1, 2")], [("Foo", "1"), ("Foo", "2")]))
        #expect(try !matches(vary: ["Foo"], [("Foo", "1, 2")], [("Foo", "2"), ("Foo", "1")]))
    }

    @Test(
        "Accept-Language without regard to case and order",
        arguments: [
            ("en, de", "de, en", true), ("en, de", "eN, De", true), ("en, de", " en ,   de", true),
            ("en;q=0.5, de", "de, en;q=0.50", true), ("en;q=0.5, de", "de;q=0.5, en", false),
            ("en", "en-GB", false),
            ("en, de", "en", false), ("en", "", false), ("en;q=1", "en", true), ("en;q=x", "en", false),
        ])
    func language(stored: String, asked: String, isMatch: Bool) throws {
        let name = "Accept-Language"
        #expect(try matches(vary: [name], [(name, stored)], [(name, asked)]) == isMatch)
    }

    @Test(
        "the one language that is liked best is what would be chosen",
        arguments: [
            ("fr;q=0.5, de;q=1.0", "de", true), ("fr, de;q=0.9", "de", false), ("fr, de", "de", false),
            ("de", "DE", true), ("de", "de, fr", false), ("de;q=0", "de", false), ("", "de", false),
        ])
    func preferredLanguage(asked: String, content: String, isMatch: Bool) throws {
        let name = "Accept-Language"
        let isSo = try matches(
            vary: [name], [(name, "en, de")], [(name, asked)], more: [(.contentLanguage, content)])
        #expect(isSo == isMatch)
    }

    @Test("credentials count unless the response may be shared (section 3.5)")
    func credentials() throws {
        let (own, other) = (("Authorization", "Basic YTph"), ("Authorization", "Basic Yjpi"))
        #expect(try matches(vary: [], [own], [own]))
        #expect(try !matches(vary: [], [own], [other]))
        #expect(try !matches(vary: [], [own], []))
        #expect(try matches(vary: [], [], [own]))
        for control in ["public", "s-maxage=1"] {
            #expect(try matches(vary: [], [own], [other], more: [(.cacheControl, control)]))
            #expect(try !matches(vary: [], [own], [other], more: [(.cacheControl, control + ", private")]))
        }
        #expect(try !matches(vary: [], [own], [other], more: [(.cacheControl, "must-revalidate")]))
    }

    @Test func moreNamesThanAreComparedMatchNothing() throws {
        let names = (0..<64).map { "X-\($0)" }
        #expect(try matches(vary: [names.joined(separator: ",")], [], []))
        #expect(try !matches(vary: [(names + ["X-64"]).joined(separator: ",")], [], []))
    }
}
