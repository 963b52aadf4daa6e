import Glibc
import HTTPMessage
import NetworkProbes
import Replay
import System
import Testing
import Transport

@testable import HTTPClient

/// Content in portions that a test chooses.
@NetworkActor
private final class TestContent: RequestContent {
    let length: UInt64?
    private let octets: [UInt8]
    private let portion: Int
    private let canRewind: Bool
    private var offset = 0
    private(set) var rewinds = 0

    init(_ octets: [UInt8], length: UInt64?, portion: Int = .max, canRewind: Bool = true) {
        self.octets = octets
        self.length = length
        self.portion = portion
        self.canRewind = canRewind
    }

    func next(atMost limit: Int, until deadline: Deadline) -> [UInt8] {
        let end = offset + min(limit, portion, octets.count - offset)
        defer { offset = end }
        return Array(octets[offset..<end])
    }

    func rewind() -> Bool {
        offset = 0
        rewinds += 1
        return canRewind
    }
}

extension Loopback {
    @Suite("Content that is sent while it is read")
    struct UploadTests {
        /// What sending `octets` led to.
        private func upload(
            _ octets: [UInt8], length: UInt64?, portion: Int = .max, canRewind: Bool = true,
            to server: ReplayServer, client: Client = client(), fields: HTTPFields = HTTPFields(),
            _ change: (inout TransferOptions) -> Void = { _ in }
        ) async throws -> (report: TransferReport?, error: TransferError?, text: String) {
            var options = TransferOptions()
            options.redirects = RedirectPolicy()
            options.expectsContinueAbove = nil
            change(&options)
            let request = try server.request(.put, "/up", fields: fields)
            return try await onLoop { [options] in
                let content = TestContent(octets, length: length, portion: portion, canRewind: canRewind)
                let sink = CollectedContent()
                do throws(TransferError) {
                    let transfer = client.transfer(request, content: content, into: sink, options: options)
                    let report = try await transfer.run()
                    return (report, nil, String(decoding: sink.octets, as: UTF8.self))
                } catch {
                    return (nil, error, "")
                }
            }
        }

        @Test("a known length is declared, portions or not", arguments: [0, 1, 5, 700_000], [1 << 16, .max])
        func known(count: Int, portion: Int) async throws {
            let octets = Pattern.octets(count)
            let server = try serve { _ in [Loopback.ok] }
            let result = try await upload(octets, length: UInt64(count), portion: portion, to: server)
            #expect(result.text == "ok" && result.report?.contentSent == UInt64(count))
            let request = try #require(server.requests.first)
            #expect(request.value(of: "Content-Length") == "\(count)" && request.content == octets)
            #expect(result.report?.requestOctets == UInt64(request.head.count + count))
        }

        @Test("an unknown length is sent in chunks (RFC 9112, section 7.1)")
        func chunks() async throws {
            let server = try serve { _ in [Loopback.ok] }
            let result = try await upload(Array("hello, world".utf8), length: nil, portion: 5, to: server)
            #expect(result.text == "ok" && result.report?.contentSent == 12)
            let request = try #require(server.requests.first)
            #expect(
                request.value(of: "Transfer-Encoding") == "chunked"
                    && request.value(of: "Content-Length") == nil)
            #expect(
                String(decoding: request.body, as: UTF8.self)
                    == "5\r\nhello\r\n5\r\n, wor\r\n2\r\nld\r\n0\r\n\r\n")
        }

        @Test func largeContentGoesOutInChunksWhole() async throws {
            let octets = Pattern.octets(3_000_000)
            let server = try serve { _ in [Loopback.ok] }
            #expect(try await upload(octets, length: nil, to: server).text == "ok")
            #expect(server.requests.first?.content == octets)
        }

        @Test func contentThatEndsEarlyIsAnErrorAndMoreIsCutOff() async throws {
            let server = try serve { _ in [Loopback.ok] }
            let short = try await upload([1, 2, 3], length: 5, to: server)
            #expect(short.error?.code == .readFailed)
            #expect(short.error?.detail.contains("2 octets short of the 5") == true)
            let long = try serve { _ in [Loopback.ok] }
            #expect(try await upload([1, 2, 3], length: 2, to: long).text == "ok")
            #expect(long.requests.first?.content == [1, 2])
        }

        @Test("a caller's Content-Length must be true")
        func declared() async throws {
            let server = try serve { _ in [Loopback.ok] }
            for (length, value, isRight) in [(3, "3", true), (3, "4", false), (nil, "3", false)]
                as [(UInt64?, String, Bool)]
            {
                let result = try await upload(
                    [1, 2, 3], length: length, to: server, fields: ["Content-Length": value])
                #expect((result.error == nil) == isRight)
            }
        }

        // MARK: Once more

        @Test("a 307 sends it again from the start, if it can be")
        func redirected() async throws {
            let server = try serve {
                $0.target == "/up" ? RedirectTests.redirect("/to", "307 Moved") : [Loopback.ok]
            }
            let octets = Pattern.octets(300_000)
            #expect(try await upload(octets, length: nil, to: server).text == "ok")
            #expect(server.requests.map(\.content) == [octets, octets])
            let once = try await upload(octets, length: nil, canRewind: false, to: server)
            #expect(once.error?.code == .contentNotRewound)
            #expect(
                once.error?.detail.contains("127.0.0.1:\(server.port)/to, and can be read only once") == true)
        }

        @Test func aRedirectThatDropsTheContentNeedsNoRewinding() async throws {
            let server = try serve {
                $0.target == "/up" ? RedirectTests.redirect("/to", "303 See Other") : [Loopback.ok]
            }
            #expect(try await upload([1], length: nil, canRewind: false, to: server).text == "ok")
            #expect(server.requests.map(\.method) == ["PUT", "GET"] && server.requests.last?.body == [])
        }

        @Test func aDeadKeptConnectionIsNoReasonToFail() async throws {
            let server = try serve(
                Script(
                    [.init([.expectHead, Loopback.ok, .expectHead, .expectContent(.declared), .close])],
                    others: .init([.expectHead, .expectContent(.declared), Loopback.ok])))
            let client = client()
            #expect(try await client.outcome(of: server.request()).text == "ok")
            #expect(try await upload([1, 2], length: 2, to: server, client: client).text == "ok")
            #expect(server.requests.map(\.content) == [[], [1, 2], [1, 2]])
        }

        // MARK: The go-ahead (RFC 9110, section 10.1.1)

        private static let asks: @Sendable (inout TransferOptions) -> Void = { $0.expectsContinueAbove = 0 }

        @Test func theGoAheadIsWaitedFor() async throws {
            let server = try serve([
                .expectHead, .check { $0.value(of: "Expect") == "100-continue" ? nil : "no Expect" },
                .send("HTTP/1.1 100 Continue\r\n\r\n"), .expectContent(.declared), Loopback.ok,
            ])
            let result = try await upload([1, 2], length: 2, to: server) {
                Self.asks(&$0)
                $0.continueTimeout = .seconds(60)
            }
            #expect(
                result.text == "ok" && server.requests.first?.content == [1, 2] && server.complaints.isEmpty)
        }

        @Test func aServerThatDoesNotKnowTheQuestionGetsTheContentAllTheSame() async throws {
            let server = try serve([.expectHead, .expectContent(.declared), Loopback.ok])
            let result = try await upload([1, 2], length: 2, to: server) {
                Self.asks(&$0)
                $0.continueTimeout = .milliseconds(50)
            }
            let report = try #require(result.report)
            #expect(result.text == "ok" && server.requests.first?.content == [1, 2])
            #expect(report.timings.elapsed(until: report.timings.sent) >= .milliseconds(50))
        }

        @Test(
            "a final answer in its place: no content is sent, the connection is not kept",
            arguments: [403, 413, 200])
        func finalAnswer(status: Int) async throws {
            let server = try serve([
                .expectHead, .send("HTTP/1.1 \(status) Done\r\nContent-Length: 2\r\n\r\nno"), .stall,
            ])
            let client = client()
            let result = try await upload([1, 2], length: 2, to: server, client: client, Self.asks)
            #expect(result.report?.response.status.code == UInt16(status) && result.text == "no")
            #expect(result.report?.contentSent == 0)
            #expect(await client.idleConnectionCount == 0)
        }

        @Test("417 sends it again without asking, even what can be read only once")
        func expectationFailed() async throws {
            let server = try serve(
                Script(
                    [.init([.expectHead, .send("HTTP/1.1 417 No\r\nContent-Length: 2\r\n\r\nno"), .stall])],
                    others: .init([.expectHead, .expectContent(.declared), Loopback.ok])))
            let result = try await upload([1, 2], length: 2, canRewind: false, to: server, Self.asks)
            #expect(result.text == "ok" && result.report?.connectionsOpened == 2)
            #expect(server.requests.map { $0.value(of: "Expect") } == ["100-continue", nil])
            #expect(server.requests.map(\.content) == [[], [1, 2]])
        }

        @Test func a417ThatWasNotAskedForIsDelivered() async throws {
            let server = try serve([
                .expectHead, .expectContent(.declared), .send("HTTP/1.1 417 No\r\nContent-Length: 0\r\n\r\n"),
                .stall,
            ])
            #expect(
                try await upload([1], length: 1, to: server).report?.response.status == .expectationFailed)
        }

        @Test func a307InPlaceOfTheGoAheadNeedsNoRewinding() async throws {
            let server = try serve(
                Script(
                    [.init([.expectHead] + RedirectTests.redirect("/to", "307 Moved") + [.stall])],
                    others: .init([
                        .expectHead, .send("HTTP/1.1 100 Continue\r\n\r\n"), .expectContent(.declared),
                        Loopback.ok,
                    ])))
            let result = try await upload([1, 2], length: 2, canRewind: false, to: server, Self.asks)
            #expect(result.text == "ok" && server.requests.map(\.content) == [[], [1, 2]])
        }

        @Test(
            "content of more than 1 MiB, or of unknown length, is announced",
            arguments: [
                (1 << 20, false, false), (1 << 20 + 1, false, true), (1, true, true),
            ])
        func threshold(count: Int, isUnknown: Bool, isAnnounced: Bool) async throws {
            let server = try serve { _ in [Loopback.ok] }
            let result = try await upload(
                [UInt8](repeating: 1, count: count), length: isUnknown ? nil : UInt64(count), to: server
            ) { $0.expectsContinueAbove = TransferOptions().expectsContinueAbove }
            #expect(result.text == "ok")
            #expect(server.requests.first?.value(of: "Expect") == (isAnnounced ? "100-continue" : nil))
        }

        // MARK: Early answers (RFC 9112, section 9.5)

        @Test(
            "an error ends the sending, and a success that announces the end of its connection",
            arguments: [(413, ""), (200, "Connection: close\r\n")])
        func ended(status: Int, fields: String) async throws {
            let server = try serve([
                .expectHead, .send("HTTP/1.1 \(status) No\r\nContent-Length: 2\r\n\(fields)\r\nno"), .stall,
            ])
            let client = client()
            let result = try await upload(
                [UInt8](repeating: 1, count: 32 << 20), length: nil, to: server, client: client)
            #expect(result.report?.response.status.code == UInt16(status) && result.text == "no")
            #expect((result.report?.contentSent ?? .max) < 32 << 20)
            #expect(await client.idleConnectionCount == 0)
        }

        @Test func anErrorIsNoticedWhileTheContentIsLongInComing() async throws {
            var ends: [Int32] = [0, 0]
            try #require(pipe(&ends) == 0)
            let (input, output) = (ends[0], ends[1])
            defer {
                close(input)
                close(output)
            }
            let server = try serve([
                .expectHead, .expectContent(.octets(10)),
                .send("HTTP/1.1 413 No\r\nContent-Length: 2\r\n\r\nno"), .stall,
            ])
            let request = try server.request(.put, "/up")
            let client = client()
            let status = try await onLoop { () async throws -> UInt16 in
                #expect(write(output, "hello", 5) == 5)  // "5 CRLF hello CRLF" are ten octets
                let content = try DescriptorContent(lending: input, named: "the pipe")
                var options = TransferOptions()
                options.expectsContinueAbove = nil
                return try await client.transfer(
                    request, content: content, into: CollectedContent(), options: options
                ).run().response.status.code
            }
            #expect(status == 413)
            #expect(await client.idleConnectionCount == 0)
        }

        @Test func theWholeTimeIsAlsoForContentThatDoesNotCome() async throws {
            var ends: [Int32] = [0, 0]
            try #require(pipe(&ends) == 0)
            let (input, output) = (ends[0], ends[1])
            defer {
                close(input)
                close(output)
            }
            let server = try serve([.expectHead, .stall])
            let request = try server.request(.put, "/up")
            let client = client()
            let codes = try await onLoop { () async throws -> [TransferError.Code] in
                var codes: [TransferError.Code] = []
                for isCancelled in [false, true] {
                    let content = try DescriptorContent(lending: input, named: "the pipe")
                    var options = TransferOptions()
                    options.expectsContinueAbove = nil
                    if !isCancelled { options.totalTimeout = .milliseconds(60) }
                    let transfer = client.transfer(
                        request, content: content, into: CollectedContent(), options: options)
                    if isCancelled {
                        Task {
                            _ = await eventually { transfer.hasReadContent }
                            transfer.cancel()
                        }
                    }
                    do throws(TransferError) { _ = try await transfer.run() } catch {
                        codes.append(error.code)
                    }
                }
                return codes
            }
            #expect(codes == [.timedOut, .cancelled])
        }

        // MARK: Descriptors

        @Test func aFileIsReadFromWhereItStandsAndCanBeReadAgain() async throws {
            let folder = TemporaryFolder()
            folder.write(Pattern.octets(700_000), to: "f")
            let file = try folder.open("f")
            lseek(file.rawValue, 10, SEEK_SET)
            let number = file.rawValue
            let octets = try await onLoop { () async throws -> [[UInt8]] in
                let content = try DescriptorContent(lending: number, named: "f")
                #expect(content.length == 699_990)
                var results: [[UInt8]] = []
                for _ in 0..<2 {
                    var octets: [UInt8] = []
                    while true {
                        let next = try await content.next(atMost: 100_000, until: .never)
                        #expect(next.count <= 100_000)
                        if next.isEmpty { break }
                        octets += next
                    }
                    results.append(octets)
                    #expect(content.rewind())
                }
                return results
            }
            let expected = Array(Pattern.octets(700_000)[10...])
            #expect(octets == [expected, expected])
            _ = consume file
        }

        @Test func aPipeIsWaitedForUntilTheDeadline() async throws {
            var ends: [Int32] = [0, 0]
            try #require(pipe(&ends) == 0)
            let reading = FileDescriptor(owning: ends[0])
            let writing = FileDescriptor(owning: ends[1])
            let (input, output) = (reading.rawValue, writing.rawValue)
            try await onLoop {
                let content = try DescriptorContent(lending: input, named: "the pipe")
                #expect(content.length == nil && !content.rewind())
                let error = await #expect(throws: TransferError.self) {
                    try await content.next(atMost: 10, until: Deadline(.total, in: .milliseconds(20)))
                }
                #expect(error?.code == .timedOut)
                let reader = Task { try await content.next(atMost: 3, until: .never) }
                await NetworkActor.loop.yield()
                #expect(write(output, "hello", 5) == 5)
                #expect(try await reader.value == Array("hel".utf8))
                #expect(try await content.next(atMost: 3, until: .never) == Array("lo".utf8))
            }
            _ = consume writing
            try await onLoop {
                let content = try DescriptorContent(lending: input, named: "the pipe")
                #expect(try await content.next(atMost: 3, until: .never) == [])
            }
            _ = consume reading
        }

        @Test func aFolderCannotBeSent() async throws {
            let folder = TemporaryFolder()
            let number = folder.descriptor
            let error = try await onLoop { () -> TransferError? in
                do throws(TransferError) {
                    _ = try DescriptorContent(lending: number, named: "d")
                    return nil
                } catch { return error }
            }
            #expect(error?.code == .readFailed && error?.detail == "could not read d: Is a directory")
        }
    }
}
