import HTTPClient
import HTTPMessage
import NetworkProbes
import Replay
import System
import Testing
import Transport

extension Loopback {
    @Suite("Where content ends (RFC 9112, section 6.3)")
    struct FramingTests {
        private struct Case: CustomTestStringConvertible, Sendable {
            var name: String
            var method = HTTPMethod.get
            var answer: String
            var content: String
            var isKept: Bool
            var testDescription: String { name }
        }

        private static let cases = [
            Case(
                name: "length", answer: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", content: "hello",
                isKept: true),
            Case(
                name: "length 0", answer: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", content: "",
                isKept: true),
            Case(
                name: "chunked",
                answer:
                    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;a=b\r\nhel\r\n2\r\nlo\r\n0\r\nA: b\r\n\r\n",
                content: "hello", isKept: true),
            Case(
                name: "until close", answer: "HTTP/1.1 200 OK\r\n\r\nhello", content: "hello", isKept: false),
            Case(
                name: "HEAD", method: .head, answer: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n",
                content: "", isKept: true),
            Case(name: "204", answer: "HTTP/1.1 204 No Content\r\n\r\n", content: "", isKept: true),
            Case(
                name: "304", answer: "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n", content: "",
                isKept: true),
            Case(
                name: "close announced",
                answer: "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello",
                content: "hello", isKept: false),
            Case(
                name: "HTTP/1.0", answer: "HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello",
                content: "hello", isKept: false),
            Case(
                name: "octets behind", answer: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhelloHTTP",
                content: "hello", isKept: false),
        ]

        @Test("gives the content and keeps what can be kept", arguments: cases, [Int.max, 1])
        private func content(of example: Case, inPieces size: Int) async throws {
            let ending: [Script.Step] = example.name == "until close" ? [.close] : [.stall]
            let server = try serve([.expectHead, .pieces(of: size), .send(example.answer)] + ending)
            let client = client()
            let outcome = try await client.outcome(of: server.request(example.method))
            #expect(outcome.error == nil)
            #expect(outcome.text == example.content && outcome.hasEnded)
            #expect(outcome.report?.contentOctets == UInt64(example.content.utf8.count))
            // In pieces, what is behind may come when the connection is idle already.
            if size == .max || example.isKept {
                #expect(await client.idleConnectionCount == (example.isKept ? 1 : 0))
            }
            await client.closeIdleConnections()
            #expect(openSockets(to: server.port) == 0)
        }

        @Test func tellsTrailersAndInterimResponses() async throws {
            let server = try serve([
                .expectHead,
                .send("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n"),
                .send(
                    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nDigest: x\r\n\r\n"),
            ])
            let outcome = try await client().outcome(of: server.request())
            #expect(outcome.report?.trailers["Digest"] == "x")
            #expect(
                outcome.story == [
                    "connecting", "connected", "requestHead", "requestSent", "interim", "interim", "response",
                    "contentReceived", "connectionKept",
                ])
        }

        @Test func eventsOfALargerContentCountUp() async throws {
            let server = try serve([
                .expectHead, .send("HTTP/1.1 200 OK\r\nContent-Length: 3000000\r\n\r\n"),
                .send(Pattern.octets(3_000_000)), .stall,
            ])
            let outcome = try await client().outcome(of: server.request())
            #expect(Pattern.matches(outcome.content))
            var total: UInt64 = 0
            for case .content(let count, let sum) in outcome.events {
                total += UInt64(count)
                #expect(sum == total)
            }
            #expect(total == 3_000_000)
        }

        // MARK: Failures

        private struct Failure: CustomTestStringConvertible, Sendable {
            var name: String
            var steps: [Script.Step]
            var code: TransferError.Code
            var phase: TransferError.Phase
            var words: String
            var content = ""
            var testDescription: String { name }
        }

        private static let failures = [
            Failure(
                name: "no answer", steps: [.close], code: .emptyReply, phase: .firstByte,
                words: "closed the connection without an answer"),
            Failure(
                name: "reset before an answer", steps: [.reset], code: .receiveFailed, phase: .firstByte,
                words: "Connection reset by peer"),
            Failure(
                name: "head cut", steps: [.send("HTTP/1.1 200 OK\r\nContent-"), .close], code: .receiveFailed,
                phase: .firstByte, words: "inside the response's head"),
            Failure(
                name: "length cut",
                steps: [.send("HTTP/1.1 200 OK\r\nContent-Length: 4096\r\n\r\n1234"), .close],
                code: .incompleteContent, phase: .content, words: "content ended 4092 octets short of 4096",
                content: "1234"),
            Failure(
                name: "longest length cut",
                steps: [
                    .send("HTTP/1.1 200 OK\r\nContent-Length: 18446744073709551615\r\n\r\n1234"), .close,
                ],
                code: .incompleteContent, phase: .content,
                words: "content ended 18446744073709551611 octets short of 18446744073709551615",
                content: "1234"),
            Failure(
                name: "reset inside content",
                steps: [
                    .send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n1234"), .pause(.milliseconds(50)),
                    .reset,
                ],
                code: .receiveFailed, phase: .content, words: "4 of 9 octets received", content: "1234"),
            Failure(
                name: "chunks cut",
                steps: [.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n1234\r\n"), .close],
                code: .incompleteContent, phase: .content, words: "4 octets, before its last chunk",
                content: "1234"),
            Failure(
                name: "trailers cut",
                steps: [.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA"), .close],
                code: .incompleteContent, phase: .content, words: "inside its trailer section"),
            Failure(
                name: "no HTTP", steps: [.send("SSH-2.0-OpenSSH_9.6\r\n"), .stall], code: .headMissing,
                phase: .firstByte, words: "no head, as HTTP/0.9"),
            Failure(
                name: "two lengths",
                steps: [.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\n"), .stall],
                code: .badResponse, phase: .firstByte, words: "no valid response"),
            Failure(
                name: "bad chunk size",
                steps: [.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n"), .stall],
                code: .receiveFailed, phase: .content, words: "breaks its framing"),
            Failure(
                name: "chunk size past 64 bits",
                steps: [
                    .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1ffffffffffffffff\r\n"),
                    .stall,
                ],
                code: .receiveFailed, phase: .content, words: "breaks its framing"),
            Failure(
                name: "101 unasked", steps: [.send("HTTP/1.1 101 Switching Protocols\r\n\r\n"), .stall],
                code: .badResponse, phase: .firstByte, words: "no valid response"),
            Failure(
                name: "coding nobody asked for",
                steps: [.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n"), .stall],
                code: .badContentCoding, phase: .content, words: "transfer coding \"gzip\""),
        ]

        @Test("tells what was wrong", arguments: failures)
        private func fails(_ failure: Failure) async throws {
            let server = try serve([.expectHead] + failure.steps)
            let outcome = try await client().outcome(of: server.request())
            let error = try #require(outcome.error)
            #expect(error.code == failure.code && error.phase == failure.phase)
            #expect(error.detail.contains(failure.words), "\(error.detail)")
            #expect(outcome.text == failure.content && !outcome.hasEnded)
            #expect(outcome.story.last == "connectionClosed")
            #expect(server.requests.count == 1)
            #expect(openSockets(to: server.port) == 0)
        }

        @Test func refusesAnEndlessRowOfInterimResponses() async throws {
            let server = try serve([
                .expectHead, .sendRepeated(Array("HTTP/1.1 102 Processing\r\n\r\n".utf8), times: 10_000),
            ])
            let outcome = try await client().outcome(of: server.request())
            #expect(outcome.code == .badResponse)
        }
    }
}
