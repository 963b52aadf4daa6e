import NetworkProbes
import System
import Testing

@testable import Transport

extension Loopback {
    @Suite("Finding addresses")
    struct ResolverTests {
        private static func addresses(
            of host: String, family: AddressFamily = .any, within limit: Duration = .seconds(8)
        ) async throws -> [SocketAddress] {
            try await onLoop {
                try await Resolver.addresses(
                    of: host, port: 80, family: family, until: Deadline(.resolve, in: limit))
            }
        }

        @Test(
            "localhost is the loopback (RFC 6761, section 6.3)",
            arguments: ["localhost", "LocalHost.", "a.b.localhost"])
        func localhost(name: String) async throws {
            #expect(try await Self.addresses(of: name).map(\.description) == ["[::1]:80", "127.0.0.1:80"])
            #expect(
                try await Self.addresses(of: name, family: .ipv4).map(\.description) == ["127.0.0.1:80"])
            #expect(try await Self.addresses(of: name, family: .ipv6).map(\.description) == ["[::1]:80"])
        }

        @Test(arguments: ["no such host", ".", "a..b"])
        func aNameThatCannotBeIsNotFoundPromptly(name: String) async throws {
            await #expect {
                _ = try await Self.addresses(of: name)
            } throws: { error in
                guard case .notResolved(let words) = (error as? TransportError)?.reason else { return false }
                return !words.isEmpty
            }
        }

        @Test func asksTheSystemForAnythingElse() async throws {
            #expect(
                try await Self.addresses(of: "127.0.0.2", family: .ipv4).map(\.description)
                    == ["127.0.0.2:80"])
        }

        @Test func noTimeIsNoAnswer() async {
            await #expect(throws: TransportError(.timedOut(.resolve, after: .zero))) {
                _ = try await Self.addresses(of: "127.0.0.2", within: .zero)
            }
        }

        @Test func canBeCancelled() async throws {
            let outcome = try await within { () async -> TransportError.Reason? in
                let task = Task { () async -> TransportError.Reason? in
                    await NetworkActor.run { () async -> TransportError.Reason? in
                        do throws(TransportError) {
                            _ = try await Resolver.addresses(
                                of: "127.0.0.2", port: 1, family: .any, until: .never)
                            return nil
                        } catch { return error.reason }
                    }
                }
                task.cancel()
                return await task.value
            }
            #expect(outcome == .cancelled || outcome == nil)  // the answer may have come before
        }

        @Test func usesFewThreadsAndKeepsNone() async throws {
            try await within {
                let most = try await onLoop { () async -> Int in
                    let tasks = (0..<100).map { number in
                        Task(executorPreference: NetworkActor.loop) {
                            try? await Resolver.addresses(
                                of: "127.0.1.\(number)", port: 1, family: .ipv4, until: .never)
                        }
                    }
                    var most = 0
                    let end = Task(executorPreference: NetworkActor.loop) {
                        for task in tasks { #expect(await task.value?.count == 1) }
                    }
                    for _ in 0..<200 {
                        most = max(most, Resolver.threadCount)
                        await NetworkActor.loop.yield()
                    }
                    await end.value
                    return most
                }
                #expect(most <= Resolver.maximumThreads)
                #expect(try await onLoop { await eventually { Resolver.threadCount == 0 } })
            }
        }
    }

    @Suite("Addresses")
    struct SocketAddressTests {
        @Test(
            "literals keep their meaning",
            arguments: [
                ("127.0.0.1", "127.0.0.1:80"), ("::1", "[::1]:80"),
                ("2001:db8:0:0:0:0:0:1", "[2001:db8::1]:80"), ("255.255.255.255", "255.255.255.255:80"),
            ])
        func literal(text: String, description: String) {
            #expect(SocketAddress(literal: text, port: 80)?.description == description)
            #expect(SocketAddress(literal: text, port: 1)?.with(port: 80).description == description)
        }

        @Test(arguments: ["localhost", "127.1", "[::1]", "1.2.3.4.5", ""])
        func anythingElseIsNoLiteral(text: String) {
            #expect(SocketAddress(literal: text, port: 80) == nil)
        }

        @Test(arguments: [
            ("", false), ("/a", true), (String(repeating: "x", count: 107), true),
            (String(repeating: "x", count: 108), false), ("/a\0b", false),
        ])
        func pathsOfUnixSockets(path: String, isFine: Bool) {
            #expect((SocketAddress(unixSocket: path) != nil) == isFine)
        }

        @Test(arguments: [0, 4, 15, 17])
        func anIPv6AddressHasSixteenOctets(count: Int) {
            #expect(SocketAddress(ipv6: [UInt8](repeating: 0, count: count), port: 1) == nil)
        }
    }
}
