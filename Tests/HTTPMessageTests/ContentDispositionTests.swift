import HTTPMessage
import Testing

@Suite("Content-Disposition (RFC 6266 and RFC 8187)")
struct ContentDispositionTests {
    @Test("has a type and a file name", arguments: Self.valid)
    func parses(input: String, type: String, filename: String?) throws {
        let disposition = try #require(ContentDisposition(parsing: input))
        #expect(disposition.type == type)
        #expect(disposition.filename == filename)
    }

    static let valid: [(String, String, String?)] = [
        // RFC 6266, section 5.
        ("Attachment; filename=example.html", "attachment", "example.html"),
        ("INLINE; FILENAME= \"an example.html\"", "inline", "an example.html"),
        ("attachment; filename*= UTF-8''%e2%82%ac%20rates", "attachment", "\u{20AC} rates"),
        (
            "attachment; filename=\"EURO rates\"; filename*=utf-8''%e2%82%ac%20rates", "attachment",
            "\u{20AC} rates"
        ),
        // RFC 8187, section 3.2.3.
        ("a; filename*=UTF-8''%c2%a3%20and%20%e2%82%ac%20rates", "a", "\u{A3} and \u{20AC} rates"),
        ("a; filename*=iso-8859-1'en'%A3%20rates", "a", "\u{A3} rates"),
        // Either order, any case, a language or none.
        ("attachment; filename*=UTF-8'en'a%20b; filename=c", "attachment", "a b"),
        ("attachment; FileName*=utf-8''x; filename=y", "attachment", "x"),
        // A bad encoding falls back.
        ("attachment; filename*=UTF-8''%e2%82; filename=plain", "attachment", "plain"),
        ("attachment; filename*=UTF-8''%zz; filename=plain", "attachment", "plain"),
        ("attachment; filename*=UTF-8''a%2; filename=plain", "attachment", "plain"),
        ("attachment; filename*=UTF-8''a%; filename=plain", "attachment", "plain"),
        ("attachment; filename*=UTF-16''%00a; filename=plain", "attachment", "plain"),
        ("attachment; filename*=''a; filename=plain", "attachment", "plain"),
        ("attachment; filename*=UTF-8'a; filename=plain", "attachment", "plain"),
        ("attachment; filename*=plain2; filename=plain", "attachment", "plain"),
        ("attachment; filename*=UTF-8''\u{E9}; filename=plain", "attachment", "plain"),
        ("attachment; filename*=UTF-8''%FF", "attachment", nil),
        // Quotes where there should be none, characters that should be escaped.
        ("attachment; filename*=\"UTF-8''a%20b\"", "attachment", "a b"),
        ("attachment; filename*=UTF-8''a b (1).txt; filename=c", "attachment", "a b (1).txt"),
        // Raw octets: UTF-8 when they can be, else ISO 8859-1.
        ("attachment; filename=\"\u{E4}\u{BD}\u{BF}.zip\"", "attachment", "使.zip"),
        ("attachment; filename=\u{E4}\u{BD}\u{BF}.zip", "attachment", "使.zip"),
        ("attachment; filename=\"na\u{EF}ve.txt\"", "attachment", "naïve.txt"),
        // Quoted pairs; escapes are not decoded there.
        ("attachment; filename=\"a\\\"b\\\\c\"", "attachment", "a\"b\\c"),
        ("attachment; filename=\"a%20b\"", "attachment", "a%20b"),
        ("attachment; filename=\"a;b=c\"; x=y", "attachment", "a;b=c"),
        ("attachment; filename=\"\"", "attachment", ""),
        // No name.
        ("attachment", "attachment", nil),
        ("inline ;", "inline", nil),
        ("attachment; filename", "attachment", nil),
        ("attachment; filename=", "attachment", nil),
        ("attachment; xfilename=foo", "attachment", nil),
        ("attachment; x=\"filename=a\"; y", "attachment", nil),
        // The first of two; blanks around "=".
        ("attachment; filename=a; filename=b", "attachment", "a"),
        ("attachment; filename = a", "attachment", "a"),
        ("attachment;filename=correct.jpg; somethingelse=/wrong.jpg", "attachment", "correct.jpg"),
    ]

    @Test("recovers what servers send unless told not to", arguments: Self.lenient)
    func recovers(input: String, lenient: String?, strict: String?) {
        #expect(ContentDisposition(parsing: input)?.filename == lenient)
        #expect(ContentDisposition(parsing: input, isLenient: false)?.filename == strict)
    }

    static let lenient: [(String, String?, String?)] = [
        ("attachment; filename=a b.txt ; x=y", "a b.txt", nil),
        ("attachment; filename=a/b.txt", "a/b.txt", nil),
        ("attachment; filename=\"a.txt", "a.txt", nil),
        ("attachment; filename=\"a.txt\" x", "a.txt", nil),
        ("attachment; filename = a.txt", "a.txt", nil),
        ("filename=a.txt", "a.txt", nil),
        ("filename=\"a b\"; x=y", "a b", nil),
        ("attachment; filename=a.txt", "a.txt", "a.txt"),
        ("attachment; filename=\"a.txt\" ;x", "a.txt", "a.txt"),
    ]

    @Test(
        "needs a type",
        arguments: ["", " ", ";", "; filename=a", "\"attachment\"", "=a", "attachment, inline"])
    func refuses(input: String) {
        #expect(ContentDisposition(parsing: input) == nil)
    }

    @Test("is inline or to be saved")
    func tellsInline() {
        #expect(ContentDisposition(parsing: "Inline")?.isInline == true)
        #expect(ContentDisposition(parsing: "attachment")?.isInline == false)
        #expect(ContentDisposition(parsing: "unknown")?.isInline == false)
    }
}
