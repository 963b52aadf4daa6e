import Glibc
import HTTPClient
import HTTPMessage
import NetworkProbes
import Replay
import System
import Testing
import Transport

extension Loopback {
    @Suite("Content past the process")
    struct SplicedSinkTests {
        private static let count = 1_500_001

        /// Fetches into a file, spliced where `splices`; answers with the sink's counts.
        private func fetch(
            _ server: ReplayServer, _ folder: TemporaryFolder, splices: Bool, flags: Int32 = O_RDWR | O_CREAT
        ) async throws -> (written: Int, spliced: Int, report: TransferReport) {
            try await onLoop {
                let file = try folder.open(splices ? "spliced" : "copied", flags: flags)
                let number = file.rawValue
                let sink = WritingSink(number, splices: splices)
                let report = try await client().transfer(try server.request(), into: sink).run()
                return (sink.written, sink.spliced, report)
            }
        }

        @NetworkActor
        private final class WritingSink: ContentSink {
            private let descriptor: Int32
            private let splices: Bool
            private(set) var written = 0
            private(set) var spliced = 0

            init(_ descriptor: Int32, splices: Bool) {
                self.descriptor = descriptor
                self.splices = splices
            }

            func begin(_ response: HTTPResponse, length: UInt64?) {}

            func write(_ content: Span<UInt8>) throws(TransferError) -> SinkDemand {
                written += content.count
                do throws(SystemError) { try File.write(content, to: descriptor) } catch {
                    throw TransferError(.writeFailed, during: .store, "\(error)", errno: error.errno)
                }
                return .more
            }

            var spliceTarget: SpliceTarget? { splices ? SpliceTarget(descriptor: descriptor) : nil }

            func didSplice(_ count: Int) { spliced += count }
        }

        @Test(
            "a copied and a spliced file are the same, however the content is cut",
            arguments: [Int.max, 65_536, 4099, 977], ["Content-Length: 1500001\r\n", ""])
        func same(pieces: Int, length: String) async throws {
            let server = try serve([
                .expectHead, .pieces(of: pieces), .send("HTTP/1.1 200 OK\r\n\(length)\r\n"),
                .send(Pattern.octets(Self.count)), length.isEmpty ? .close : .stall,
            ])
            let folder = TemporaryFolder()
            for splices in [true, false] {
                let result = try await fetch(server, folder, splices: splices)
                #expect(result.written + result.spliced == Self.count)
                #expect((result.spliced > 0) == splices)
                #expect(result.report.contentOctets == UInt64(Self.count))
            }
            let spliced = try folder.contents(of: "spliced")
            #expect(spliced == Pattern.octets(Self.count))
            #expect(try folder.contents(of: "copied") == spliced)
        }

        @Test func chunkedContentIsCopied() async throws {
            let server = try serve([
                .expectHead, .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
                .sendRepeated(Array("5\r\nhello\r\n".utf8), times: 1000), .send("0\r\n\r\n"), .stall,
            ])
            let folder = TemporaryFolder()
            let result = try await fetch(server, folder, splices: true)
            #expect(result.spliced == 0 && result.written == 5000)
        }

        @Test func aFileOpenedForAppendingIsCopied() async throws {
            let server = try serve([
                .expectHead, .send("HTTP/1.1 200 OK\r\nContent-Length: \(Self.count)\r\n\r\n"),
                .send(Pattern.octets(Self.count)), .stall,
            ])
            let folder = TemporaryFolder()
            let result = try await fetch(
                server, folder, splices: true, flags: O_WRONLY | O_CREAT | O_APPEND)
            #expect(result.spliced == 0 && result.written == Self.count)
            #expect(Pattern.matches(try folder.contents(of: "spliced")))
        }

        private func cutServer(_ ending: Script.Step) throws -> ReplayServer {
            try serve([
                .expectHead, .send("HTTP/1.1 200 OK\r\nContent-Length: \(Self.count)\r\n\r\n"),
                .send(Pattern.octets(700_000)), .pause(.milliseconds(60)), ending,
            ])
        }

        @Test(
            "a cut is told as on the copying path",
            arguments: [(true, "content ended 800001 octets short of 1500001"), (false, "Connection reset")])
        func cut(closes: Bool, words: String) async throws {
            let server = try cutServer(closes ? .close : .reset)
            let folder = TemporaryFolder()
            await #expect {
                _ = try await fetch(server, folder, splices: true)
            } throws: { error in
                guard let error = error as? TransferError else { return false }
                return error.code == (closes ? .incompleteContent : .receiveFailed)
                    && error.detail.contains(words)
            }
            #expect(try folder.contents(of: "spliced") == Pattern.octets(700_000))
            #expect(openSockets(to: server.port) == 0)
        }

        @Test func aFullDiskIsAFailureToWrite() async throws {
            let server = try cutServer(.stall)
            await #expect {
                try await onLoop {
                    let full = try File.open("/dev/full", in: File.workingDirectory, flags: O_WRONLY)
                    let sink = WritingSink(full.rawValue, splices: true)
                    _ = try await client().transfer(try server.request(), into: sink).run()
                }
            } throws: { error in
                (error as? TransferError)?.code == .writeFailed && (error as? TransferError)?.errno == ENOSPC
            }
            #expect(openSockets(to: server.port) == 0)
        }

        @Test func theNextRequestUsesTheConnection() async throws {
            let server = try serve { _ in
                [
                    .send("HTTP/1.1 200 OK\r\nContent-Length: \(Self.count)\r\n\r\n"),
                    .send(Pattern.octets(Self.count)),
                ]
            }
            let folder = TemporaryFolder()
            try await onLoop {
                let client = client()
                let file = try folder.open("a")
                for number in 0..<3 {
                    let offset = Int64(number * Self.count)
                    let moving = MovingSink(file.rawValue, offset)
                    let report = try await client.transfer(try server.request(), into: moving).run()
                    #expect(report.connection == 1)
                }
                // What was left of the last content's readiness is no answer to this one's.
                let content = [UInt8](repeating: 1, count: 8 << 20)
                let request = try server.request(.post, content: content)
                _ = try await client.transfer(request, into: TestSink(keepsContent: false)).run()
            }
            let whole = try folder.contents(of: "a")
            for number in 0..<3 {
                let part = Array(whole[number * Self.count..<(number + 1) * Self.count])
                #expect(Pattern.matches(part))
            }
        }

        /// Writes at an offset that moves along.
        @NetworkActor
        private final class MovingSink: ContentSink {
            private let descriptor: Int32
            private var offset: Int64
            init(_ descriptor: Int32, _ offset: Int64) {
                self.descriptor = descriptor
                self.offset = offset
            }
            func begin(_ response: HTTPResponse, length: UInt64?) {}
            func write(_ content: Span<UInt8>) -> SinkDemand {
                var octets: [UInt8] = []
                content.withUnsafeBufferPointer { octets.append(contentsOf: $0) }
                offset += Int64(pwrite(descriptor, octets, octets.count, Int(offset)))
                return .more
            }
            var spliceTarget: SpliceTarget? { SpliceTarget(descriptor: descriptor, offset: offset) }
            func didSplice(_ count: Int) { offset += Int64(count) }
        }
    }
}
