import Glibc
import NetworkProbes
import Replay
import System
import Testing
import Transport

extension Loopback {
    @Suite("Splicing")
    struct SplicingTests {
        /// Splices until `count` octets are moved or the stream ends; what was refused is written.
        @NetworkActor
        private static func splice(
            _ stream: TCPStream, to file: Int32, at offset: Int64? = nil, count: Int = .max,
            idle: Duration = .seconds(5), expectsBulk: Bool = false
        ) async throws -> (moved: Int, refused: Int) {
            var moved = 0
            var refused = 0
            while moved + refused < count {
                if expectsBulk { stream.expectBulk(UInt64(count - moved)) }
                switch try await stream.splice(
                    to: file, at: offset.map { $0 + Int64(moved) }, atMost: UInt64(count - moved - refused),
                    until: Deadline(.idle, in: idle))
                {
                case .moved(let octets):
                    #expect(octets > 0)
                    moved += octets
                case .endOfStream: return (moved, refused)
                case .refused(let octets, let leftover):
                    moved += octets
                    refused += leftover.count
                    try File.write(leftover.span, to: file)
                    if leftover.isEmpty { return (moved, refused) }
                }
            }
            return (moved, refused)
        }

        @Test(arguments: [0, 1, 4095, 65_537, 3_000_001])
        func movesAllUntilTheEnd(count: Int) async throws {
            let server = try serve([.send(Pattern.octets(count))])
            let folder = TemporaryFolder()
            try await onLoop {
                let file = try folder.open("a")
                let stream = try await connect(server)
                defer { stream.close() }
                let result = try await Self.splice(stream, to: file.rawValue)
                #expect(result == (count, 0))
            }
            #expect(Pattern.matches(try folder.contents(of: "a")))
            #expect(try folder.contents(of: "a").count == count)
        }

        @Test func writesAtAnOffset() async throws {
            let server = try serve([.send(Pattern.octets(100_000)), .stall])
            let folder = TemporaryFolder()
            try await onLoop {
                let file = try folder.open("a")
                try File.write([1, 2, 3].span, to: file.rawValue)
                let stream = try await connect(server)
                defer { stream.close() }
                let result = try await Self.splice(stream, to: file.rawValue, at: 3, count: 100_000)
                #expect(result.moved == 100_000)
            }
            #expect(try folder.contents(of: "a") == [1, 2, 3] + Pattern.octets(100_000))
        }

        /// Many small segments fill the pipe's places long before its octets.
        @Test(arguments: [false, true])
        func takesContentInSmallSegments(expectsBulk: Bool) async throws {
            let flag = Flag()
            let count = 60_000
            let server = try serve([
                .expectHead, .pieces(of: 100), .send(Pattern.octets(count)), flag.step,
                .stall,
            ])
            let folder = TemporaryFolder()
            try await onLoop {
                let file = try folder.open("a")
                let stream = try await connect(server)
                defer { stream.close() }
                _ = try await stream.send(someHead, from: 0, until: .never)
                _ = await eventually(within: .milliseconds(500)) { flag.isSet }
                let result = try await Self.splice(
                    stream, to: file.rawValue, count: count, idle: .seconds(1), expectsBulk: expectsBulk)
                #expect(result.moved == count)
            }
            #expect(Pattern.matches(try folder.contents(of: "a")))
        }

        @Test func aResetIsAFailureToReceive() async throws {
            let server = try serve([.expectHead, .reset])
            let folder = TemporaryFolder()
            let failure = SystemError(call: "splice", errno: ECONNRESET)
            await #expect(throws: TransportError(.receiveFailed(failure))) {
                try await onLoop {
                    let file = try folder.open("a")
                    let stream = try await connect(server)
                    defer { stream.close() }
                    _ = try await stream.send(someHead, from: 0, until: .never)
                    _ = try await Self.splice(stream, to: file.rawValue)
                }
            }
        }

        @Test func silenceTimesOut() async throws {
            let server = try serve([.stall])
            await #expect(throws: TransportError(.timedOut(.idle, after: .milliseconds(40)))) {
                try await onLoop {
                    let stream = try await connect(server)
                    defer { stream.close() }
                    _ = try await Self.splice(stream, to: 1, idle: .milliseconds(40))
                }
            }
        }

        // MARK: Targets that refuse

        @Test func aFileOpenedForAppendingGetsItByHand() async throws {
            let server = try serve([.send(Pattern.octets(300_000))])
            let folder = TemporaryFolder()
            try await onLoop {
                let file = try folder.open("a", flags: O_WRONLY | O_CREAT | O_APPEND)
                let stream = try await connect(server)
                defer { stream.close() }
                let result = try await Self.splice(stream, to: file.rawValue)
                #expect(result == (0, 300_000))
            }
            #expect(Pattern.matches(try folder.contents(of: "a")))
        }

        @Test func aPipeThatIsFullRefuses() async throws {
            let server = try serve([.send(Pattern.octets(8_000_000)), .stall])
            try await onLoop {
                var ends: [Int32] = [-1, -1]
                #expect(pipe(&ends) == 0)
                let reading = FileDescriptor(owning: ends[0])
                let writing = FileDescriptor(owning: ends[1])
                #expect(reading.rawValue != writing.rawValue)
                let stream = try await connect(server)
                defer { stream.close() }
                var octets = 0
                while true {
                    let result = try await stream.splice(
                        to: writing.rawValue, at: nil, atMost: 8_000_000,
                        until: Deadline(.idle, in: .seconds(5)))
                    if case .moved(let count) = result {
                        octets += count
                        continue
                    }
                    guard case .refused(let moved, let leftover) = result else {
                        Issue.record("\(result)")
                        break
                    }
                    let taken = Pattern.octets(octets + moved + leftover.count).dropFirst(octets + moved)
                    #expect(leftover == Array(taken) && !leftover.isEmpty)
                    break
                }
            }
        }

        @Test func aBadTargetFailsAndSpoilsNoOtherTransfer() async throws {
            let server = try serve([.send(Pattern.octets(300_000))])
            let folder = TemporaryFolder()
            let failure = SystemError(call: "splice", errno: EBADF)
            await #expect(throws: TransportError(.targetFailed(failure))) {
                try await onLoop {
                    let stream = try await connect(server)
                    defer { stream.close() }
                    _ = try await Self.splice(stream, to: -1)
                }
            }
            try await onLoop {
                let file = try folder.open("a")
                let stream = try await connect(server)
                defer { stream.close() }
                _ = try await Self.splice(stream, to: file.rawValue)
            }
            #expect(Pattern.matches(try folder.contents(of: "a")))
            #expect(try folder.contents(of: "a").count == 300_000)
        }

        @Test func aFullDiskIsToldOrLeftToTheSink() async throws {
            let server = try serve([.send(Pattern.octets(300_000))])
            let full = SystemError(call: "splice", errno: ENOSPC)
            let written = SystemError(call: "write", errno: ENOSPC)
            await #expect {
                try await onLoop {
                    let file = try File.open("/dev/full", in: File.workingDirectory, flags: O_WRONLY)
                    let stream = try await connect(server)
                    defer { stream.close() }
                    _ = try await Self.splice(stream, to: file.rawValue)
                }
            } throws: { error in
                (error as? TransportError) == TransportError(.targetFailed(full))
                    || (error as? SystemError) == written
            }
        }
    }
}
