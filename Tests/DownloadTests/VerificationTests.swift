import Download
import HTTPClient
import HTTPMessage
import Replay
import System
import TestSupport
import Testing

@Suite("Digests of content that does not pass through memory at once (RFC 9530)")
struct VerificationTests {
    /// The member of a digest field for these octets.
    private static func digest(_ octets: [UInt8]) throws -> String {
        let value = try MessageDigest.digest(of: octets.span, by: .sha256)
        return "sha-256=:\(Base64.encoded(value.span)):"
    }

    /// The large content with a digest of the whole, which is `isRight` or not.
    private static func resource(isRight: Bool = true) throws -> Resource {
        var resource = Resource(content: large)
        resource.fields.append("Repr-Digest: \(try digest(isRight ? large : Array("other".utf8)))")
        return resource
    }

    private func get(_ rig: Rig, adjust: @Sendable (inout DownloadPlan) -> Void = { _ in }) async throws
        -> Rig.Outcome
    {
        try await rig.download(to: .path("f")) {
            $0.resumption = .automatic
            $0.checksDigests = true
            adjust(&$0)
        }
    }

    @Test("large content has the digest that it should have, or no name", arguments: [true, false])
    func inOneGo(isRight: Bool) async throws {
        let resource = try Self.resource(isRight: isRight)
        let rig = try Rig { resource.answer($0) }
        switch try await get(rig) {
        case .success:
            #expect(isRight)
            #expect(rig.folder.names == ["f"])
        case .failure(let error):
            #expect(!isRight && error.code == .digestMismatch)
            #expect(rig.folder.names == [".f.rawget", "f.part"])
            // The next one begins anew, in the same part.
            _ = try await get(rig)
            #expect(rig.ranges == [nil, nil])
            #expect(rig.folder.names == [".f.rawget", "f.part"])
        }
    }

    @Test("what an earlier process left is read again", arguments: [true, false])
    func resumed(isRight: Bool) async throws {
        let resource = try Self.resource()
        let rig = try Rig { request in
            request.connection == 0 ? resource.cut(request, behind: 2_000_000) : resource.answer(request)
        }
        _ = try await get(rig)
        let folder = rig.folder
        if !isRight {
            // An octet falls over on the disk.
            var octets = try #require(folder.octets(of: "f.part"))
            octets[1_000_000] ^= 1
            folder.write(octets, to: "f.part")
        }
        switch try await get(rig) {
        case .success(let result):
            #expect(isRight && result.resumedAt == 2_000_000)
            #expect(folder.octets(of: "f") == large)
        case .failure(let error):
            #expect(!isRight && error.code == .digestMismatch)
            #expect(folder.names == [".f.rawget", "f.part"])
        }
    }

    @Test("pieces make one digest together")
    func pieces() async throws {
        let resource = try Self.resource()
        let rig = try Rig { resource.answer($0) }
        let result = try await get(rig) { $0.pieceSize = 700_000 }.get()
        #expect(result.path == "f" && rig.ranges.count == 5)
        #expect(rig.folder.octets(of: "f") == large)
    }

    @Test("a retry that was asked for begins anew where a digest was wrong")
    func retried() async throws {
        let (wrong, right) = (try Self.resource(isRight: false), try Self.resource())
        let rig = try Rig { request in
            request.connection == 0 ? wrong.answer(request) + [.close] : right.answer(request)
        }
        let result = try await get(rig) {
            $0.retries = RetryPolicy(.all, maximumRetries: 1)
            $0.retries.delay = .milliseconds(1)
        }.get()
        #expect(result.retries == 1 && result.resumedAt == nil)
        #expect(rig.ranges == [nil, nil])
        #expect(rig.folder.octets(of: "f") == large)
        #expect(rig.folder.names == ["f"])
    }

    @Test("a checksum is of the file as it is saved: also of a part of a representation")
    func part() async throws {
        let resource = try Self.resource()
        let rig = try Rig { resource.answer($0) }
        let wanted = Array(large[100..<300_100])
        let digits = try MessageDigest.digest(of: wanted.span, by: .md5).map {
            ($0 < 16 ? "0" : "") + String($0, radix: 16)
        }
        let checksum = try Checksum(parsing: "md5:" + digits.joined())
        let result = try await get(rig) {
            $0.request.fields.append(.range, "bytes=100-300099")
            $0.checksum = checksum
        }.get()
        #expect(result.path == "f" && rig.folder.octets(of: "f") == wanted)
    }
}
