import HTTPMessage
import HTTPWire
import Testing

/// A request as the simplest of servers reads it; shares no code with the module under test.
private struct ReadRequest: Hashable {
    var line: [String]
    var fields: [[String]]

    /// `nil` unless `octets` are one head and nothing else.
    init?(_ octets: [UInt8]) {
        var lines: [[UInt8]] = [[]]
        var index = 0
        while index < octets.count {
            if octets[index] == 13 && index + 1 < octets.count && octets[index + 1] == 10 {
                lines.append([])
                index += 2
            } else {
                guard octets[index] != 13 && octets[index] != 10 && octets[index] != 0 else { return nil }
                lines[lines.count - 1].append(octets[index])
                index += 1
            }
        }
        guard lines.count >= 3, lines.removeLast().isEmpty, lines.removeLast().isEmpty else { return nil }
        let texts = lines.map { line in String(String.UnicodeScalarView(line.map { Unicode.Scalar($0) })) }
        line = texts[0].split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        guard line.count == 3 else { return nil }
        fields = []
        for text in texts.dropFirst() {
            guard let colon = text.firstIndex(of: ":") else { return nil }
            let value = text[text.index(after: colon)...].drop(while: { $0 == " " })
            fields.append([String(text[..<colon]), String(value)])
        }
    }
}

@Suite("Request heads (RFC 9112, section 3)")
struct RequestSerializerTests {
    @Test("are written octet for octet")
    func octets() throws {
        // RFC 9112, section 3.2.1
        let head = try RequestSerializer.head(
            of: .get, target: .origin("/where?q=now"), fields: ["Host": "www.example.org", "X-Empty": ""])
        #expect(
            String(decoding: head, as: UTF8.self)
                == "GET /where?q=now HTTP/1.1\r\nHost: www.example.org\r\nX-Empty:\r\n\r\n")
    }

    @Test(
        "read back as they were",
        arguments: [
            (.get, .origin("/"), ["Host": "a"]),
            (.get, .origin("/%20?a#b"), ["Host": "a", "a": "b", "A": "c"]),
            (.get, .absolute("http://a/b"), ["Host": "a", "X": "\u{FF} \u{80}\tx"]),
            (.options, .asterisk, ["Host": "", "X": ""]),
            (.connect, .authority("a:443"), ["Host": "a:443"]),
            (.post, .origin("/"), ["Host": "a", "Content-Length": "5"]),
            (.post, .origin("/"), ["Host": "a", "Transfer-Encoding": "chunked"]),
        ] as [(HTTPMethod, RequestTarget, HTTPFields)])
    func readBack(method: HTTPMethod, target: RequestTarget, fields: HTTPFields) throws {
        let head = try RequestSerializer.head(of: method, target: target, fields: fields)
        let read = try #require(ReadRequest(head))
        #expect(read.line == [method.name, target.text, "HTTP/1.1"])
        #expect(read.fields == fields.map { [$0.name.spelling, $0.value] })
    }

    @Test("blanks around a value are not sent")
    func trims() throws {
        let head = try RequestSerializer.head(of: .get, target: .origin("/"), fields: ["Host": " \ta b\t "])
        #expect(String(decoding: head, as: UTF8.self) == "GET / HTTP/1.1\r\nHost: a b\r\n\r\n")
    }

    @Test("HTTP/1.0 needs no Host")
    func oldVersion() throws {
        let head = try RequestSerializer.head(of: .get, target: .origin("/"), fields: [:], version: .http10)
        #expect(String(decoding: head, as: UTF8.self) == "GET / HTTP/1.0\r\n\r\n")
    }

    @Test(
        "a target that would split the line is refused",
        arguments: [
            (.origin("/a b"), .invalidTarget(0x20)), (.origin("/\r\nX: y"), .invalidTarget(0x0D)),
            (.origin("/\n"), .invalidTarget(0x0A)), (.origin("/\u{0}"), .invalidTarget(0)),
            (.origin("/\t"), .invalidTarget(0x09)), (.origin("/\u{7F}"), .invalidTarget(0x7F)),
            (.origin("/ä"), .invalidTarget(0xC3)), (.origin(""), .invalidTarget(nil)),
            (.origin("a"), .invalidTarget(0x61)), (.absolute("http://a/ b"), .invalidTarget(0x20)),
            (.authority("a:1"), .targetUnfitForMethod), (.asterisk, .targetUnfitForMethod),
        ] as [(RequestTarget, WireError.Reason)])
    func targets(target: RequestTarget, reason: WireError.Reason) {
        refuses(.get, target, ["Host": "a"], reason)
    }

    @Test(
        "CONNECT takes the authority form only",
        arguments: [.origin("/"), .absolute("http://a/")] as [RequestTarget])
    func connect(target: RequestTarget) { refuses(.connect, target, ["Host": "a"], .targetUnfitForMethod) }

    @Test(
        "fields that would split the request, or hide where it ends, are refused",
        arguments: [
            (["Host": "a", "X": "a\r\nY: b"], .invalidValueOctet(0x0D)),
            (["Host": "a", "X": "a\n b"], .invalidValueOctet(0x0A)),
            (["Host": "a", "X": "a\u{0}"], .invalidValueOctet(0)),
            (["Host": "a", "X": "\u{1}"], .invalidValueOctet(1)),
            (["Host": "a", "X": "a\r"], .invalidValueOctet(0x0D)),
            ([:], .missingHost),
            (["Host": "a", "host": "a"], .repeatedHost),
            (["Host": "a", "Content-Length": "5", "Transfer-Encoding": "chunked"], .lengthAndCoding),
            (["Host": "a", "Content-Length": "5", "content-length": "5"], .differingContentLengths),
            (["Host": "a", "Transfer-Encoding": "gzip"], .codingWithoutChunked),
            (["Host": "a", "Transfer-Encoding": ""], .codingWithoutChunked),
            (["Host": "a", "Transfer-Encoding": "chunked, gzip"], .codingWithoutChunked),
            (
                ["Host": "a", "Transfer-Encoding": "chunked", "transfer-encoding": "chunked"],
                .repeatedChunked
            ),
            (["Host": "a", "Content-Length": "+5"], .invalidContentLength(0x2B)),
            (["Host": "a", "Content-Length": "5, 5"], .invalidContentLength(0x2C)),
            (["Host": "a", "Content-Length": ""], .invalidContentLength(nil)),
            (["Host": "a", "TE": "trailers", "te": "gzip, Chunked;q=1"], .chunkedAskedFor),
        ] as [(HTTPFields, WireError.Reason)])
    func fields(fields: HTTPFields, reason: WireError.Reason) {
        refuses(.post, .origin("/"), fields, reason)
    }

    @Test("a version this side does not speak is refused, and codings in HTTP/1.0")
    func versions() {
        refuses(
            .get, .origin("/"), ["Host": "a"], .unsupportedVersion(major: 2, minor: 0),
            HTTPVersion(major: 2, minor: 0))
        refuses(.post, .origin("/"), ["Transfer-Encoding": "chunked"], .codingInOldVersion, .http10)
    }

    @Test("no octet in a target or value can make it another request", arguments: 0...255)
    func everyOctet(octet: Int) throws {
        let scalar = try #require(Unicode.Scalar(octet))
        for (target, value) in [("/a\(scalar)b", "a"), ("/", "a\(scalar)b"), ("/", "a\(scalar)")] {
            let fields: HTTPFields = ["Host": "a", "X": value]
            guard let head = try? RequestSerializer.head(of: .get, target: .origin(target), fields: fields)
            else {
                continue
            }
            let read = try #require(ReadRequest(head))
            #expect(read.line == ["GET", target, "HTTP/1.1"])
            #expect(read.fields.count == 2)
            #expect(read.fields.last == ["X", octet == 0x20 || octet == 0x09 ? value.trimmedBlanks : value])
        }
    }

    @Test("what was there before stays, whether a head is appended or refused")
    func appends() throws {
        var octets: [UInt8] = [1, 2]
        #expect(throws: WireError.self) {
            try RequestSerializer.append(headOf: .get, target: .origin("/"), fields: ["X": "\n"], to: &octets)
        }
        #expect(octets == [1, 2])
        try RequestSerializer.append(headOf: .get, target: .origin("/"), fields: ["Host": "a"], to: &octets)
        #expect(octets.prefix(5) == [1, 2, 0x47, 0x45, 0x54])
    }

    private func refuses(
        _ method: HTTPMethod, _ target: RequestTarget, _ fields: HTTPFields, _ reason: WireError.Reason,
        _ version: HTTPVersion = .http11, at location: SourceLocation = #_sourceLocation
    ) {
        do {
            _ = try RequestSerializer.head(of: method, target: target, fields: fields, version: version)
            #expect(Bool(false), "a head was made", sourceLocation: location)
        } catch {
            #expect(error.reason == reason, sourceLocation: location)
        }
    }
}

extension String {
    /// Without blanks at its end.
    fileprivate var trimmedBlanks: String {
        String(self[..<(lastIndex { $0 != " " && $0 != "\t" }.map(index(after:)) ?? startIndex)])
    }
}
