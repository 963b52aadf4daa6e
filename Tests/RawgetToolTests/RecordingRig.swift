import Glibc
import NetworkProbes
import Replay
import TestSupport
import Testing

@testable import RawgetTool

/// What recordings are made of: two servers that answer by path, one that speaks TLS, and a folder.
struct RecordingRig {
    let folder = TemporaryFolder()
    let first: ReplayServer
    let second: ReplayServer

    init() throws {
        second = try serve { RecordingRig.answer(to: $0, elsewhere: "") }
        let elsewhere = "http://someone:s3cret@other.test:\(second.port)"
        first = try serve { RecordingRig.answer(to: $0, elsewhere: elsewhere) }
    }

    /// Text that is long enough to get a name.
    static let long = String(repeating: "A line of the long text.\n", count: 30)
    /// "hello, gzip\n" in the format of RFC 1952, by gzip(1).
    static let gzipped: [UInt8] = [
        0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x03, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0xD7,
        0x51, 0x48, 0xAF, 0xCA, 0x2C, 0xE0, 0x02, 0x00, 0x86, 0x1F, 0x82, 0xA4, 0x0C, 0x00, 0x00, 0x00,
    ]

    private static func answer(to request: RecordedRequest, elsewhere: String) -> [Script.Step] {
        // All others may be answered with what was asked for.
        if request.method == "HUSH" { return TestSupport.answer("200 OK", [], "hush") }
        switch request.target.prefix(while: { $0 != "?" }) {
        case "/chunked":
            return answerInChunks([Array(long.utf8), [1, 2, 255], Array("end".utf8)])
        case "/close": return answerUntilClose("until the end")
        case "/gzip": return TestSupport.answer("200 OK", ["Content-Encoding: gzip"], gzipped)
        case "/moved": return TestSupport.answer("302 Found", ["Location: \(elsewhere)/small"], "moved")
        case "/moved-here": return TestSupport.answer("301 Moved", ["Location: small"], "")
        case "/private":
            return request.value(of: "Authorization") == nil
                ? TestSupport.answer("401 Unauthorized", ["WWW-Authenticate: Basic realm=x"], "who?")
                : TestSupport.answer("200 OK", [], "secret page")
        case "/missing":
            return TestSupport.answer("404 Not Found", ["Content-Type: text/plain"], "not here\n")
        case "/cut": return [.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf\n"), .close]
        case "/reset": return [.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf\n"), .reset]
        case "/empty": return [.close]
        case "/garbage": return [.send("nonsense \r\n\u{0}\u{1B}[31m"), .close]
        case "/stall": return [.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf\n"), .stall]
        case "/silent": return [.stall]
        case "/cookies":
            return TestSupport.answer(
                "200 OK", ["Set-Cookie: id=t0psecret; Path=/", "Set-Cookie: only-t0psecret", "X: y"],
                "cookies\n")
        case "/odd":
            let head = Array("HTTP/1.1 200 \nX-Blank: a \t\r\nX-Octets: ".utf8) + [0xFF, 0x80]
            return [
                .pieces(of: 1), .send(head + Array("\r\nX-Q: \"\\\r\nContent-Length: 3\n\n".utf8)),
                .send([0, 10, 255]),
            ]
        case "/interim":
            return [.send("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n")]
                + TestSupport.answer("200 OK", [], "final")
        case "/dated":
            return TestSupport.answer("200 OK", ["Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT"], "old news")
        case "/named":
            return TestSupport.answer(
                "200 OK", ["Content-Disposition: attachment; filename=\"named.txt\""], "named")
        case "/refuse":
            return TestSupport.answer("413 Content Too Large", ["Connection: close"], "no") + [.close]
        default:
            return TestSupport.answer(
                "200 OK", [], "\(request.method) \(request.target): \(request.content.count)\n")
        }
    }

    /// Runs the command; `A` and `B` before a slash stand for the servers' URLs, at any place of an argument.
    func run(
        _ arguments: [String], input: String = "", called name: String = "rawget", record: String = "r.wire",
        adjust: (inout Invocation) -> Void = { _ in }
    ) async -> ToolRun {
        let all =
            (arguments.first == "--as-curl" ? ["--as-curl"] : []) + ["--record", record]
            + ["--resolve", "fixture.test:\(first.port):127.0.0.1"]
            + ["--resolve", "other.test:\(second.port):127.0.0.1"]
            + arguments.drop(while: { $0 == "--as-curl" }).map(filled)
        return await rawget(all, in: folder, called: name, input: input, adjust: adjust)
    }

    /// The text with `A/` and `B/` filled in.
    func filled(_ text: String) -> String {
        if text == "RESOLVE" { return "fixture.test:\(first.port):127.0.0.1" }
        // Behind a slash or an at sign: the name of a folder may end with either letter.
        let places = ["//", "@"].flatMap {
            [("\($0)A/", "\($0)fixture.test:\(first.port)/"), ("\($0)B/", "\($0)other.test:\(second.port)/")]
        }
        if text.hasPrefix("A/") { return "fixture.test:\(first.port)" + text.dropFirst() }
        return places.reduce(text) { text, place in
            guard let range = text.firstRange(of: place.0) else { return text }
            return text.replacingCharacters(in: range, with: place.1)
        }
    }

    /// The fixture that was written.
    func recorded(_ name: String = "r.wire") throws -> String { try #require(folder.text(of: name)) }
}

extension String {
    /// Where `text` stands first.
    func firstRange(of text: String) -> Range<String.Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(text) { return start..<index(start, offsetBy: text.count) }
            start = index(after: start)
        }
        return nil
    }

    fileprivate func replacingCharacters(in range: Range<String.Index>, with other: String) -> String {
        String(self[..<range.lowerBound]) + other + String(self[range.upperBound...])
    }
}
