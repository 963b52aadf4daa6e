import HTTPCache
import HTTPClient
import HTTPMessage
import NetworkProbes
import Replay
import Testing
import Transport

extension Loopback {
    @Suite("What the cache's stage owes to others: invalidations, limits, the word not to ask (RFC 9111)")
    struct CachingSeamTests {
        private func caching(capacity: Int = 1 << 20) -> (client: Client, cache: ResponseCache) {
            let cache = ResponseCache(capacity: capacity, clock: CachingTests.Clock().wall)
            return (client { $0.cache = cache }, cache)
        }

        @Test("what was on its way when its target was invalidated is not stored", arguments: 0..<4)
        func invalidatedMeanwhile(way: Int) async throws {
            let server = try serve { request in
                request.method == "POST"
                    ? [.send("HTTP/1.1 204 No Content\r\n\r\n")] : CachingTests.answer("old")
            }
            let (client, cache) = caching()
            let request = try server.request()
            let post = try server.request(.post)
            var hooks = TransferHooks()
            // The head is in, the content may be as well; nothing is stored yet.
            hooks.didReceive = { _ in
                switch way {
                case 0: cache.removeAll()
                case 1: cache.removeCachedResponses(since: HTTPDate(secondsSinceEpoch: 0))
                case 2: cache.removeCachedResponse(for: request)
                default: _ = try? await client.outcome(of: post)
                }
                return true
            }
            let outcome = try await client.outcome(of: request, hooks: hooks)
            #expect(outcome.text == "old" && cache.usage == 0)
            #expect(
                outcome.report?.cacheStatus?.description == "rawget; fwd=uri-miss; detail=invalidated")
            _ = try await client.outcome(of: request)
            #expect(cache.cachedResponse(for: request) != nil)
        }

        @Test("what only the store finds too large is told so, and has no time to be fresh for")
        func storeRefuses() async throws {
            let content = String(repeating: "a", count: 1000)
            let server = try serve { _ in CachingTests.answer(content) }
            let request = try server.request(.get, "/" + String(repeating: "p", count: 100))
            let (wide, cache) = caching()
            _ = try await wide.outcome(of: request)
            // Room for all but the key.
            let (narrow, _) = caching(capacity: cache.usage - 1)
            let outcome = try await narrow.outcome(of: request)
            #expect(outcome.report?.cacheStatus?.description == "rawget; fwd=uri-miss; detail=too-large")
        }

        @Test("stored redirects without end can be cancelled, and let others work")
        func redirectLoop() async throws {
            let server = try serve { _ in
                [
                    CachingTests.head(
                        "Location: /\r\nCache-Control: max-age=60\r\nContent-Length: 0",
                        "301 Moved Permanently")
                ]
            }
            let (client, _) = caching()
            let request = try server.request()
            try await onLoop {
                var options = TransferOptions()
                options.redirects?.maximum = nil
                let transfer = client.send(request, into: TestSink(), options: options)
                #expect(await eventually { server.requests.count == 1 })
                transfer.cancel()
                do throws(TransferError) {
                    _ = try await transfer.finish()
                    Issue.record("a cancelled transfer ended well")
                } catch { #expect(error.code == .cancelled) }
            }
        }

        @Test("the limit of time holds for stored content that nobody takes", arguments: [false, true])
        func timeLimit(isDecoded: Bool) async throws {
            let content = String(repeating: "b", count: 3 << 20)
            let server = try serve { _ in CachingTests.answer(content) }
            let (client, _) = caching(capacity: 16 << 20)
            let request = try server.request()
            _ = try await client.outcome(of: request)
            try await onLoop {
                let sink = TestSink(keepsContent: false)
                sink.demand = { _ in .pause }
                var options = TransferOptions()
                options.totalTimeout = .milliseconds(100)
                options.contentForm = isDecoded ? .decoded : .asSent
                do throws(TransferError) {
                    _ = try await client.transfer(request, into: sink, options: options).run()
                    Issue.record("the transfer ended well")
                } catch {
                    #expect(error.code == .timedOut && error.cause == .totalTime && error.phase == .content)
                }
            }
        }

        @Test("without a cache one policy asks nobody, while the request's own word is the origin's affair")
        func withoutACache() async throws {
            let server = try serve { _ in CachingTests.answer("one") }
            var options = TransferOptions()
            options.cachePolicy = .returnCacheDataDontLoad
            #expect(try await client().outcome(of: server.request(), options: options).code == .notInCache)
            #expect(server.requests.isEmpty)
            let request = try server.request(fields: ["Cache-Control": "only-if-cached"])
            #expect(try await client().outcome(of: request).text == "one")
            // As it is where the cache is kept out of it.
            let (caching, _) = caching()
            options.cachePolicy = nil
            #expect(try await caching.outcome(of: request, options: options).text == "one")
        }

        @Test func theBodyWithItsTransferCodingIsNoContentToStore() async throws {
            let server = try serve { _ in
                [
                    CachingTests.head("Cache-Control: max-age=60\r\nTransfer-Encoding: chunked"),
                    .send("2\r\nok\r\n0\r\n\r\n"),
                ]
            }
            let (client, cache) = caching()
            var raw = TransferOptions()
            raw.contentForm = .raw
            #expect(
                try await client.outcome(of: server.request(), options: raw).text == "2\r\nok\r\n0\r\n\r\n")
            #expect(cache.usage == 0)
        }
    }
}
