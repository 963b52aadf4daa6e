import HTTPClient
import HTTPMessage
import NetworkProbes
import Replay
import System
import Testing
import Transport

extension Loopback {
    @Suite("Redirects on the wire (RFC 9110, section 15.4)")
    struct RedirectTests {
        static func redirect(_ location: String, _ status: String = "302 Found", content: String = "")
            -> [Script.Step]
        {
            [
                .send(
                    "HTTP/1.1 \(status)\r\nLocation: \(location)\r\nContent-Length: \(content.utf8.count)\r\n\r\n\(content)"
                )
            ]
        }

        /// A server where `/n` leads to `/n-1`, down to `/0`.
        private func countdown() throws -> ReplayServer {
            try serve { request in
                let number = Int(request.target.dropFirst()) ?? 0
                return number > 0 ? Self.redirect("/\(number - 1)", content: "gone") : [Loopback.ok]
            }
        }

        private func options(_ change: (inout RedirectPolicy) -> Void = { _ in }) -> TransferOptions {
            var options = TransferOptions()
            var policy = RedirectPolicy()
            change(&policy)
            options.redirects = policy
            return options
        }

        @Test func withoutAPolicyARedirectIsDelivered() async throws {
            let server = try countdown()
            var options = TransferOptions()
            options.redirects = nil
            let outcome = try await client().outcome(of: server.request(.get, "/1"), options: options)
            #expect(outcome.report?.response.status == .found && outcome.text == "gone")
            #expect(server.requests.count == 1)
        }

        @Test func redirectsAreFollowedUnlessToldOtherwise() async throws {
            let server = try countdown()
            let outcome = try await client().outcome(of: server.request(.get, "/1"))
            #expect(outcome.report?.response.status == .ok && outcome.report?.redirects.count == 1)
        }

        @Test func ofALongChainOnlySoMuchIsKept() async throws {
            let server = try countdown()
            for (count, kept) in [(100, 100), (101, 100), (150, 100)] {
                let outcome = try await client().outcome(
                    of: server.request(.get, "/\(count)"), options: options { $0.maximum = nil })
                #expect(outcome.report?.redirectCount == count)
                let redirects = outcome.report?.redirects ?? []
                #expect(redirects.count == kept)
                #expect(redirects.first?.uri.path == "/\(count)" && redirects.last?.uri.path == "/1")
            }
        }

        @Test func oneConnectionServesAllHopsAndTheReportTellsOfThem() async throws {
            let server = try countdown()
            let outcome = try await client().outcome(of: server.request(.get, "/3#f"), options: options())
            let report = try #require(outcome.report)
            #expect(outcome.text == "ok" && report.contentOctets == 2 && outcome.hasEnded)
            #expect(report.request.uri.path == "/0" && report.request.uri.fragment == "f")
            #expect(report.redirects.map(\.uri.path) == ["/3", "/2", "/1"])
            #expect(report.redirects.map(\.target.path) == ["/2", "/1", "/0"])
            #expect(report.redirects.map(\.status.code) == [302, 302, 302])
            #expect(report.connectionsOpened == 1 && server.connectionCount == 1)
            #expect(report.requestOctets == UInt64(server.requests.reduce(0) { $0 + $1.head.count }))
            let heads = 3 * "HTTP/1.1 302 Found\r\nLocation: /2\r\nContent-Length: 4\r\n\r\n".utf8.count
            #expect(
                report.headOctets == UInt64(heads + "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n".utf8.count)
            )
            let begun = report.redirects.map(\.timings.ready) + [report.timings.ready]
            #expect(
                zip(begun, begun.dropFirst()).allSatisfy {
                    ($0 ?? .distantFuture) <= ($1 ?? report.timings.start)
                })
            #expect(report.timings.redirected != nil && report.timings.connected != nil)
            #expect(outcome.story.filter { $0 == "redirecting" }.count == 3)
        }

        @Test("the limit is what may be followed, not one less or more", arguments: [0, 1, 4])
        func limit(maximum: Int) async throws {
            let server = try countdown()
            let options = options { $0.maximum = maximum }
            #expect(
                try await client().outcome(of: server.request(.get, "/\(maximum)"), options: options).text
                    == "ok")
            let outcome = try await client().outcome(
                of: server.request(.get, "/\(maximum + 1)"), options: options)
            #expect(outcome.code == .tooManyRedirects && outcome.content.isEmpty && !outcome.hasEnded)
            #expect(server.requests.count == 2 * (maximum + 1))
        }

        @Test func withoutALimitManyAreFollowed() async throws {
            let server = try countdown()
            let options = options { $0.maximum = nil }
            #expect(
                try await client().outcome(of: server.request(.get, "/60"), options: options).text == "ok")
            let outcome = try await client().outcome(of: server.request(.get, "/60"), options: self.options())
            #expect(outcome.code == .tooManyRedirects)
            let words = outcome.error?.detail ?? ""
            #expect(
                words.contains(
                    "the redirects do not end, 20 were followed: http://127.0.0.1:\(server.port)/60 -> "))
            #expect(words.contains("/57 -> (15 more) -> http://") && words.hasSuffix("/39"), "\(words)")
        }

        @Test func aLoopIsCalledOneAndShowsNoSecret() async throws {
            let server = try serve { Self.redirect($0.target.hasPrefix("/a") ? "/b?secret" : "/a?secret") }
            let uri = try URI(parsing: "http://me:secret@\(server.authority)/a?secret")
            let outcome = try await client().outcome(
                of: HTTPRequest(uri), options: options { $0.maximum = 3 })
            let words = outcome.error?.detail ?? ""
            #expect(words.hasPrefix("the redirects go round in a loop, 3 were followed: "))
            #expect(
                words.hasSuffix("/b -> http://\(server.authority)/a") && !words.contains("secret"), "\(words)"
            )
        }

        @Test("a redirect to its own URI may be the way to a cookie, and is followed")
        func sameURI() async throws {
            let count = Lock(0)
            let server = try serve { _ in
                let number = count.withLock {
                    $0 += 1
                    return $0
                }
                return number == 1 ? Self.redirect("/") : [Loopback.ok]
            }
            #expect(try await client().outcome(of: server.request(), options: options()).text == "ok")
        }

        @Test(
            "POST becomes GET without content; 307 keeps both",
            arguments: [(302, "GET", ""), (307, "POST", "abc")])
        func content(status: Int, method: String, content: String) async throws {
            let server = try serve {
                $0.target == "/" ? Self.redirect("/to", "\(status) Moved") : [Loopback.ok]
            }
            let request = try server.request(
                .post, fields: ["Content-Type": "a/b"], content: Array("abc".utf8))
            let outcome = try await client().outcome(of: request, options: options())
            #expect(outcome.text == "ok")
            let last = try #require(server.requests.last)
            #expect(last.method == method && String(decoding: last.content, as: UTF8.self) == content)
            #expect(last.value(of: "Content-Type") == (content.isEmpty ? nil : "a/b"))
            #expect(last.value(of: "Content-Length") == (content.isEmpty ? nil : "3"))
        }

        @Test func credentialsOfTheURIAreSentToItsOriginAlone() async throws {
            let other = try serve { _ in [Loopback.ok] }
            let server = try serve { [address = other.authority] in
                $0.target == "/" ? Self.redirect("/2") : Self.redirect("http://x:y@\(address)/")
            }
            let uri = try URI(parsing: "http://Aladdin:open%20sesame@\(server.authority)/")
            let options = options { $0.dropsUserinfo = true }
            #expect(try await client().outcome(of: HTTPRequest(uri), options: options).text == "ok")
            #expect(
                server.requests.map { $0.value(of: "Authorization") }
                    == ["Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="])
            #expect(other.requests.count == 1 && other.requests.first?.value(of: "Authorization") == nil)
        }

        @Test func whatIsForAProxyIsSentToNoOrigin() async throws {
            let server = try serve { _ in [Loopback.ok] }
            let request = try server.request(fields: ["Proxy-Authorization": "Basic x", "A": "b"])
            #expect(try await client().outcome(of: request).text == "ok")
            #expect(server.requests.first?.fields.map(\.name) == ["Host", "A"])
        }

        // MARK: Content of the redirect

        @Test(
            "content up to 64 KiB is read for the connection's sake, more is not",
            arguments: [65_536, 65_537])
        func dropped(count: Int) async throws {
            let content = String(repeating: "x", count: count)
            let server = try serve {
                $0.target == "/" ? Self.redirect("/to", content: content) : [Loopback.ok]
            }
            let outcome = try await client().outcome(of: server.request(), options: options())
            #expect(outcome.text == "ok" && outcome.report?.contentOctets == 2)
            #expect(server.connectionCount == (count > 65_536 ? 2 : 1))
            #expect(outcome.report?.connectionsOpened == server.connectionCount)
        }

        @Test(
            "content without an end, or with a broken one, keeps nobody from following",
            arguments: [
                [Script.Step.sendRepeated([UInt8](repeating: 0x78, count: 1000), times: 300), .stall],
                [.send("Content-Length: 10\r\n\r\nabc"), .close],
                [.send("Content-Length: 10\r\n\r\nabc"), .reset],
                [.send("Transfer-Encoding: chunked\r\n\r\nnonsense\r\n"), .stall],
            ])
        func brokenContent(steps: [Script.Step]) async throws {
            let start = Script.Step.send("HTTP/1.1 302 Found\r\nLocation: /to\r\n")
            let isEndless = steps.count == 2 && steps.first.map { "\($0)".hasPrefix("sendRepeated") } == true
            let first = [.expectHead, start] + (isEndless ? [.send("\r\n")] : []) + steps
            let server = try serve(Script([.init(first)], others: .init([.expectHead, Loopback.ok])))
            let outcome = try await client().outcome(of: server.request(), options: options())
            #expect(outcome.text == "ok", "\(outcome.error?.detail ?? "")")
            #expect(server.connectionCount == 2)
        }

        @Test func contentThatDoesNotComeIsWaitedForTwoSeconds() async throws {
            let stalled = Script.Step.send(
                "HTTP/1.1 302 Found\r\nLocation: /to\r\nContent-Length: 10\r\n\r\nabc")
            let server = try serve(
                Script([.init([.expectHead, stalled, .stall])], others: .init([.expectHead, Loopback.ok])))
            let outcome = try await client().outcome(of: server.request(), options: options())
            let report = try #require(outcome.report)
            #expect(outcome.text == "ok")
            let time = report.timings.elapsed(until: report.timings.redirected)
            #expect(time >= .seconds(2) && time < .seconds(4))
        }

        @Test func theWholeTimeIsThatOfAllHops() async throws {
            let server = try serve { request in
                [.pause(.milliseconds(40))] + Self.redirect("/\(request.target.count)")
            }
            var options = options { $0.maximum = nil }
            options.totalTimeout = .milliseconds(300)
            let outcome = try await client().outcome(of: server.request(), options: options)
            #expect(outcome.code == .timedOut)
            #expect((2...8).contains(server.requests.count))
        }

        @Test func aLimitOfContentIsNotForWhatIsDropped() async throws {
            let server = try serve {
                $0.target == "/" ? Self.redirect("/to", content: "1234567890") : [Loopback.ok]
            }
            var options = options()
            options.maximumContentLength = 2
            #expect(try await client().outcome(of: server.request(), options: options).text == "ok")
        }

        // MARK: Hooks

        @Test func aHookCanChangeWhereARedirectLeads() async throws {
            let server = try serve { $0.target == "/" ? Self.redirect("/to") : [Loopback.ok] }
            var hooks = TransferHooks()
            hooks.willSend = { request, response in
                guard let response else { return request }
                var request = request
                request.fields.append("X-Status", response.status.description)
                if let uri = try? URI(parsing: "/else", relativeTo: request.uri) { request.uri = uri }
                return request
            }
            let outcome = try await client().outcome(of: server.request(), options: options(), hooks: hooks)
            #expect(outcome.text == "ok")
            #expect(server.requests.map(\.target) == ["/", "/else"])
            #expect(server.requests.last?.value(of: "X-Status") == "302")
        }

        @Test func aRedirectThatAHookRefusesIsDelivered() async throws {
            let server = try countdown()
            var hooks = TransferHooks()
            hooks.willSend = { request, _ in request.uri.path == "/1" ? nil : request }
            let outcome = try await client().outcome(
                of: server.request(.get, "/3"), options: options(), hooks: hooks)
            #expect(outcome.report?.response.status == .found && outcome.text == "gone" && outcome.hasEnded)
            #expect(outcome.report?.redirects.count == 1)
            #expect(server.requests.map(\.target) == ["/3", "/2"])
        }

        @Test func theResponseHookIsAskedOfTheFinalOneAlone() async throws {
            let server = try countdown()
            let seen = Lock([UInt16]())
            var hooks = TransferHooks()
            hooks.didReceive = { response in
                seen.withLock { $0.append(response.status.code) }
                return true
            }
            let outcome = try await client().outcome(
                of: server.request(.get, "/2"), options: options(), hooks: hooks)
            #expect(outcome.text == "ok" && seen.withLock { $0 } == [200])
        }
    }
}
