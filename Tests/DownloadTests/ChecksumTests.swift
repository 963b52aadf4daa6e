import Download
import System
import Testing

@Suite("A checksum that a person gives")
struct ChecksumTests {
    /// Of "abc" (RFC 1321, appendix A.5; RFC 6234, section 8.5).
    private static let md5 = "900150983cd24fb0d6963f7d28e17f72"
    private static let sha1 = "a9993e364706816aba3e25717850c26c9cd0d89d"
    private static let sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

    @Test(
        "is read in each spelling",
        arguments: [
            ("sha-256:\(sha256)", .sha256, "sha-256:\(sha256)"),
            ("sha256:\(sha256)", .sha256, "sha-256:\(sha256)"),
            ("SHA-256:\(sha256.uppercased())", .sha256, "sha-256:\(sha256)"),
            ("Sha256:\(sha256)", .sha256, "sha-256:\(sha256)"),
            ("sha-1:\(sha1)", .sha1, "sha-1:\(sha1)"), ("sha1:\(sha1)", .sha1, "sha-1:\(sha1)"),
            ("md5:\(md5)", .md5, "md5:\(md5)"), ("MD5:\(md5)", .md5, "md5:\(md5)"),
        ] as [(String, MessageDigest.Algorithm, String)])
    func reads(text: String, algorithm: MessageDigest.Algorithm, printed: String) throws {
        let checksum = try Checksum(parsing: text)
        #expect(checksum.algorithm == algorithm)
        let octets = Array("abc".utf8)
        let digest = try MessageDigest.digest(of: octets.span, by: algorithm)
        #expect(checksum.value == digest)
        #expect(checksum.description == printed)
        #expect(try Checksum(parsing: printed) == checksum)
        #expect(checksum.isInsecure == (algorithm != .sha256))
    }

    @Test("has the length of its algorithm", arguments: MessageDigest.Algorithm.allCases)
    func lengths(algorithm: MessageDigest.Algorithm) throws {
        let count = algorithm.digestLength * 2
        #expect(
            try Checksum(parsing: "\(algorithm):" + String(repeating: "0", count: count)).value.count * 2
                == count)
        for wrong in [0, 1, count - 1, count + 1, count * 2] {
            #expect(throws: ChecksumError.wrongLength(algorithm, digits: wrong)) {
                try Checksum(parsing: "\(algorithm):" + String(repeating: "0", count: wrong))
            }
        }
    }

    @Test(
        "tells what is wrong with it",
        arguments: [
            ("", "an algorithm comes first, as in sha-256:HEX"),
            (sha256, "an algorithm comes first, as in sha-256:HEX"),
            ("crc32:\(md5)", "crc32 is none of md5, sha-1, sha-224, sha-256, sha-384, sha-512"),
            (":\(md5)", " is none of md5, sha-1, sha-224, sha-256, sha-384, sha-512"),
            ("sha-256:" + sha256.dropLast(), "sha-256 has 64 hex digits, not 63"),
            ("md5:\(sha1)", "md5 has 32 hex digits, not 40"),
            (
                "sha-256:ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=",
                "a digest has the digits 0 to 9 and a to f alone"
            ),
            ("md5: \(md5)", "a digest has the digits 0 to 9 and a to f alone"),
            ("md5:\(md5)\n", "a digest has the digits 0 to 9 and a to f alone"),
            ("md5:0x\(md5.dropFirst(2))", "a digest has the digits 0 to 9 and a to f alone"),
            ("md5:é0150983cd24fb0d6963f7d28e17f72", "a digest has the digits 0 to 9 and a to f alone"),
        ] as [(String, String)])
    func refuses(text: String, words: String) {
        let error = #expect(throws: ChecksumError.self) { try Checksum(parsing: text) }
        #expect(error?.description == words)
    }
}
