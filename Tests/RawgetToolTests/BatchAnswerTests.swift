import Glibc
import Replay
import TestSupport
import Testing

@testable import RawgetTool

@Suite("rawget batch: its answers", .timeLimit(.minutes(2)))
struct BatchAnswerTests {
    private let folder = TemporaryFolder()

    @Test("content that is no UTF-8 comes as base64, the rest as text")
    func content() async throws {
        let long = [UInt8](repeating: 0xC3, count: 1) + [0xA9]
        let texts: [[UInt8]] = [
            [], [0x61], [0xFF], [0xC3], Array(repeating: long, count: 100_000).flatMap { $0 },
            [UInt8](repeating: 0, count: 50_000) + [0x22, 0x5C], [UInt8](repeating: 0xFE, count: 200_000),
        ]
        let server = try serve { request in
            answer("200 OK", [], texts[Int(request.target.dropFirst()) ?? 0])
        }
        let answers = try await batch(
            texts.indices.map { "{\"url\":\"http://\(server.authority)/\($0)\"}" }, in: folder)
        for (text, answer) in zip(texts, answers) {
            if let string = String(validating: text, as: UTF8.self) {
                #expect(answer["body"] == JSONPrinter.quoted(string) && answer["bodyBase64"].isEmpty)
            } else {
                #expect(answer["bodyBase64"].utf8.count == (text.count + 2) / 3 * 4 + 2)
                #expect(answer["body"].isEmpty)
            }
        }
        #expect(answers[2]["bodyBase64"] == "\"/w==\"")
        #expect(answers[6]["bodyBase64"] == "\"" + String(repeating: "/v7+", count: 66_666) + "/v4=\"")
    }

    @Test("redirects are followed and told, or delivered; credentials stay with their origin")
    func redirects() async throws {
        let other = try serve { _ in answer("200 OK", [], "other") }
        let server = try serve { request in
            switch request.target {
            case "/0": answer("302 Found", ["Location: /1"], "")
            case "/1": answer("307 Temporary", ["Location: http://\(other.authority)/2"], "")
            default: answer("302 Found", ["Location: \(request.target)"], "")
            }
        }
        let url = "http://u:secret@\(server.authority)"
        let answers = try await batch(
            [
                "{\"url\":\"\(url)/0#f\"}", "{\"url\":\"\(url)/0\",\"redirect\":\"manual\"}",
                "{\"url\":\"\(url)/loop\",\"redirect\":\"follow\"}",
            ], options: ["--max-redirs", "3"], in: folder)
        #expect(answers[0]["body"] == "\"other\"" && answers[0]["url"] == "\"http://\(other.authority)/2#f\"")
        let base = "http://\(server.authority)"
        #expect(
            answers[0]["redirects"]
                == "[{\"status\":302,\"url\":\"\(base)/0#f\"},{\"status\":307,\"url\":\"\(base)/1#f\"}]")
        #expect(answers[1]["status"] == "302" && answers[1]["redirects"] == "[]")
        #expect(answers[1]["url"] == "\"\(base)/0\"")
        #expect(answers[2]["error.code"] == "\"tooManyRedirects\"" && answers[2]["error.exit"] == "47")
        #expect(!answers[2]["error.message"].contains("secret"))
        #expect(other.requests.allSatisfy { $0.value(of: "Authorization") == nil })
        #expect(server.requests.allSatisfy { $0.value(of: "Authorization") != nil })
    }

    @Test("answers of every status are answers, without content where there is none")
    func statuses() async throws {
        let server = try serve { request in
            let head = "HTTP/1.1 \(request.target.dropFirst()) X\r\n"
            return request.target == "/204" || request.target == "/304" || request.method == "HEAD"
                ? [.send(head + "\r\n")] : [.send(head + "Content-Length: 1\r\n\r\na")]
        }
        let statuses = ["200", "204", "299", "304", "404", "500", "599"]
        let url = "http://\(server.authority)"
        var lines = statuses.map { "{\"url\":\"\(url)/\($0)\"}" }
        lines.append("{\"url\":\"\(url)/404\",\"method\":\"HEAD\"}")
        let answers = try await batch(lines, in: folder)
        #expect(answers.map { $0["status"] } == statuses + ["404"])
        #expect(answers.allSatisfy { $0["ok"] == "true" })
        #expect(
            answers.map { $0["body"] } == [
                "\"a\"", "\"\"", "\"a\"", "\"\"", "\"a\"", "\"a\"", "\"a\"", "\"\"",
            ])
    }

    @Test("a silence of the line's time-out is a failure, and so is what breaks off; the next line goes on")
    func failures() async throws {
        let server = try serve { request in
            switch request.target {
            case "/stall": [.stall]
            case "/cut": [.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"), .close]
            case "/bad": [.send("HTTP/1.1 2x0 OK\r\n\r\n")]
            default: answer()
            }
        }
        let url = "http://\(server.authority)"
        let answers = try await batch(
            [
                "{\"id\":1,\"url\":\"\(url)/stall\",\"timeout\":0.05}", "{\"id\":2,\"url\":\"\(url)/cut\"}",
                "{\"id\":3,\"url\":\"\(url)/bad\"}", "{\"id\":4,\"url\":\"\(url)/\"}",
            ], in: folder)
        #expect(
            answers.map { $0["error.code"] } == [
                "\"timedOut\"", "\"incompleteContent\"", "\"badResponse\"", "",
            ])
        #expect(answers.map { $0["error.exit"] } == ["28", "18", "8", ""])
        #expect(answers.map { $0["id"] } == ["1", "2", "3", "4"])
        #expect(answers[0].members.map(\.name) == ["id", "ok", "error"])
    }

    @Test("content of more than 64 MiB is too much for an answer, but not for a file")
    func tooLarge() async throws {
        let server = try serve { request in
            let length = UInt64(64 << 20) + 1
            let head = "HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n"
            return request.method == "HEAD"
                ? [.send(head)]
                : [
                    .send(head), .sendRepeated([UInt8](repeating: 0x61, count: 1 << 20), times: 64),
                    .send("b"),
                ]
        }
        let url = "\"url\":\"http://\(server.authority)/\""
        let answers = try await batch(
            [
                "{\(url)}", "{\(url),\"method\":\"HEAD\"}", "{\(url),\"output\":\"large\"}",
            ], in: folder)
        #expect(answers[0]["error.code"] == "\"tooLarge\"" && answers[0]["error.exit"] == "63")
        #expect(answers[1]["status"] == "200")
        #expect(answers[2]["status"] == "200" && answers[2]["body"].isEmpty)
        #expect(folder.status(of: "large")?.st_size == 64 << 20 + 1)
    }

    // MARK: Files

    @Test("an output is a file that has its name once it is whole, relative to the folder")
    func output() async throws {
        let server = try serve { request in
            switch request.target {
            case "/cut": [.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"), .close]
            case "/404": answer("404 Not Found", [], "none")
            default: answer("200 OK", [], "content")
            }
        }
        let url = "http://\(server.authority)"
        folder.makeFolder("sub")
        folder.write("old", to: "kept")
        let answers = try await batch(
            [
                "{\"url\":\"\(url)/\",\"output\":\"sub/new\"}",
                "{\"url\":\"\(url)/cut\",\"output\":\"kept\"}",
                "{\"url\":\"\(url)/404\",\"output\":\"error\"}",
                "{\"url\":\"\(url)/\",\"output\":\"no/folder\"}",
                "{\"url\":\"\(url)/\",\"output\":\"sub/new\"}",
                "{\"url\":\"\(url)/\",\"output\":\"/dev/null\"}",
            ], in: folder)
        #expect(answers.map { $0["ok"] } == ["true", "false", "true", "false", "true", "true"])
        #expect(answers[1]["error.exit"] == "18" && answers[3]["error.exit"] == "23")
        #expect(folder.text(of: "sub/new") == "content" && folder.text(of: "error") == "none")
        #expect(folder.text(of: "kept") == "old")
        #expect(folder.names == ["error", "kept", "sub"])
    }
}
