import Testing

@testable import System

@Suite("Digests by libcrypto (RFC 1321, appendix A.5; RFC 6234, section 8.5)")
struct MessageDigestTests {
    private static let short = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"
    private static let long =
        "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
        + "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu"
    private static let million = String(repeating: "a", count: 1_000_000)
    private static let tenfold = String(repeating: "01234567", count: 80)

    private static func hex(_ octets: [UInt8]) -> String {
        octets.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    static let vectors: [(MessageDigest.Algorithm, String, String)] = [
        (
            .md5, "",
            "d41d8cd98f00b204e9800998ecf8427e"
        ),
        (
            .md5, "a",
            "0cc175b9c0f1b6a831c399e269772661"
        ),
        (
            .md5, "abc",
            "900150983cd24fb0d6963f7d28e17f72"
        ),
        (
            .md5, "message digest",
            "f96b697d7cb7938d525a2f31aaf161d0"
        ),
        (
            .md5, "abcdefghijklmnopqrstuvwxyz",
            "c3fcd3d76192e4007dfb496cca67e13b"
        ),
        (
            .md5, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
            "d174ab98d277d9f5a5611c2c9f419d9f"
        ),
        (
            .md5, String(repeating: "1234567890", count: 8),
            "57edf4a22be3c955ac49da2e2107b67a"
        ),
        (
            .sha1, "abc",
            "a9993e364706816aba3e25717850c26c9cd0d89d"
        ),
        (
            .sha1, short,
            "84983e441c3bd26ebaae4aa1f95129e5e54670f1"
        ),
        (
            .sha1, million,
            "34aa973cd4c4daa4f61eeb2bdbad27316534016f"
        ),
        (
            .sha1, tenfold,
            "dea356a2cddd90c7a7ecedc5ebb563934f460452"
        ),
        (
            .sha224, "abc",
            "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7"
        ),
        (
            .sha224, short,
            "75388b16512776cc5dba5da1fd890150b0c6455cb4f58b1952522525"
        ),
        (
            .sha224, million,
            "20794655980c91d8bbb4c1ea97618a4bf03f42581948b2ee4ee7ad67"
        ),
        (
            .sha224, tenfold,
            "567f69f168cd7844e65259ce658fe7aadfa25216e68eca0eb7ab8262"
        ),
        (
            .sha256, "abc",
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        ),
        (
            .sha256, short,
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (
            .sha256, million,
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
        ),
        (
            .sha256, tenfold,
            "594847328451bdfa85056225462cc1d867d877fb388df0ce35f25ab5562bfbb5"
        ),
        (
            .sha384, "abc",
            "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed"
                + "8086072ba1e7cc2358baeca134c825a7"
        ),
        (
            .sha384, long,
            "09330c33f71147e83d192fc782cd1b4753111b173b3b05d22fa08086e3b0f712"
                + "fcc7c71a557e2db966c3e9fa91746039"
        ),
        (
            .sha384, million,
            "9d0e1809716474cb086e834e310a4a1ced149e9c00f248527972cec5704c2a5b"
                + "07b8b3dc38ecc4ebae97ddd87f3d8985"
        ),
        (
            .sha384, tenfold,
            "2fc64a4f500ddb6828f6a3430b8dd72a368eb7f3a8322a70bc84275b9c0b3ab0"
                + "0d27a5cc3c2d224aa6b61a0d79fb4596"
        ),
        (
            .sha512, "abc",
            "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
        ),
        (
            .sha512, long,
            "8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018"
                + "501d289e4900f7e4331b99dec4b5433ac7d329eeb6dd26545e96e55b874be909"
        ),
        (
            .sha512, million,
            "e718483d0ce769644e2e42c7bc15b4638e1f98b13b2044285632a803afa973eb"
                + "de0ff244877ea60a4cb0432ce577c31beb009c5c2c49aa2e4eadb217ad8cc09b"
        ),
        (
            .sha512, tenfold,
            "89d05ba632c699c31231ded4ffc127d5a894dad412c0e024db872d1abd2ba814"
                + "1a0f85072a9be1e2aa04cf33c765cb510813a39cd5a84c4acaa64d3f3fb7bae9"
        ),
    ]

    @Test("gives the digests of the standards", arguments: vectors)
    func standards(algorithm: MessageDigest.Algorithm, text: String, expected: String) throws {
        let octets = Array(text.utf8)
        let digest = try MessageDigest.digest(of: octets.span, by: algorithm)
        #expect(Self.hex(digest) == expected)
        #expect(digest.count == algorithm.digestLength)
    }

    @Test("does not care how the octets are cut", arguments: MessageDigest.Algorithm.allCases)
    func splits(algorithm: MessageDigest.Algorithm) throws {
        // Longer than two blocks of any of them.
        let octets = (0..<300).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let expected = try MessageDigest.digest(of: octets.span, by: algorithm)
        for place in 0...octets.count {
            var digest = try MessageDigest(algorithm)
            digest.update(octets.span.extracting(first: place))
            digest.update(octets.span.extracting(droppingFirst: place))
            let result = digest.finish()
            #expect(result == expected, "cut at \(place)")
        }
        var digest = try MessageDigest(algorithm)
        for octet in octets { digest.update([octet].span) }
        let result = digest.finish()
        #expect(result == expected)
    }

    @Test("of nothing is a digest too", arguments: MessageDigest.Algorithm.allCases)
    func nothing(algorithm: MessageDigest.Algorithm) throws {
        let untouched = try MessageDigest(algorithm)
        let result = untouched.finish()
        let none: [UInt8] = []
        let expected = try MessageDigest.digest(of: none.span, by: algorithm)
        #expect(result == expected)
    }

    @Test("two at once are two")
    func independence() throws {
        var first = try MessageDigest(.sha256)
        var second = try MessageDigest(.sha256)
        first.update(Array("a".utf8).span)
        second.update(Array("abc".utf8).span)
        first.update(Array("bc".utf8).span)
        let results = (first.finish(), second.finish())
        #expect(results.0 == results.1)
    }

    @Test("names are those that people write")
    func names() {
        #expect(
            MessageDigest.Algorithm.allCases.map(\.description) == [
                "md5", "sha-1", "sha-224", "sha-256", "sha-384", "sha-512",
            ])
        #expect(
            MessageDigest.Refusal(algorithm: .md5).description == "this system computes no md5")
    }
}
