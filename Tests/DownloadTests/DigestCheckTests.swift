import HTTPClient
import HTTPMessage
import System
import Testing

@testable import Download

@Suite("Digests of what is received (RFC 9530)")
struct DigestCheckTests {
    private static let object = "{\"hello\": \"world\"}\n"
    private static let objectDigest = "RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg="
    private static let objectSHA512 =
        "YMAam51Jz/jOATT6/zvHrLVgOYTGFy1d6GJiOHTohq4yP+pgk4vf2aCsyRZOtw8MjkM7iw7yZ/WkppmM44T3qg=="
    private static let partDigest = "jjcgBDWNAtbYUXI37CVG3gRuGOAjaaDRGpIUFsdyepQ="
    private static let emptyDigest = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="

    private func response(_ fields: HTTPFields, status: HTTPStatus = .ok) -> HTTPResponse {
        HTTPResponse(status: status, fields: fields)
    }

    /// What was verified of `content` by what the head says.
    @discardableResult
    private func check(
        _ content: String, by response: HTTPResponse, isWhole: Bool = true
    ) throws(TransferError) -> [String] {
        try check(Array(content.utf8), by: response, isWhole: isWhole)
    }

    private func check(
        _ content: [UInt8], by response: HTTPResponse, isWhole: Bool = true
    ) throws(TransferError) -> [String] {
        let check = try DigestCheck(DigestExpectation.expectations(of: response, isWhole: isWhole))
        check.update(content.span)
        try check.check()
        return check.verified.map(\.description)
    }

    // MARK: The RFC's examples

    @Test("B.1: the whole representation, two fields alike")
    func fullRepresentation() throws {
        let response = response([
            "Content-Digest": "sha-256=:\(Self.objectDigest):",
            "Repr-Digest": "sha-256=:\(Self.objectDigest):",
        ])
        #expect(
            try check(Self.object, by: response) == ["sha-256 of Repr-Digest", "sha-256 of Content-Digest"])
    }

    @Test("B.2: of no content there is a digest too")
    func emptyContent() throws {
        let response = response(["Content-Digest": "sha-256=:\(Self.emptyDigest):"])
        #expect(try check("", by: response) == ["sha-256 of Content-Digest"])
    }

    @Test("B.3: of a part the content's digest is the part's, and the other one waits for the whole")
    func part() throws {
        let response = response(
            [
                "Content-Range": "bytes 10-18/19", "Content-Digest": "sha-256=:\(Self.partDigest):",
                "Repr-Digest": "sha-256=:\(Self.objectDigest):",
            ], status: .partialContent)
        let part = "\"world\"}\n"
        #expect(try check(part, by: response, isWhole: false) == ["sha-256 of Content-Digest"])

        // With the octets kept before it, each expectation has a check of its own.
        let all = DigestExpectation.expectations(of: response, isWhole: true)
        #expect(all.map(\.isOfContent) == [false, true])
        let content = try DigestCheck(all.filter(\.isOfContent))
        let whole = try DigestCheck(all.filter { !$0.isOfContent })
        whole.update("{\"hello\": ".utf8.span)
        for check in [content, whole] {
            check.update(part.utf8.span)
            try check.check()
        }
        #expect(content.verified.map(\.source) == [.contentDigest])
        #expect(whole.verified.map(\.source) == [.reprDigest])
    }

    @Test("B.4: of a coded representation the digest is of the coded octets")
    func codedRepresentation() throws {
        let response = response([
            "Content-Encoding": "br", "Repr-Digest": "sha-256=:d435Qo+nKZ+gLcUHn7GQtQ72hiBVAgqoLsZnZPiTGPk=:",
        ])
        // The digest printed there is of this form; the octets printed begin with 8B 08, another form of the same.
        let coded: [UInt8] = [0x0B, 0x09, 0x80] + Array(Self.object.utf8) + [0x03]
        #expect(try check(coded, by: response) == ["sha-256 of Repr-Digest"])
    }

    @Test("B.10: an error answer has a digest of its own")
    func errorAnswer() throws {
        let response = response(
            ["Repr-Digest": "sha-256=:EXB0S2VF2H7ijkAVJkH1Sm0pBho0iDZcvVUHHXTTZSA=:"], status: .notFound)
        let content = """
            {
              "title": "Not Found",
              "detail": "Cannot PATCH a non-existent resource",
              "status": 404
            }

            """
        #expect(try check(content, by: response) == ["sha-256 of Repr-Digest"])
    }

    @Test("B.11: a digest behind the content, padded as it is printed there")
    func trailer() throws {
        let response = response(["Transfer-Encoding": "chunked", "Trailer": "Repr-Digest"])
        let check = try DigestCheck([], announced: DigestCheck.announced(in: response))
        for piece in ["{\"hello\"", ": \"world", "\"}\n"] { check.update(piece.utf8.span) }
        try check.check()
        #expect(check.verified.isEmpty)
        let trailers: HTTPFields = ["Repr-Digest": "sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg==:"]
        try check.checkTrailers(trailers, of: response, isWhole: true)
        #expect(check.verified.map(\.description) == ["sha-256 of Repr-Digest"])
    }

    @Test(
        "D: the sample values",
        arguments: [
            (
                "sha-512",
                "WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm+AbwAgBWnrIiYllu7BNNyealdVLvRwEmTHWXvJwew=="
            ), ("sha-256", "X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE="),
            ("md5", "Sd/dVLAcvNLSq16eXua5uQ=="),
            ("sha", "07CavjDP4u3/TungoUHJO/Wzr4c="),
        ])
    func samples(key: String, value: String) throws {
        let response = response(["Repr-Digest": "\(key)=:\(value):"])
        #expect(try check("{\"hello\": \"world\"}", by: response).count == 1)
        #expect(throws: TransferError.self) { try check(Self.object, by: response) }
    }

    // MARK: Which digest counts

    private static let sha1 = "sha=:07CavjDP4u3/TungoUHJO/Wzr4c=:"
    private static let md5 = "md5=:Sd/dVLAcvNLSq16eXua5uQ==:"
    private static let sha256 = "sha-256=:\(objectDigest):"
    private static let sha512 = "sha-512=:\(objectSHA512):"
    private static let sha384 = "sha-384=:" + String(repeating: "AAAA", count: 16) + ":"

    @Test(
        "the strongest of a field counts, others are passed over",
        arguments: [
            ([md5, sha1, sha256, sha512], .sha512), ([sha512, sha256], .sha512), ([sha256, sha384], .sha384),
            ([md5, sha256], .sha256), ([md5, sha1], .sha1), ([md5], .md5),
            (["crc32c=:Q3lHIA==:", md5], .md5),
            (["crc32c=:Q3lHIA==:"], nil), (["new=1"], nil), ([], nil), (["sha-512=:AAAA:", sha256], .sha256),
            (["sha-256=1", sha512], nil), (["SHA-256=:AAAA:"], nil),
        ] as [([String], MessageDigest.Algorithm?)])
    func strongest(members: [String], algorithm: MessageDigest.Algorithm?) {
        for name in [FieldName.contentDigest, .reprDigest] {
            var fields = HTTPFields()
            for member in members { fields.append(name, member) }
            let expectations = DigestExpectation.expectations(of: response(fields), isWhole: true)
            #expect(expectations.map(\.algorithm) == (algorithm.map { [$0] } ?? []))
            #expect(expectations.allSatisfy { $0.source.rawValue == name.spelling })
        }
    }

    @Test("Content-MD5 counts with status 200 alone")
    func contentMD5() throws {
        let fields: HTTPFields = ["Content-MD5": "Sd/dVLAcvNLSq16eXua5uQ=="]
        #expect(try check("{\"hello\": \"world\"}", by: response(fields)) == ["md5 of Content-MD5"])
        for status in [HTTPStatus.partialContent, .notFound] {
            #expect(
                DigestExpectation.expectations(of: response(fields, status: status), isWhole: true).isEmpty)
        }
    }

    // MARK: What does not match

    @Test("a mismatch names both digests and who expected the other")
    func mismatch() throws {
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        let object = "44aff4ab2d7c3250525675a08f0cfa9591168cffe51791c5f5bbc417c15a6c38"
        for name in ["Repr-Digest", "Content-Digest"] {
            let response = response([try #require(FieldName(name)): Self.sha256])
            let error = #expect(throws: TransferError.self) { try check("abc", by: response) }
            #expect(error?.code == .digestMismatch && error?.phase == .content)
            #expect(error?.detail == "the content's sha-256 is \(abc), not \(object) as \(name) says")
        }
        let response = response(["Content-MD5": "Sd/dVLAcvNLSq16eXua5uQ=="])
        let error = #expect(throws: TransferError.self) { try check("abc", by: response) }
        #expect(
            error?.detail == "the content's md5 is 900150983cd24fb0d6963f7d28e17f72, "
                + "not 49dfdd54b01cbcd2d2ab5e9e5ee6b9b9 as Content-MD5 says")

        let asked = try DigestCheck([DigestExpectation(Checksum(parsing: "sha256:\(object)"))])
        asked.update("abc".utf8.span)
        let refusal = #expect(throws: TransferError.self) { try asked.check() }
        #expect(refusal?.detail == "the content's sha-256 is \(abc), not \(object) as was asked for")
        #expect(asked.verified.isEmpty)
    }

    @Test("an octet changed, added or left out is found", arguments: 0..<19)
    func changes(place: Int) throws {
        let response = response(["Repr-Digest": Self.sha256])
        let octets = Array(Self.object.utf8)
        var (changed, longer, shorter) = (octets, octets, octets)
        changed[place] ^= 1
        longer.insert(0, at: place)
        shorter.remove(at: place)
        for content in [changed, longer, shorter] {
            #expect(throws: TransferError.self) { try check(content, by: response) }
        }
    }

    @Test("one of several that does not match is enough, those before it are verified")
    func several() throws {
        let checksum = try Checksum(
            parsing: "sha-256:44aff4ab2d7c3250525675a08f0cfa9591168cffe51791c5f5bbc417c15a6c38")
        let response = response([
            "Content-Digest": "sha-512=:" + String(repeating: "A", count: 86) + "==:",
            "Repr-Digest": Self.sha256,
        ])
        let check = try DigestCheck(
            [DigestExpectation(checksum)] + DigestExpectation.expectations(of: response, isWhole: true))
        check.update(Self.object.utf8.span)
        let error = #expect(throws: TransferError.self) { try check.check() }
        #expect(error?.detail.hasSuffix("as Content-Digest says") == true)
        #expect(check.verified.map(\.source) == [.checksum, .reprDigest])
    }

    // MARK: Trailers

    @Test(
        "what a trailer section may ask for is computed from the start",
        arguments: [
            (["Repr-Digest"], [.sha256, .sha512]), (["x, content-digest"], [.sha256, .sha512]),
            (["Content-Digest", "Repr-Digest"], [.sha256, .sha512]), (["Content-MD5"], [.md5]),
            (["Content-MD5,Repr-Digest"], [.sha256, .sha512, .md5]), (["ETag"], []), ([], []),
        ] as [([String], [MessageDigest.Algorithm])])
    func announced(values: [String], algorithms: [MessageDigest.Algorithm]) {
        var fields = HTTPFields()
        for value in values { fields.append(.trailer, value) }
        #expect(DigestCheck.announced(in: response(fields)) == algorithms)
    }

    @Test("a wrong digest in the trailer section is found, one that was not computed is not")
    func trailerMismatch() throws {
        let response = response(["Trailer": "Repr-Digest"])
        func verified(_ fields: HTTPFields, isWhole: Bool = true) throws -> [String] {
            let check = try DigestCheck([], announced: DigestCheck.announced(in: response))
            check.update("abc".utf8.span)
            try check.check()
            try check.checkTrailers(fields, of: response, isWhole: isWhole)
            return check.verified.map(\.description)
        }
        for name in [FieldName.reprDigest, .contentDigest] {
            for member in [Self.sha256, Self.sha512] {
                let error = #expect(throws: TransferError.self) { try verified([name: member]) }
                #expect(error?.code == .digestMismatch)
            }
        }
        #expect(try verified(["Repr-Digest": Self.md5]).isEmpty)
        #expect(try verified(["Repr-Digest": Self.sha256], isWhole: false).isEmpty)
        #expect(try verified(["Content-MD5": "Sd/dVLAcvNLSq16eXua5uQ=="]).isEmpty)
        #expect(try verified(HTTPFields()).isEmpty)
        // sha-384 would be stronger, but was not computed.
        let both: HTTPFields = [
            "Repr-Digest": "\(Self.sha384), sha-256=:ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=:"
        ]
        #expect(try verified(both) == ["sha-256 of Repr-Digest"])
    }

    @Test("where nothing is expected nothing is computed")
    func nothing() throws {
        let check = try DigestCheck(
            DigestExpectation.expectations(of: response(HTTPFields()), isWhole: true),
            announced: DigestCheck.announced(in: response(HTTPFields())))
        #expect(check.isEmpty)
        try check.check()
        #expect(check.verified.isEmpty)
        let busy = try DigestCheck([], announced: [.sha256])
        #expect(!busy.isEmpty)
    }
}
