import Replay
import TestSupport
import Testing

/// The certificate as `openssl x509` prints it.
private func printed(_ identity: TestIdentity) async -> String {
    let folder = TemporaryFolder()
    folder.write(identity.certificatePEM, to: "leaf.pem")
    return await run(
        "openssl", ["x509", "-in", folder.path(of: "leaf.pem"), "-noout", "-text", "-nameopt", "oneline"]
    ).text
}

/// What `openssl verify` says of a leaf against a root, with the rest of the leaf's file as untrusted chain.
private func verified(
    _ identity: TestIdentity, by root: TestAuthority, _ arguments: [String] = []
) async -> Said {
    let folder = TemporaryFolder()
    folder.write(identity.certificatePEM, to: "leaf.pem")
    folder.write(root.certificatePEM, to: "root.pem")
    return await run(
        "openssl",
        [
            "verify", "-CAfile", folder.path(of: "root.pem"), "-untrusted", folder.path(of: "leaf.pem"),
            "-no-CApath", "-no-CAstore", "-x509_strict", "-auth_level", "0",
        ] + arguments + [folder.path(of: "leaf.pem")])
}

@Suite("Certificates made at run time (RFC 5280)")
struct TestCertificateTests {
    @Test(
        "are what openssl x509 reads, for every kind of key and digest",
        arguments: [
            (TestKey.p256, TestDigest.sha256, "ecdsa-with-SHA256", "NIST CURVE: P-256"),
            (.p384, .sha1, "ecdsa-with-SHA1", "NIST CURVE: P-384"),
            (.ed25519, .sha256, "ED25519", "ED25519 Public-Key"),
            (.rsa(2048), .sha256, "sha256WithRSAEncryption", "Public-Key: (2048 bit)"),
            (.rsa(1024), .md5, "md5WithRSAEncryption", "Public-Key: (1024 bit)"),
        ])
    func areRead(key: TestKey, digest: TestDigest, algorithm: String, description: String) async throws {
        let authority = try TestAuthority(named: "root of it", key: key)
        var request = TestCertificate(["a.test", "b.test"], addresses: ["127.0.0.1", "::1"])
        request.key = key
        request.digest = digest
        let identity = try authority.issue(request)
        let text = await printed(identity)
        #expect(text.contains("Signature Algorithm: \(algorithm)"))
        #expect(text.contains(description))
        #expect(text.contains("Issuer: CN = root of it"))
        #expect(text.contains("Subject: CN = a.test"))
        #expect(
            text.contains("DNS:a.test, DNS:b.test, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1"))
        #expect(text.contains("TLS Web Server Authentication"))
        #expect(await verified(identity, by: authority, ["-purpose", "sslserver"]).ending == .exit(0))
    }

    @Test("lead to the root through an intermediate, unless that is left out")
    func haveAChain() async throws {
        let root = try TestAuthority(named: "root")
        let intermediate = try root.intermediate(named: "middle").intermediate(named: "lower")
        let whole = try intermediate.issue(testNames)
        #expect(await verified(whole, by: root).ending == .exit(0))
        let alone = await verified(try intermediate.issue(testNames, includingChain: false), by: root)
        #expect(alone.text.contains("unable to get local issuer certificate"))
    }

    @Test(
        "are refused for the mistake that was asked for",
        arguments: [
            ("expired", "certificate has expired"),
            ("future", "certificate is not yet valid"),
            ("purpose", "unsuitable certificate purpose"),
            ("unknown", "unhandled critical extension"),
            ("signature", "certificate signature failure"),
            ("name", "hostname mismatch"),
            ("leaf", "invalid CA certificate"),
            ("confined", "permitted subtree violation"),
            ("length", "path length constraint exceeded"),
            ("self", "self-signed certificate"),
        ])
    func areRefused(mistake: String, reason: String) async throws {
        var authority = try TestAuthority()
        let root = authority
        var request = testNames
        switch mistake {
        case "expired": (request.validFrom, request.validUntil) = (.seconds(-7200), .seconds(-3600))
        case "future": request.validFrom = .seconds(3600)
        case "purpose": request.purpose = .client
        case "unknown": request.hasUnknownExtension = true
        case "signature": request.hasBrokenSignature = true
        case "name": request.names = [Array("other.test".utf8)]
        case "leaf": authority = try root.intermediate(named: "no CA") { $0.isAuthority = false }
        case "confined": authority = try root.intermediate(named: "m") { $0.permittedNames = ["x.test"] }
        case "length":
            authority = try root.intermediate(named: "m") { $0.pathLength = 0 }.intermediate(named: "n")
        default: break
        }
        let identity =
            mistake == "self" ? try TestAuthority.selfSigned(request) : try authority.issue(request)
        let said = await verified(
            identity, by: root, ["-purpose", "sslserver", "-verify_hostname", "name.test"])
        #expect(said.ending != .exit(0))
        #expect(said.text.lowercased().contains(reason.lowercased()), "\(said.text)")
    }

    @Test("can have a name with a NUL in it")
    func canHoldNUL() async throws {
        var request = TestCertificate(commonName: "x")
        request.names = [Array("name.test\0.evil.test".utf8)]
        let identity = try TestAuthority().issue(request)
        let needle: [UInt8] = [0x82, 20] + Array("name.test".utf8) + [0] + Array(".evil.test".utf8)
        let starts = identity.certificateDER.indices.filter {
            identity.certificateDER[$0...].starts(with: needle)
        }
        #expect(starts.count == 1)
        #expect(await printed(identity).contains("X509v3 Subject Alternative Name"))
    }

    @Test("have the pin that openssl computes (RFC 7469, section 2.4)")
    func havePins() async throws {
        let identity = try TestAuthority().issue(testNames)
        let folder = TemporaryFolder()
        folder.write(identity.certificatePEM, to: "leaf.pem")
        let script =
            "openssl x509 -in leaf.pem -pubkey -noout | openssl pkey -pubin -outform DER"
            + " | openssl dgst -sha256 -binary | openssl base64"
        let said = await run("bash", ["-c", "cd \(folder.path) && \(script)"])
        #expect("sha256//" + said.text == identity.publicKeyPin + "\n")
    }

    @Test("have a key that can be encrypted, and opened with the password alone")
    func haveKeys() async throws {
        let identity = try TestAuthority().issue(testNames)
        let folder = TemporaryFolder()
        folder.write(try identity.encryptedKeyPEM(password: "secret"), to: "key.pem")
        func opened(_ password: String) async -> Said {
            await run(
                "openssl", ["pkey", "-in", folder.path(of: "key.pem"), "-passin", "pass:\(password)"])
        }
        #expect(await opened("wrong").ending != .exit(0))
        let said = await opened("secret")
        #expect(said.ending == .exit(0))
        #expect(Array(said.text.utf8) == identity.keyPEM)
    }

    @Test("are refused when an address is none")
    func refuseAddresses() throws {
        let authority = try TestAuthority()
        #expect(throws: ReplayError.self) {
            try authority.issue(TestCertificate(["a.test"], addresses: ["1.2.3"]))
        }
    }
}
