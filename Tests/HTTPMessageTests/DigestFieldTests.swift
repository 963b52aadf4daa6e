import HTTPMessage
import Testing

@Suite("Content-Digest and Repr-Digest (RFC 9530)")
struct DigestFieldTests {
    private static let sha256 = "d435Qo+nKZ+gLcUHn7GQtQ72hiBVAgqoLsZnZPiTGPk="
    private static let sha512 =
        "YMAam51Jz/jOATT6/zvHrLVgOYTGFy1d6GJiOHTohq4yP+pgk4vf2aCsyRZOtw8MjkM7iw7yZ/WkppmM44T3qg=="

    @Test("the examples of section 2")
    func examples() throws {
        let one = try #require(DigestField(parsing: "sha-512=:\(Self.sha512):"))
        #expect(one.digests.map(\.algorithm) == ["sha-512"])
        #expect(one["sha-512"]?.count == 64 && one["sha-512"]?.prefix(3) == [0x60, 0xC0, 0x1A])
        let both = try #require(DigestField(parsing: "sha-256=:\(Self.sha256):,sha-512=:\(Self.sha512):"))
        #expect(both.digests.map(\.algorithm) == ["sha-256", "sha-512"])
        #expect(both["sha-256"]?.count == 32 && both["sha-256"]?.prefix(3) == [0x77, 0x8D, 0xF9])
        #expect(both["sha-512"] == one["sha-512"])
        #expect(both["md5"] == nil && both["SHA-256"] == nil)
        #expect(both.malformed.isEmpty)
    }

    @Test("the values of appendix D")
    func appendixD() throws {
        let field = try #require(
            DigestField(
                parsing:
                    "sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:, md5=:Sd/dVLAcvNLSq16eXua5uQ==:, "
                    + "sha=:07CavjDP4u3/TungoUHJO/Wzr4c=:, unixsum=:GQU=:, unixcksum=:7zsHAA==:, "
                    + "adler=:OZkGFw==:, crc32c=:Q3lHIA==:"))
        #expect(
            field.digests.map(\.algorithm) == [
                "sha-256", "md5", "sha", "unixsum", "unixcksum", "adler", "crc32c",
            ])
        #expect(field.malformed.isEmpty)
    }

    @Test("one padding too many, as in appendix B.11, changes nothing")
    func padding() throws {
        let field = DigestField(parsing: "sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg==:")
        let right = DigestField(parsing: "sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:")
        #expect(field == right && field?["sha-256"] != nil)
    }

    @Test(
        "a digest of the wrong length is no digest, and known to be wrong",
        arguments: [
            ("md5=:AAAA:", ["md5"]), ("sha-256=::", ["sha-256"]), ("sha=:Sd/dVLAcvNLSq16eXua5uQ==:", ["sha"]),
            ("unixsum=:AAAA:, crc32c=:AAAA:", ["unixsum", "crc32c"]),
            ("sha-512=:AAAA:, new=:AAAA:", ["sha-512"]),
        ])
    func wrongLength(value: String, malformed: [String]) throws {
        let field = try #require(DigestField(parsing: value))
        #expect(field.malformed == malformed)
        #expect(malformed.allSatisfy { field[$0] == nil })
        #expect(field["new"] == (value.contains("new") ? [0, 0, 0] : nil))
    }

    @Test("the rest of a field with a wrong length counts")
    func restCounts() throws {
        let field = try #require(DigestField(parsing: "sha-512=:AAAA:, sha-256=:\(Self.sha256):"))
        #expect(field.digests.map(\.algorithm) == ["sha-256"])
    }

    @Test(
        "one known member that is no byte sequence spoils the field",
        arguments: ["sha-256", "sha-256=?1", "sha-256=\"AAAA\"", "md5=abc", "md5=(:AAAA:)", "md5=1"])
    func wrongType(member: String) {
        #expect(DigestField(parsing: member) == nil)
        #expect(DigestField(parsing: "sha-512=:\(Self.sha512):, \(member)") == nil)
    }

    @Test(
        "an unknown member may be anything",
        arguments: ["new", "new=1", "new=\"a\"", "new=(a b);c", "new=:AAAA:", "new;a=1"])
    func unknownMember(member: String) throws {
        let field = try #require(DigestField(parsing: "\(member), sha-256=:\(Self.sha256):;a=b"))
        #expect(field["sha-256"]?.count == 32)
        #expect(field.malformed.isEmpty)
    }

    @Test(
        "what is no dictionary is no field",
        arguments: [
            "sha-256=RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=", "SHA-256=:AAAA:", "sha-256=:AAAA",
            "sha-256=:A:",
            "sha-256 = :AAAA:", "sha-256=:AAAA:,", ":AAAA:", "sha-256=:AA-_:",
        ])
    func noDictionary(value: String) {
        #expect(DigestField(parsing: value) == nil)
    }

    @Test("an empty field says nothing")
    func empty() { #expect(DigestField(parsing: "")?.digests.isEmpty == true) }

    @Test("Content-MD5 is base64 of 16 octets (RFC 1864, section 2)")
    func contentMD5() {
        #expect(
            ContentMD5(parsing: "Q2hlY2sgSW50ZWdyaXR5IQ==")?.value == Array("Check Integrity!".utf8))
        for value in [
            "", "Q2hlY2sgSW50ZWdyaXR5IQ", "Q2hlY2sgSW50ZWdyaXR5IQ=", "Q2hlY2sgSW50ZWdyaXR5", "AAAA",
            "436865636b20496e7465677269747921", " Q2hlY2sgSW50ZWdyaXR5IQ==",
            "Q2hlY2sgSW50ZWdyaXR5IQ==, Q2hlY2sgSW50ZWdyaXR5IQ==", "Q2hlY2sgSW50ZWdyaXR5ISE=",
        ] {
            #expect(ContentMD5(parsing: value) == nil, "\(value)")
        }
    }
}
