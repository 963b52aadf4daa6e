import Glibc
import HTTPClient
import HTTPMessage
import NetworkProbes
import Replay
import System
import Testing
import Transport

extension Loopback {
    @Suite("Many transfers at once")
    struct ConcurrencyTests {
        @Test func halfOfAHundredAreCancelledMidway() async throws {
            let server = try serve { request in
                let start = Script.Step.send(
                    "HTTP/1.1 200 OK\r\nContent-Length: 200000\r\n\r\n" + String(repeating: "x", count: 1000))
                return request.target == "/stall"
                    ? [start, .stall]
                    : [start, .pause(.milliseconds(20)), .sendGenerated(seed: 1, count: 199_000)]
            }
            let time = try await medianOfThree(under: .milliseconds(10)) {
                try await onLoop(within: .seconds(20)) {
                    let client = client()
                    var cut: [Transfer] = []
                    var whole: [Transfer] = []
                    for number in 0..<100 {
                        let isCut = number % 2 == 0
                        let request = try server.request(.get, isCut ? "/stall" : "/whole")
                        let transfer = client.send(request, into: TestSink(keepsContent: false))
                        if isCut { cut.append(transfer) } else { whole.append(transfer) }
                    }
                    #expect(await eventually { cut.allSatisfy { $0.contentReceived == 1000 } })
                    for transfer in whole {
                        #expect(try await transfer.finish().contentOctets == 200_000)
                    }
                    #expect(openSockets(to: server.port) == 100)
                    let start = Instant.now
                    for transfer in cut { transfer.cancel() }
                    for transfer in cut {
                        await #expect { _ = try await transfer.finish() } throws: {
                            ($0 as? TransferError)?.code == .cancelled
                        }
                    }
                    let time = Instant.now - start
                    #expect(client.idleConnectionCount == 50)
                    client.closeIdleConnections()
                    #expect(openSockets(to: server.port) == 0)
                    return time
                }
            }
            #expect(time < .milliseconds(10))
        }

        @Test("a small fetch is quick beside full-speed streams", arguments: [false, true])
        func smallBesideLarge(splices: Bool) async throws {
            let block = [UInt8](repeating: 1, count: 1 << 20)
            let kibibyte = [UInt8](repeating: 2, count: 1024)
            let server = try serve { request in
                request.target == "/large"
                    ? [.send("HTTP/1.1 200 OK\r\n\r\n"), .sendRepeated(block, times: 1 << 20), .close]
                    : [.send(Array("HTTP/1.1 200 OK\r\nContent-Length: 1024\r\n\r\n".utf8) + kibibyte)]
            }
            let worst = try await medianOfThree(under: .milliseconds(50)) {
                try await onLoop(within: .seconds(20)) {
                    let null = try File.open("/dev/null", in: File.workingDirectory, flags: O_WRONLY)
                    let client = client()
                    let streams = try (0..<4).map { _ in
                        let sink = TestSink(keepsContent: false)
                        if splices { sink.target = SpliceTarget(descriptor: null.rawValue) }
                        return client.send(try server.request(.get, "/large"), into: sink)
                    }
                    #expect(await eventually { streams.allSatisfy { $0.contentReceived > 1 << 20 } })
                    var worst = Duration.zero
                    for _ in 0..<20 {
                        let start = Instant.now
                        let sink = TestSink()
                        _ = try await client.transfer(try server.request(.get, "/small"), into: sink).run()
                        #expect(sink.count == 1024)
                        worst = max(worst, Instant.now - start)
                    }
                    for stream in streams {
                        stream.cancel()
                        await #expect(throws: TransferError.self) { _ = try await stream.finish() }
                    }
                    return worst
                }
            }
            #expect(worst < .milliseconds(50))
            #expect(openSockets(to: server.port) == 0)
        }
    }

    @Suite("The threads of a process")
    struct ThreadTests {
        /// The path of a program that is built beside the tests.
        private static func path(of name: String) throws -> String {
            let own = try File.destination(ofLink: "/proc/self/exe", in: File.workingDirectory)
            return own[..<(own.lastIndex(of: "/") ?? own.startIndex)] + "/" + name
        }

        /// The thread sanitizer runs a thread of its own.
        private static let ownThreads = dlsym(nil, "__tsan_init") == nil ? 1 : 2

        @Test func aTransferFromAnAddressLiteralStartsNone() async throws {
            let mayEnd = Lock(false)
            let server = try serve([
                .expectHead, .send("HTTP/1.1 200 OK\r\nContent-Length: 4000000\r\n\r\n"),
                .sendRepeated([UInt8](repeating: 1, count: 1000), times: 2000),
                .check { _ in
                    // The thread of the server's connection waits for the count.
                    while !mayEnd.withLock({ $0 }) { usleep(1000) }
                    return nil
                },
                .sendRepeated([UInt8](repeating: 1, count: 1000), times: 2000), .stall,
            ])
            let process = try Self.spawn([
                try Self.path(of: "rawget"), "-s", "-o", "/dev/null", "http://\(server.authority)/",
            ])
            var most = 0
            #expect(server.waitForRequests(1))
            for _ in 0..<50 {
                most = max(most, names(in: "/proc/\(process)/task").count)
                usleep(1000)
            }
            mayEnd.withLock { $0 = true }
            var status: Int32 = -1
            var ended: pid_t = 0
            for _ in 0..<5000 where ended == 0 {
                ended = waitpid(process, &status, WNOHANG)
                if ended == 0 {
                    most = max(most, names(in: "/proc/\(process)/task").count)
                    usleep(1000)
                }
            }
            if ended == 0 {
                kill(process, SIGKILL)
                waitpid(process, &status, 0)
            }
            #expect(status == 0)
            #expect(most == Self.ownThreads)
        }

        private static func spawn(_ words: [String]) throws -> pid_t {
            var process: pid_t = 0
            let arguments = words.map { strdup($0) }
            defer { for argument in arguments { free(argument) } }
            let code = posix_spawn(&process, words[0], nil, nil, arguments + [nil], environ)
            guard code == 0 else { throw SystemError(call: "posix_spawn", errno: code) }
            return process
        }
    }
}
