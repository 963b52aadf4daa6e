import HTTPMessage
import HTTPWire
import NetworkProbes
import Replay
import Testing
import Transport

@testable import HTTPClient

/// Octets that gzip(1) and zlib's own tools made.
enum Coded {
    /// `printf hello | gzip -n`.
    static let hello: [UInt8] = [
        0x1F, 0x8B, 0x08, 0, 0, 0, 0, 0, 0, 0x03, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x86, 0xA6, 0x10,
        0x36,
        0x05, 0, 0, 0,
    ]
    /// `printf ' world' | gzip -n`.
    static let world: [UInt8] = [
        0x1F, 0x8B, 0x08, 0, 0, 0, 0, 0, 0, 0x03, 0x53, 0x28, 0xCF, 0x2F, 0xCA, 0x49, 0x01, 0x00, 0xCB, 0x42,
        0x3B,
        0x4A, 0x06, 0, 0, 0,
    ]
    /// "hello" as RFC 1950 has it.
    static let zlib: [UInt8] = [
        0x78, 0x9C, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x06, 0x2C, 0x02, 0x15,
    ]
    /// "hello" as RFC 1951 has it.
    static let bare: [UInt8] = [0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]

    /// A gzip member of stored blocks (RFC 1951, section 3.2.4), written without a compressor: it decodes to
    /// `content`, but its check is only right for the empty one.
    static func stored(_ content: [UInt8], checksum: [UInt8]) -> [UInt8] {
        let length = [UInt8(content.count & 0xFF), UInt8(content.count >> 8)]
        return [0x1F, 0x8B, 0x08, 0, 0, 0, 0, 0, 0, 0xFF, 0x01] + length + length.map { ~$0 } + content
            + checksum
            + length + [0, 0]
    }
}

@Suite("Content codings are undone (RFC 9110, section 8.4)")
struct ContentCodingTests {
    /// What decoding in pieces of `size` gives.
    private func decode(
        _ octets: [UInt8], _ codings: [ContentCoding], inPieces size: Int = .max,
        limits: DecodingLimits = DecodingLimits()
    ) throws(TransferError) -> [UInt8] {
        let decoder = try ContentDecoder(codings, limits: limits)
        var content: [UInt8] = []
        var offset = 0
        while offset < octets.count {
            let end = offset + min(size, octets.count - offset)
            decoder.give(Array(octets[offset..<end]).span)
            takeAll: while true {
                switch try decoder.next({ (piece) throws(TransferError) in content.append(copying: piece) }) {
                case .needsInput: break takeAll
                case .working, .decoded: continue
                }
            }
            offset = end
        }
        try decoder.end()
        return content
    }

    @Test(
        "whatever the pieces",
        arguments: [
            (Coded.hello, [.gzip], "hello"), (Coded.hello + Coded.world, [.gzip], "hello world"),
            (Coded.hello + [0, 0, 0], [.gzip], "hello"), (Coded.zlib, [.deflate], "hello"),
            (Coded.bare, [.deflate], "hello"), ([], [.gzip], ""), ([], [.deflate, .gzip], ""),
            (Coded.stored([], checksum: [0, 0, 0, 0]), [.gzip], ""),
            (
                Coded.stored([], checksum: [0, 0, 0, 0]) + Coded.hello
                    + Coded.stored([], checksum: [0, 0, 0, 0]), [.gzip],
                "hello"
            ),
        ] as [([UInt8], [ContentCoding], String)])
    func decodes(_ octets: [UInt8], _ codings: [ContentCoding], _ text: String) throws {
        for size in 1...max(1, octets.count) {
            #expect(try decode(octets, codings, inPieces: size) == Array(text.utf8), "pieces of \(size)")
        }
    }

    @Test("one upon another, the last first")
    func chained() throws {
        let zlibInside: [UInt8] =
            [0x78, 0x01, 0x01, 25, 0, 0xE6, 0xFF] + Coded.hello + adler(of: Coded.hello)
        for size in 1...zlibInside.count {
            #expect(try decode(zlibInside, [.gzip, .deflate], inPieces: size) == Array("hello".utf8))
        }
    }

    /// Adler-32 (RFC 1950, section 8.2), high octet first.
    private func adler(of octets: [UInt8]) -> [UInt8] {
        var (a, b) = (1, 0)
        for octet in octets {
            a = (a + Int(octet)) % 65521
            b = (b + a) % 65521
        }
        return [UInt8(b >> 8), UInt8(b & 0xFF), UInt8(a >> 8), UInt8(a & 0xFF)]
    }

    @Test(
        "what is no such coding is refused",
        arguments: [
            (Array("<html>plain".utf8), [.gzip], "incorrect header check"),
            (Coded.hello + Array("junk".utf8), [.gzip], "octets that have no coding follow"),
            (Coded.hello + [0, 0, 1], [.gzip], "octets that have no coding follow"),
            (Coded.zlib + [0], [.deflate], "octets that have no coding follow"),
            (Array(Coded.hello.dropLast()), [.gzip], "its coding ends early"),
            (Array(Coded.hello.prefix(4)), [.gzip], "its coding ends early"),
            (Array(Coded.zlib.prefix(1)), [.deflate], "its coding ends early"),
            (Array(Coded.bare.dropLast()), [.deflate], "its coding ends early"),
            (Coded.hello + Coded.world.dropLast(), [.gzip], "its coding ends early"),
            (Coded.stored([1], checksum: [1, 2, 3, 4]), [.gzip], "incorrect data check"),
            ([0x78, 0xBB, 1, 2, 3, 4, 5, 6], [.deflate], "a preset dictionary is needed"),
            (Array("\u{7}\u{7}\u{7}".utf8), [.deflate], "invalid block type"),
        ] as [([UInt8], [ContentCoding], String)])
    func refuses(_ octets: [UInt8], _ codings: [ContentCoding], _ words: String) throws {
        for size in 1...octets.count {
            let error = #expect(throws: TransferError.self) { try decode(octets, codings, inPieces: size) }
            #expect(error?.code == .badContentCoding)
            #expect(error?.detail.contains(words) == true, "pieces of \(size): \(error?.detail ?? "")")
        }
    }

    @Test("expansion has a limit, which holds for what is past the octets always allowed")
    func expansion() throws {
        var limits = DecodingLimits()
        limits.unlimitedOctets = 4
        limits.maximumExpansion = 1
        #expect(try decode(Coded.hello, [.gzip], limits: limits) == Array("hello".utf8))
        limits.maximumExpansion = 0
        let error = #expect(throws: TransferError.self) { try decode(Coded.hello, [.gzip], limits: limits) }
        #expect(error?.detail.contains("expands beyond") == true)
        limits.unlimitedOctets = 5
        #expect(try decode(Coded.hello, [.gzip], limits: limits) == Array("hello".utf8))
        #expect(!DecodingLimits().forbids(64 << 20, outOf: 1))
        #expect(DecodingLimits().forbids(64 << 20 + 1, outOf: 1))
        #expect(!DecodingLimits().forbids(.max, outOf: .max))
    }

    @Test("what a coding swallows without a trace is limited too, and no call does much of it")
    func swallowed() throws {
        // Outside: one stored block after another, each a portion of zeros; inside: gzip, for which they are padding.
        let decoder = try ContentDecoder([.gzip, .deflate], limits: DecodingLimits())
        decoder.give(([0x78, 0x01, 0x00, 25, 0, 0xE6, 0xFF] + Coded.hello).span)
        let block: [UInt8] = [0x00, 0xFF, 0xFF, 0x00, 0x00] + [UInt8](repeating: 0, count: 0xFFFF)
        var (calls, text) = (0, [UInt8]())
        _ = try decoder.next { (piece) throws(TransferError) in text.append(copying: piece) }
        #expect(text == Array("hello".utf8))
        for _ in 0..<40 {
            while case .working = try decoder.next({ (_) throws(TransferError) in }) { calls += 1 }
            decoder.give(Array(block).span)
        }
        #expect(calls < 40)
        var limits = DecodingLimits()
        limits.unlimitedOctets = 1 << 20
        limits.maximumExpansion = 0
        let limited = try ContentDecoder([.gzip, .deflate], limits: limits)
        limited.give(([0x78, 0x01, 0x00, 25, 0, 0xE6, 0xFF] + Coded.hello).span)
        let error = #expect(throws: TransferError.self) {
            for _ in 0..<40 {
                while true {
                    guard case .needsInput = try limited.next({ (_) throws(TransferError) in }) else {
                        continue
                    }
                    break
                }
                limited.give(Array(block).span)
            }
        }
        #expect(error?.detail.contains("expands beyond") == true)
    }

    @Test("what was decoded before a fault is handed out")
    func beforeAFault() throws {
        let decoder = try ContentDecoder([.gzip], limits: DecodingLimits())
        decoder.give((Coded.hello + Array("junk".utf8)).span)
        var text: [UInt8] = []
        _ = try decoder.next { (piece) throws(TransferError) in text.append(copying: piece) }
        #expect(text == Array("hello".utf8))
        let error = #expect(throws: TransferError.self) {
            _ = try decoder.next { (_) throws(TransferError) in }
        }
        #expect(error?.detail.contains("after 5 decoded octets") == true)
    }

    @Test(
        "the field names codings in any case of letters",
        arguments: [
            (["gzip"], [.gzip]), (["X-GZip"], [.gzip]), (["deflate, gzip"], [.deflate, .gzip]),
            (["deflate", "gzip"], [.deflate, .gzip]), (["identity"], []), ([" , gzip,"], [.gzip]), ([], []),
        ] as [([String], [ContentCoding])])
    func field(_ values: [String], _ codings: [ContentCoding]) throws {
        var fields = HTTPFields()
        for value in values { fields.append(.contentEncoding, value) }
        #expect(try ContentCoding.codings(in: fields, atMost: 5) == codings)
    }

    @Test("a coding that is not known, and one too many, is refused")
    func unknown() throws {
        for (value, words) in [
            ("br", "\"br\", which is not known"), ("gzip, zstd", "\"zstd\""),
            ("gzip,gzip,gzip,gzip,gzip,gzip", "more than the 5 codings"),
        ] {
            var fields = HTTPFields()
            fields.append(.contentEncoding, value)
            let error = #expect(throws: TransferError.self) {
                try ContentCoding.codings(in: fields, atMost: 5)
            }
            #expect(error?.code == .badContentCoding)
            #expect(error?.detail.contains(words) == true)
        }
    }
}

extension Loopback {
    @Suite("Content codings over the wire (RFC 9110, section 8.4)")
    struct CodedContentTests {
        private var decoded: TransferOptions {
            var options = TransferOptions()
            options.contentForm = .decoded
            return options
        }

        private func coded(_ octets: [UInt8], _ fields: String = "Content-Encoding: gzip") -> [Script.Step] {
            [.send("HTTP/1.1 200 OK\r\n\(fields)\r\nContent-Length: \(octets.count)\r\n\r\n"), .send(octets)]
        }

        @Test("are offered, undone, and counted as they came")
        func decodes() async throws {
            let server = try serve { [self] _ in coded(Coded.hello) }
            let client = client()
            for _ in 0..<2 {
                let outcome = try await client.outcome(of: server.request(), options: decoded)
                #expect(outcome.text == "hello" && outcome.error == nil && outcome.hasEnded)
                #expect(outcome.report?.contentOctets == 25)
            }
            #expect(
                server.requests.map { $0.value(of: "Accept-Encoding") } == ["gzip, deflate", "gzip, deflate"])
            #expect(server.connectionCount == 1)
        }

        @Test("a request's own Accept-Encoding is left alone")
        func ownOffer() async throws {
            let server = try serve { [self] _ in coded(Coded.hello) }
            var fields = HTTPFields()
            fields.append(.acceptEncoding, "gzip;q=0.5")
            let outcome = try await client().outcome(of: server.request(fields: fields), options: decoded)
            #expect(outcome.text == "hello")
            #expect(server.requests.first?.values(of: "Accept-Encoding") == ["gzip;q=0.5"])
        }

        @Test("nobody asked: the octets come as they are, and nothing is offered")
        func asSent() async throws {
            let server = try serve { [self] _ in coded(Coded.hello) }
            let outcome = try await client().outcome(of: server.request())
            #expect(outcome.content == Coded.hello)
            #expect(server.requests.first?.value(of: "Accept-Encoding") == nil)
        }

        @Test("a coding that ends early fails although the length is right; the connection is not kept")
        func truncated() async throws {
            let server = try serve { [self] _ in coded(Array(Coded.hello.dropLast())) }
            let client = client()
            let outcome = try await client.outcome(of: server.request(), options: decoded)
            #expect(outcome.code == .badContentCoding && !outcome.hasEnded)
            #expect(await client.idleConnectionCount == 0)
        }

        @Test("a sink that pauses gets the rest of a portion after it resumed, in order")
        func pausing() async throws {
            // Stored blocks (RFC 1951, section 3.2.4) of 2.4 MB, some forty portions.
            let content = [UInt8](repeating: 0x61, count: 60_000)
            var stream: [UInt8] = [0x78, 0x01]
            for index in 0..<40 {
                let length: [UInt8] = [UInt8(60_000 & 0xFF), UInt8(60_000 >> 8)]
                stream += [index == 39 ? 1 : 0] + length + length.map { ~$0 } + content
            }
            let (a, b) = (0..<40 * 60_000).reduce((1, 0)) { sum, _ in
                let a = (sum.0 + 0x61) % 65521
                return (a, (sum.1 + a) % 65521)
            }
            stream += [UInt8(b >> 8), UInt8(b & 0xFF), UInt8(a >> 8), UInt8(a & 0xFF)]
            let server = try serve { [self, stream] _ in coded(stream, "Content-Encoding: deflate") }
            let request = try server.request()
            let options = decoded
            let count = try await onLoop(within: .seconds(10)) {
                let sink = TestSink(keepsContent: false)
                let transfer = client().transfer(request, into: sink, options: options)
                sink.demand = { _ in
                    Task(executorPreference: NetworkActor.loop) { await transfer.resume() }
                    return .pause
                }
                _ = try? await transfer.run()
                return sink.count
            }
            #expect(count == 40 * 60_000)
        }

        @Test("a limit of the content's length holds for what is decoded, too")
        func limited() async throws {
            let server = try serve { [self] _ in coded(Coded.zlib, "Content-Encoding: deflate") }
            var options = decoded
            options.maximumContentLength = 13
            #expect(try await client().outcome(of: server.request(), options: options).text == "hello")
            options.maximumContentLength = 12
            #expect(try await client().outcome(of: server.request(), options: options).code == .tooLarge)
        }

        @Test("a part of coded content is not decoded")
        func part() async throws {
            let server = try serve { _ in
                [
                    .send(
                        "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-24/25\r\nContent-Encoding: gzip\r\nContent-Length: 25\r\n\r\n"
                    ), .send(Coded.hello),
                ]
            }
            #expect(
                try await client().outcome(of: server.request(), options: decoded).code == .badContentCoding)
        }

        @Test("HEAD, 204 and empty content have nothing to decode")
        func nothing() async throws {
            let server = try serve { request in
                request.target == "/204"
                    ? [.send("HTTP/1.1 204 No Content\r\nContent-Encoding: gzip\r\n\r\n")]
                    : [.send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 0\r\n\r\n")]
            }
            for (method, path) in [(HTTPMethod.head, "/"), (.get, "/204"), (.get, "/")] {
                let outcome = try await client().outcome(of: server.request(method, path), options: decoded)
                #expect(outcome.error == nil && outcome.content.isEmpty)
            }
        }

        @Test("raw is the body as it stands on the wire (RFC 9112, section 6), and the connection is kept")
        func raw() async throws {
            let body = "5;a=b\r\nhello\r\n0\r\nT: v\r\n\r\n"
            let server = try serve { _ in
                [.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n\(body)")]
            }
            var options = TransferOptions()
            options.contentForm = .raw
            let client = client()
            for _ in 0..<2 {
                let outcome = try await client.outcome(of: server.request(), options: options)
                #expect(outcome.text == body && outcome.hasEnded)
            }
            #expect(server.connectionCount == 1)
        }

        @Test("a length that is not to be looked at leaves the end to the connection")
        func ignoredLength() async throws {
            let server = try serve([
                .expectHead, .send("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nhello"), .close,
            ])
            let client = client { $0.leniency.ignoresContentLength = true }
            #expect(try await client.outcome(of: server.request()).text == "hello")
        }
    }
}
