import HTTPCache
import HTTPClient
import HTTPMessage
import NetworkProbes
import Replay
import System
import Testing
import Transport

extension Loopback {
    @Suite("The cache as a stage of a transfer (RFC 9111)")
    struct CachingTests {
        /// A clock that a test moves.
        final class Clock: Sendable {
            private let seconds = Lock<Int64>(1_441_199_821)  // Wed, 02 Sep 2015 13:17:01 GMT

            var wall: WallClock { WallClock { self.seconds.withLock { $0 } } }

            func advance(by count: Int64) { seconds.withLock { $0 += count } }
        }

        static func head(_ fields: String, _ status: String = "200 OK") -> Script.Step {
            .send("HTTP/1.1 \(status)\r\nDate: Wed, 02 Sep 2015 13:17:01 GMT\r\n\(fields)\r\n\r\n")
        }

        static func answer(_ content: String, _ fields: String = "Cache-Control: max-age=60") -> [Script.Step]
        {
            [head("\(fields)\r\nContent-Length: \(content.utf8.count)"), .send(content)]
        }

        private func caching(
            _ clock: Clock = Clock(), capacity: Int = 1 << 20, fraction: Double = 1
        ) -> (client: Client, cache: ResponseCache) {
            let cache = ResponseCache(capacity: capacity, maximumObjectFraction: fraction, clock: clock.wall)
            return (client { $0.cache = cache }, cache)
        }

        private func options(_ policy: CachePolicy?) -> TransferOptions {
            var options = TransferOptions()
            options.cachePolicy = policy
            return options
        }

        @Test("the documents' message is found and answered without a connection (D18, D20)")
        func documents() async throws {
            let content = [UInt8](repeating: 0x5A, count: 592_441)
            let server = try serve { _ in
                [
                    .send(
                        """
                        HTTP/1.1 200 OK\r
                        Accept-Ranges: bytes\r
                        Cache-Control: max-age=7776000\r
                        Content-Length: 592441\r
                        Content-Type: application/x-zip-compressed\r
                        Date: Wed, 02 Sep 2015 13:17:01 GMT\r
                        Etag: "d8f617371f9cd01:0"\r
                        Last-Modified: Mon, 01 Jun 2015 03:58:27 GMT\r
                        Server: Microsoft-IIS/7.5\r
                        X-Powered-By: ASP.NET\r
                        \r

                        """), .send(content),
                ]
            }
            let clock = Clock()
            let (client, cache) = caching(clock)
            let request = try server.request(.get, "/pages.zip")
            #expect(cache.cachedResponse(for: request) == nil)
            #expect(try await client.outcome(of: request).report?.source == .network)
            server.stop()
            clock.advance(by: 7_775_999)
            // The sample sets the capacity before each request.
            cache.capacity = 1 << 20
            let cached = try #require(cache.cachedResponse(for: request))
            #expect(cached.content == content && cached.response.fields["X-Powered-By"] == "ASP.NET")
            let outcome = try await client.outcome(of: request, options: options(.returnCacheDataDontLoad))
            #expect(outcome.content == content && outcome.hasEnded)
            #expect(outcome.report?.source == .cache && outcome.report?.connectionsOpened == 0)
            #expect(outcome.report?.response.fields["Age"] == "7775999")
            #expect(outcome.report?.cacheStatus?.description == "rawget; hit; ttl=1")
            #expect(outcome.story == ["answeredFromCache", "response", "contentReceived"])
        }

        @Test func withoutACacheOrAPolicyNothingIsKept() async throws {
            let server = try serve { _ in Self.answer("one") }
            let (caching, cache) = caching()
            for _ in 1...2 {
                let outcome = try await caching.outcome(of: server.request(), options: options(nil))
                #expect(outcome.report?.source == .network && outcome.report?.cacheStatus == nil)
                #expect(try await client().outcome(of: server.request()).report?.cacheStatus == nil)
            }
            #expect(cache.usage == 0 && server.requests.count == 4)
        }

        @Test func twoClientsShareACache() async throws {
            let server = try serve { _ in Self.answer("one") }
            let (first, cache) = caching()
            _ = try await first.outcome(of: server.request())
            let second = client { $0.cache = cache }
            #expect(try await second.outcome(of: server.request()).report?.source == .cache)
            #expect(server.requests.count == 1)
        }

        @Test func whatTheCallerDoesNotWantStoredIsNot() async throws {
            let server = try serve { _ in Self.answer("one") }
            let (client, cache) = caching()
            var hooks = TransferHooks()
            hooks.willStore = { $0.fields["Cache-Control"] == nil }
            let outcome = try await client.outcome(of: server.request(), hooks: hooks)
            #expect(outcome.text == "one" && cache.usage == 0)
            #expect(
                outcome.report?.cacheStatus?.description == "rawget; fwd=uri-miss; detail=refused")
        }

        @Test(
            "an object past the limit passes through, and no memory is kept of it",
            arguments: ["Content-Length: 300000", "Transfer-Encoding: chunked"])
        func tooLarge(framing: String) async throws {
            let content = String(repeating: "a", count: 300_000)
            let server = try serve { _ in
                let isChunked = framing.hasPrefix("T")
                return [
                    Self.head("Cache-Control: max-age=60\r\n\(framing)"),
                    .send(isChunked ? "493e0\r\n\(content)\r\n0\r\n\r\n" : content),
                ]
            }
            let (client, cache) = caching(capacity: 1 << 20, fraction: 0.05)
            let outcome = try await client.outcome(of: server.request())
            #expect(outcome.text == content && cache.usage == 0)
            #expect(outcome.report?.cacheStatus?.detail == "too-large")
            #expect(outcome.report?.cacheStatus?.isStored == false)
        }

        @Test("content that is recorded is not spliced past the process, other content is")
        func spliced() async throws {
            let server = try serve { request in
                Self.answer(
                    String(repeating: "a", count: 300_000),
                    request.target == "/kept" ? "Cache-Control: max-age=60" : "Cache-Control: no-store")
            }
            let (client, _) = caching()
            let null = try File.open("/dev/null", in: File.workingDirectory, flags: 1)
            let descriptor = null.rawValue
            for (path, isSpliced) in [("/kept", false), ("/left", true)] {
                let request = try server.request(.get, path)
                let spliced = try await onLoop {
                    let sink = TestSink()
                    sink.target = SpliceTarget(descriptor: descriptor)
                    _ = try await client.transfer(request, into: sink).run()
                    #expect(sink.count == 300_000)
                    return sink.spliced > 0
                }
                #expect(spliced == isSpliced)
            }
        }

        @Test func whatWasCutIsNeverTakenForWhole() async throws {
            let server = try serve { request in
                let fields = "Cache-Control: max-age=60\r\nETag: \"a\"\r\nContent-Length: 6"
                return request.value(of: "Range") != nil
                    ? [
                        Self.head(
                            "ETag: \"a\"\r\nContent-Range: bytes 3-5/6\r\nContent-Length: 3",
                            "206 Partial Content"), .send("def"),
                    ]
                    : [Self.head(fields), .send("abc"), .close]
            }
            let (client, cache) = caching()
            let cut = try await client.outcome(of: server.request())
            #expect(cut.code == .incompleteContent && cut.text == "abc")
            #expect(try cache.cachedResponse(for: server.request()) == nil)
            // The prefix and what was missing make the whole, for the caller and for the next one.
            let completed = try await client.outcome(of: server.request())
            #expect(completed.text == "abcdef" && completed.report?.response.status == .ok)
            #expect(completed.report?.response.fields["Content-Length"] == "6")
            #expect(completed.report?.source == .network && completed.hasEnded)
            #expect(
                completed.report?.cacheStatus?.description
                    == "rawget; fwd=partial; fwd-status=206; ttl=60; stored")
            #expect(server.requests.last?.value(of: "Range") == "bytes=3-")
            #expect(server.requests.last?.value(of: "If-Range") == "\"a\"")
            let again = try await client.outcome(of: server.request())
            #expect(again.text == "abcdef" && again.report?.source == .cache && server.requests.count == 2)
        }

        @Test func theRestOfACompletedAnswerMustBeAllOfIt() async throws {
            let server = try serve { request in
                guard request.value(of: "Range") != nil else {
                    return [
                        Self.head("Cache-Control: max-age=60\r\nETag: \"a\"\r\nContent-Length: 6"),
                        .send("abc"), .close,
                    ]
                }
                let end = request.target == "/short" ? "2\r\nde\r\n0\r\n\r\n" : "5\r\ndefgh\r\n0\r\n\r\n"
                return [
                    Self.head(
                        "ETag: \"a\"\r\nContent-Range: bytes 3-5/6\r\nTransfer-Encoding: chunked",
                        "206 Partial Content"), .send(end),
                ]
            }
            let (client, cache) = caching()
            for (path, code) in [("/short", TransferError.Code.incompleteContent), ("/long", .badResponse)] {
                let request = try server.request(.get, path)
                _ = try await client.outcome(of: request)
                let outcome = try await client.outcome(of: request)
                #expect(outcome.code == code && !outcome.hasEnded)
                #expect(cache.cachedResponse(for: request) == nil)
            }
        }

        @Test func aLongRedirectIsStoredOnlyWhole() async throws {
            let long = String(repeating: "x", count: 200_000)
            let server = try serve { request in
                guard request.target == "/" else { return Self.answer("target", "Cache-Control: no-store") }
                return [
                    Self.head(
                        "Location: /target\r\nCache-Control: max-age=60\r\nContent-Length: 200000",
                        "301 Moved Permanently"), .send(long),
                ]
            }
            let (client, cache) = caching()
            #expect(try await client.outcome(of: server.request()).text == "target")
            #expect(try cache.cachedResponse(for: server.request()) == nil)
        }

        @Test func redirectsAreAnsweredHopByHop() async throws {
            let server = try serve { request in
                request.target == "/"
                    ? [
                        Self.head(
                            "Location: /target\r\nCache-Control: max-age=60\r\nContent-Length: 0",
                            "301 Moved Permanently")
                    ] : Self.answer("target", "Cache-Control: no-store")
            }
            let (client, _) = caching()
            for requests in [2, 3] {
                let outcome = try await client.outcome(of: server.request())
                #expect(outcome.text == "target" && outcome.report?.redirectCount == 1)
                #expect(server.requests.count == requests)
            }
            #expect(server.requests.map(\.target) == ["/", "/target", "/target"])
        }

        @Test func staleContentIsValidatedInTheBackground() async throws {
            let server = try serve { request in
                request.value(of: "If-None-Match") == nil
                    ? Self.answer("one", "Cache-Control: max-age=1, stale-while-revalidate=60\r\nETag: \"1\"")
                    : Self.answer("two", "Cache-Control: max-age=600\r\nETag: \"2\"")
            }
            let clock = Clock()
            let (client, cache) = caching(clock)
            let request = try server.request(fields: ["X-Own": "field"])
            _ = try await client.outcome(of: request)
            clock.advance(by: 10)
            let stale = try await client.outcome(of: request)
            #expect(stale.text == "one" && stale.report?.source == .cache)
            #expect(
                stale.report?.cacheStatus?.description == "rawget; hit; ttl=-9; detail=stale-while-revalidate"
            )
            let isSo = await eventually { !cache.isValidating && server.requests.count == 2 }
            #expect(isSo)
            #expect(server.requests.last?.value(of: "X-Own") == "field")
            let renewed = try await client.outcome(of: request)
            #expect(renewed.text == "two" && renewed.report?.source == .cache)
        }

        @Test func aStaleAnswerTakesThePlaceOfAServerThatIsGone() async throws {
            let server = try serve { _ in Self.answer("one") }
            let clock = Clock()
            let (client, _) = caching(clock)
            let request = try server.request()
            _ = try await client.outcome(of: request)
            server.stop()
            clock.advance(by: 100)
            let outcome = try await client.outcome(of: request)
            #expect(outcome.text == "one" && outcome.report?.source == .cache)
            #expect(outcome.report?.cacheStatus?.description == "rawget; hit; ttl=-40; detail=disconnected")
            #expect(
                outcome.story.suffix(4) == [
                    "usingStored", "answeredFromCache", "response", "contentReceived",
                ])
            let reload = try await client.outcome(
                of: request, options: options(.reloadIgnoringLocalCacheData))
            #expect(reload.code == .couldNotConnect)
        }

        @Test func codedContentIsStoredAsItCameAndDecodedForEach() async throws {
            // gzip of "hello", by gzip(1).
            let coded: [UInt8] = [
                0x1f, 0x8b, 0x08, 0, 0, 0, 0, 0, 0, 0x03, 0xcb, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0, 0x86, 0xa6,
                0x10, 0x36,
                0x05, 0, 0, 0,
            ]
            let server = try serve { _ in
                [
                    Self.head("Cache-Control: max-age=60\r\nContent-Encoding: gzip\r\nContent-Length: 25"),
                    .send(coded),
                ]
            }
            let (client, cache) = caching()
            var decoding = TransferOptions()
            decoding.contentForm = .decoded
            for source in [CacheAnswer.Source.network, .cache] {
                let outcome = try await client.outcome(of: server.request(), options: decoding)
                #expect(outcome.text == "hello" && outcome.report?.source == source)
            }
            #expect(try cache.cachedResponse(for: server.request())?.content == coded)
            #expect(try await client.outcome(of: server.request()).content == coded)
            #expect(server.requests.count == 1)
        }

        /// A client whose cache holds an answer of so many octets.
        private func storing(_ count: Int) async throws -> (Client, HTTPRequest, ReplayServer) {
            let content = String(repeating: "b", count: count)
            let server = try serve { _ in Self.answer(content) }
            let (client, _) = caching(capacity: 16 << 20)
            let request = try server.request()
            _ = try await client.outcome(of: request)
            return (client, request, server)
        }

        @Test func storedContentObeysThePauseOfItsSink() async throws {
            let (client, request, server) = try await storing(5 << 20)
            defer { server.stop() }
            try await onLoop {
                let sink = TestSink(keepsContent: false)
                sink.demand = { _ in .pause }
                let transfer = client.send(request, into: sink)
                for megabytes in 1...5 {
                    let isSo = await eventually { transfer.isPaused && sink.count == megabytes << 20 }
                    #expect(isSo)
                    transfer.resume()
                }
                let report = try await transfer.finish()
                #expect(report.source == .cache)
            }
        }

        @Test func aTransferOfStoredContentCanBeCancelled() async throws {
            let (client, request, server) = try await storing(5 << 20)
            defer { server.stop() }
            try await onLoop {
                let sink = TestSink(keepsContent: false)
                sink.demand = { _ in .pause }
                let transfer = client.send(request, into: sink)
                let isSo = await eventually { transfer.isPaused }
                #expect(isSo)
                transfer.cancel()
                do throws(TransferError) {
                    _ = try await transfer.finish()
                    Issue.record("a cancelled transfer ended well")
                } catch { #expect(error.code == .cancelled) }
            }
        }

        @Test func limitsHoldForStoredContentAsWell() async throws {
            let server = try serve { _ in Self.answer("hello") }
            let (client, _) = caching()
            _ = try await client.outcome(of: server.request())
            var limited = TransferOptions()
            limited.maximumContentLength = 4
            #expect(try await client.outcome(of: server.request(), options: limited).code == .tooLarge)
            var hooks = TransferHooks()
            hooks.didReceive = { _ in false }
            #expect(try await client.outcome(of: server.request(), hooks: hooks).code == .cancelled)
            #expect(server.requests.count == 1)
        }

        @Test func aServerThatAnswersConditionsNobodyAskedForIsGivenUp() async throws {
            let server = try serve { request in
                request.value(of: "If-None-Match") == nil && request.target == "/once"
                    ? Self.answer("one", "Cache-Control: no-cache\r\nETag: \"1\"")
                    : [Self.head("ETag: \"other\"", "304 Not Modified")]
            }
            let (client, _) = caching()
            let request = try server.request(.get, "/once")
            _ = try await client.outcome(of: request)
            // The 304 names another representation: the request goes out again without conditions.
            let outcome = try await client.outcome(of: request)
            #expect(outcome.text == "one" && outcome.report?.source == .network && server.requests.count == 3)
            #expect(
                outcome.story.contains("unusedResponse") && outcome.story.contains("resendingUnconditionally")
            )
        }
    }
}
