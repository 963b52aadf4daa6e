import HTTPClient
import HTTPMessage
import NetworkProbes
import Replay
import System
import Testing
import Transport

extension Loopback {
    @Suite("Requests as they go out (RFC 9112, section 3)")
    struct RequestTests {
        private func head(
            _ method: HTTPMethod = .get, _ path: String = "/", fields: HTTPFields = HTTPFields(),
            content: [UInt8]? = nil, address: ReplayServer.Address = .ipv4Loopback
        ) async throws -> (head: String, content: [UInt8], port: UInt16) {
            let server = try serve(
                [.expectHead, .expectContent(.declared), Loopback.ok], address: address)
            let outcome = try await client().outcome(
                of: server.request(method, path, fields: fields, content: content))
            #expect(outcome.error == nil)
            let request = try #require(server.requests.first)
            #expect(outcome.report?.requestOctets == UInt64(request.head.count + request.content.count))
            return (request.headText, request.content, server.port)
        }

        @Test func hostHasThePort() async throws {
            let (head, _, port) = try await head(.get, "/a%20b?c=d#e")
            #expect(head == "GET /a%20b?c=d HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n")
        }

        @Test func hostHasBracketsAroundIPv6() async throws {
            let (head, _, port) = try await head(address: .ipv6Loopback)
            #expect(head == "GET / HTTP/1.1\r\nHost: [::1]:\(port)\r\n\r\n")
        }

        @Test func theCallersHostIsKeptAndComesFirst() async throws {
            let (head, _, _) = try await head(fields: ["X-First": "1", "Host": "other.example"])
            #expect(head == "GET / HTTP/1.1\r\nHost: other.example\r\nX-First: 1\r\n\r\n")
        }

        @Test(
            "an expectation goes with content, and without it where it is another one (RFC 9110, section 10.1.1)",
            arguments: [
                ("100-Continue", ""), ("foo, 100-continue", "Expect: foo\r\n"), ("foo", "Expect: foo\r\n"),
            ])
        func expectationWithoutContent(value: String, line: String) async throws {
            let (head, _, port) = try await head(fields: ["Expect": value])
            #expect(head == "GET / HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\(line)\r\n")
        }

        @Test("a whole answer of success before the content does not end the sending (RFC 9110, section 7.5)")
        func earlySuccess() async throws {
            let server = try serve([
                .expectHead, .send("HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\nok"),
                .pause(.milliseconds(30)), .expectContent(.declared),
            ])
            let content = [UInt8](repeating: 1, count: 16 << 20)
            let client = client()
            var options = TransferOptions()
            options.expectsContinueAbove = nil
            let outcome = try await client.outcome(
                of: server.request(.post, content: content), options: options)
            #expect(outcome.text == "ok" && outcome.story.contains("requestSent"))
            #expect(outcome.report?.contentSent == 16 << 20)
            #expect(await client.idleConnectionCount == 1)
        }

        @Test(
            "content that a server neither wanted nor refused and that did not reach it is a failure, the answer whole",
            arguments: [(true, TransferError.Code.sendFailed), (false, .timedOut)])
        func earlySuccessAndThenNothing(closes: Bool, code: TransferError.Code) async throws {
            let server = try serve([
                .expectHead, .send("HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\nok"),
                closes ? .close : .stall,
            ])
            let outcome = try await cutShort(by: server)
            #expect(outcome.code == code && outcome.error?.phase == .send)
            #expect(outcome.error?.detail.contains("answered 201") == true)
            #expect(outcome.text == "ok" && outcome.hasEnded)
        }

        @Test(
            "a server that answered wholly, said it closes, and closes or takes no more, has what it wanted",
            arguments: [true, false])
        func earlySuccessAndClose(closes: Bool) async throws {
            let server = try serve([
                .expectHead,
                .send("HTTP/1.1 201 Created\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"),
                closes ? .close : .stall,
            ])
            let outcome = try await cutShort(by: server)
            #expect(outcome.text == "ok" && outcome.error == nil)
        }

        /// More content than any buffer holds, to a server that does not read it.
        private func cutShort(by server: ReplayServer) async throws -> Outcome {
            let content = [UInt8](repeating: 1, count: 32 << 20)
            let client = client { $0.idleTimeout = .milliseconds(300) }
            var options = TransferOptions()
            options.expectsContinueAbove = nil
            let outcome = try await client.outcome(
                of: server.request(.post, content: content), options: options)
            #expect(await client.idleConnectionCount == 0)
            return outcome
        }

        @Test func aPostWithoutContentSaysSo() async throws {
            let (head, content, port) = try await head(.post)
            #expect(head == "POST / HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nContent-Length: 0\r\n\r\n")
            #expect(content.isEmpty)
        }

        @Test func contentHasItsLength() async throws {
            let (head, content, port) = try await head(.put, content: Array("hello".utf8))
            #expect(head == "PUT / HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nContent-Length: 5\r\n\r\n")
            #expect(content == Array("hello".utf8))
        }

        @Test func largeContentGoesOutWhole() async throws {
            let large = Pattern.octets(5_000_000)
            let (_, content, _) = try await head(.post, content: large)
            #expect(content == large)
        }

        @Test func anAnswerBeforeTheContentIsWholeEndsTheSending() async throws {
            let server = try serve([
                .expectHead, .send("HTTP/1.1 413 Content Too Large\r\nContent-Length: 2\r\n\r\nno"), .stall,
            ])
            let content = [UInt8](repeating: 1, count: 32 << 20)
            let client = client()
            let outcome = try await client.outcome(of: server.request(.post, content: content))
            #expect(outcome.report?.response.status.code == 413 && outcome.text == "no")
            #expect(await client.idleConnectionCount == 0)
            #expect(!outcome.story.contains("requestSent"))
        }

        @Test func anInterimResponseWhileSendingDoesNot() async throws {
            let server = try serve([
                .expectHead, .send("HTTP/1.1 102 Processing\r\n\r\n"), .pause(.milliseconds(30)),
                .expectContent(.declared), Loopback.ok,
            ])
            let content = [UInt8](repeating: 1, count: 16 << 20)
            let outcome = try await client().outcome(of: server.request(.post, content: content))
            #expect(outcome.text == "ok")
            #expect(server.requests.first?.content.count == 16 << 20)
        }

        @Test func anAnswerBehindAFailedSendingIsTold() async throws {
            let server = try serve([
                .expectHead, .send("HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno"), .close,
            ])
            let content = [UInt8](repeating: 1, count: 32 << 20)
            let outcome = try await client().outcome(of: server.request(.post, content: content))
            // The kernel may drop the answer when the reset overtakes it.
            #expect(
                outcome.report?.response.status.code == 403 || outcome.code == .receiveFailed
                    || outcome.code == .sendFailed)
        }

        @Test func aSplitRequestCannotBeSent() async throws {
            let server = try serve { _ in [Loopback.ok] }
            let outcome = try await client().outcome(
                of: server.request(.get, "/", fields: ["A": "b\r\nC: d\r\n\r\nGET /two HTTP/1.1"]))
            #expect(outcome.code == .badRequest)
            #expect(outcome.error?.detail.contains("octet 0x0d") == true)
            #expect(server.requests.isEmpty)
        }

        @Test(
            arguments: [
                ["Content-Length": "20"], ["Content-Length": "1, 1"], ["Transfer-Encoding": "chunked"],
            ] as [HTTPFields])
        func aLengthThatIsNotTrueCannotBeSent(fields: HTTPFields) async throws {
            let server = try serve { _ in [Loopback.ok] }
            let outcome = try await client().outcome(of: server.request(.post, fields: fields, content: [1]))
            #expect(outcome.code == .badRequest)
            #expect(server.requests.isEmpty)
        }
    }

    @Suite("Where a connection leads")
    struct AddressMapTests {
        private func loopback(_ server: ReplayServer) -> SocketAddress {
            SocketAddress(ipv4: 0x7F00_0001, port: server.port)
        }

        private func fetch(_ uri: String, _ client: Client) async throws -> Outcome {
            try await client.outcome(of: HTTPRequest(try URI(parsing: uri)))
        }

        @Test func anEntryGoesBeforeTheResolver() async throws {
            let server = try serve { _ in [Loopback.ok] }
            let address = loopback(server)
            let client = client {
                $0.addressMap.entries = [
                    .init(host: "other.test", port: nil, addresses: []),
                    .init(host: "a.test", port: 80, addresses: [address]),
                ]
            }
            let outcome = try await fetch("http://A.test/x", client)
            #expect(outcome.text == "ok" && outcome.report?.remoteAddress == address)
            #expect(server.requests.first?.value(of: "Host") == "a.test")
            #expect(!outcome.story.contains("resolving"))
            #expect(try await fetch("http://other.test/", client).code == .notResolved)
        }

        @Test func anEntryForEveryHost() async throws {
            let server = try serve { _ in [Loopback.ok] }
            let address = loopback(server)
            let client = client {
                $0.addressMap.entries = [.init(host: nil, port: nil, addresses: [address])]
            }
            for host in ["a.test", "b.test", "192.0.2.1", "[2001:db8::1]"] {
                #expect(try await fetch("http://\(host)/", client).text == "ok")
            }
            #expect(server.connectionCount == 4)  // one a host: what they share is only the address
        }

        @Test func aDetourLeadsElsewhereAndKeepsTheName() async throws {
            let server = try serve { _ in [Loopback.ok] }
            let port = server.port
            let client = client {
                $0.addressMap.detours = [
                    .init(fromHost: "a.test", fromPort: 81, toHost: "127.0.0.1", toPort: port),
                    .init(fromHost: "b.test", fromPort: nil, toHost: "127.0.0.1", toPort: port),
                ]
            }
            #expect(try await fetch("http://a.test:81/", client).text == "ok")
            #expect(try await fetch("http://b.test:82/", client).report?.connection == 1)
            #expect(server.requests.map { $0.value(of: "Host") } == ["a.test:81", "b.test:82"])
        }

        @Test func aSocketServesEveryHost() async throws {
            let folder = TemporaryFolder()
            let server = try serve(
                Script(everyConnection: .init([.expectHead, Loopback.ok], isRepeating: true)),
                address: .unix(folder.path + "/s"))
            let path = folder.path + "/s"
            let client = client { $0.addressMap.socket = SocketAddress(unixSocket: path) }
            #expect(try await fetch("http://a.test/", client).text == "ok")
            #expect(try await fetch("http://a.test/", client).report?.connectionsOpened == 0)
            #expect(server.requests.first?.value(of: "Host") == "a.test")
        }

        @Test func onlyTheWantedFamilyIsUsed() async throws {
            let client = client { $0.addressFamily = .ipv6 }
            #expect(try await fetch("http://127.0.0.1/", client).code == .notResolved)
        }

        @Test func localhostIsTriedOverBothFamilies() async throws {
            let server = try serve { _ in [Loopback.ok] }
            let outcome = try await fetch("http://localhost:\(server.port)/", client())
            #expect(outcome.text == "ok")
            #expect(outcome.story.filter { $0 == "connecting" }.count == 2)
        }
    }
}
