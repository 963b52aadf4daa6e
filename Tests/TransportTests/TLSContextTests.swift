import COpenSSL
import NetworkProbes
import Replay
import System
import Testing

@testable import Transport

@Suite("What a TLS context is made of", .timeLimit(.minutes(1)))
@NetworkActor
struct TLSContextTests {
    private let folder = TemporaryFolder()
    private let authority: TestAuthority
    private let identity: TestIdentity

    init() throws {
        authority = try TestAuthority()
        identity = try authority.issue(TestCertificate(["fixture.test"]))
    }

    private func file(_ name: String) -> TLSFile { TLSFile(path: name, in: folder.descriptor) }

    private func failure(_ change: (inout TLSConfiguration) -> Void) -> TLSFailure? {
        var configuration = TLSConfiguration()
        configuration.trust = .authorities(files: [TLSFile(octets: authority.certificatePEM)], folders: [])
        change(&configuration)
        do throws(TLSFailure) {
            _ = try TLSContext(configuration)
            return nil
        } catch { return error }
    }

    private func isTrusted(_ trust: TLSConfiguration.Trust) async throws -> Bool {
        var configuration = TLSConfiguration()
        configuration.trust = trust
        let context = try TLSContext(configuration)
        let peer = try MemoryPeer(identity, version: TLS1_3_VERSION)
        do throws(TransportError) {
            _ = try await TLSStream.secure(
                peer, host: "fixture.test", port: 1,
                context: context, until: .never)
            return true
        } catch {
            guard case .tlsFailed(let failure) = error.reason else { throw error }
            #expect(failure.kind == .peerCertificate)
            return false
        }
    }

    // MARK: Trust

    /// The name that OpenSSL looks for in a hashed folder.
    private func hashName(of certificate: [UInt8]) throws -> String {
        let bio = try #require(BIO_new(BIO_s_mem()))
        defer { BIO_free(bio) }
        BIO_write(bio, certificate, Int32(certificate.count))
        let certificate = try #require(PEM_read_bio_X509(bio, nil, nil, nil))
        defer { X509_free(certificate) }
        let digits = String(X509_subject_name_hash(certificate), radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits + ".0"
    }

    private func makeFolders(_ path: String) {
        var made = ""
        for part in path.split(separator: "/") {
            made += (made.isEmpty ? "" : "/") + part
            folder.makeFolder(made)
        }
    }

    @Test(
        "the system's folder of hash links, where Debian and Fedora have it",
        arguments: ["etc/ssl/certs", "etc/pki/ca-trust/extracted/pem/directory-hash", "etc/pki/tls/certs"])
    func systemFolder(path: String) async throws {
        makeFolders(path)
        let name = try hashName(of: authority.certificatePEM)
        folder.write(authority.certificatePEM, to: "\(path)/\(name)")
        // A bundle beside it is not read: it would be slow, and this one is no bundle.
        folder.write("nothing", to: "\(path)/ca-certificates.crt")
        #expect(SystemAuthorities.find(below: folder.path) == .folder("\(folder.path)/\(path)"))
        #expect(try await isTrusted(.system(root: folder.path)))
    }

    @Test(
        "the system's bundle, where the folder has no hash links",
        arguments: [
            "etc/ssl/certs/ca-certificates.crt", "etc/pki/tls/certs/ca-bundle.crt",
            "etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", "etc/ssl/cert.pem",
        ])
    func systemBundle(path: String) async throws {
        makeFolders(String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)]))
        folder.write(try TestAuthority(named: "other").certificatePEM + authority.certificatePEM, to: path)
        #expect(SystemAuthorities.find(below: folder.path) == .bundle("\(folder.path)/\(path)"))
        #expect(try await isTrusted(.system(root: folder.path)))
    }

    @Test("a system without certificates is said to have none")
    func noSystemCertificates() {
        makeFolders("etc/ssl/certs")
        folder.write("x", to: "etc/ssl/certs/README")
        let failure = failure { $0.trust = .system(root: folder.path) }
        #expect(failure?.kind == .authorities)
        #expect(failure?.explanation.contains("no CA certificates in any known place") ?? false)
    }

    /// What a first connection to a server of an unknown authority takes: the store is looked into.
    private func timeToRefuse(_ trust: TLSConfiguration.Trust) async throws -> Duration {
        var times: [Duration] = []
        for _ in 0..<11 {
            let start = Instant.now
            #expect(try await !isTrusted(trust))
            times.append(Instant.now - start)
        }
        return times.sorted()[5]
    }

    @Test(
        "the system's authorities cost a first connection no more than 5 ms",
        .enabled(if: SystemAuthorities.find(below: "").map { $0.isFolder } ?? false))
    func systemIsFast() async throws {
        let other = try TestAuthority(named: "other").certificatePEM
        let one = try await timeToRefuse(.authorities(files: [TLSFile(octets: other)], folders: []))
        let all = try await timeToRefuse(.system())
        #expect(all - one < .milliseconds(5))
    }

    @Test("a folder relative to a descriptor, and one with a colon in its name", arguments: ["certs", "a:b"])
    func givenFolder(name: String) async throws {
        folder.makeFolder(name)
        folder.write(authority.certificatePEM, to: "\(name)/\(try hashName(of: authority.certificatePEM))")
        #expect(try await isTrusted(.authorities(files: [], folders: [file(name)])))
        #expect(
            try await isTrusted(
                .authorities(files: [], folders: [TLSFile(path: folder.path(of: name), in: -1)])))
        folder.makeFolder("empty")
        #expect(try await !isTrusted(.authorities(files: [], folders: [file("empty")])))
    }

    @Test("an intermediate that is trusted is enough")
    func partialChain() async throws {
        let middle = try authority.intermediate(named: "middle")
        let leaf = try middle.issue(TestCertificate(["fixture.test"]), includingChain: false)
        var configuration = TLSConfiguration()
        configuration.trust = .authorities(files: [TLSFile(octets: middle.certificatePEM)], folders: [])
        let stream = try await TLSStream.secure(
            try MemoryPeer(leaf, version: TLS1_3_VERSION), host: "fixture.test", port: 1,
            context: TLSContext(configuration), until: .never)
        #expect(stream.summary.isVerified)
    }

    @Test("files of authorities that cannot be used are named")
    func badAuthorities() {
        folder.write("no certificate here", to: "empty.pem")
        folder.write(
            authority.certificatePEM
                + Array("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n".utf8),
            to: "broken.pem")
        for (name, words) in [
            ("missing.pem", "missing.pem: No such file"),
            ("empty.pem", "no CA certificate (in PEM) in empty.pem"),
            ("broken.pem", "certificate 2 in broken.pem cannot be read"),
        ] {
            let failure = failure { $0.trust = .authorities(files: [file(name)], folders: []) }
            #expect(failure?.kind == .authorities)
            #expect(failure?.explanation.contains(words) ?? false, "\(String(describing: failure))")
        }
        let failure = failure { $0.trust = .authorities(files: [], folders: [file("missing")]) }
        #expect(failure?.kind == .authorities && failure?.explanation.contains("missing: No such") ?? false)
    }

    // MARK: Ciphers and versions

    @Test("lists of ciphers that name none are refused")
    func ciphers() {
        #expect(failure { $0.ciphers = "NONSENSE" }?.kind == .cipher)
        #expect(failure { $0.cipherSuites = "NONSENSE" }?.kind == .cipher)
        #expect(failure { $0.ciphers = "ECDHE+AESGCM" } == nil)
        #expect(failure { $0.cipherSuites = "TLS_CHACHA20_POLY1305_SHA256" } == nil)
        #expect(
            failure {
                $0.minimumVersion = .tls13
                $0.maximumVersion = .tls12
            } != nil)
    }

    // MARK: The client's certificate

    private func clientFailure(
        _ change: (inout TLSConfiguration.ClientCertificate) -> Void
    ) -> TLSFailure? {
        failure {
            var certificate = TLSConfiguration.ClientCertificate(file("cert.pem"), key: file("key.pem"))
            change(&certificate)
            $0.clientCertificate = certificate
        }
    }

    @Test("client certificates that cannot be used say why")
    func badClientCertificates() throws {
        let other = try authority.issue(TestCertificate(["other.test"]))
        folder.write(identity.certificatePEM, to: "cert.pem")
        folder.write(identity.keyPEM, to: "key.pem")
        folder.write(identity.certificatePEM + identity.keyPEM, to: "both.pem")
        folder.write(identity.certificateDER, to: "cert.der")
        folder.write(other.keyPEM, to: "other.pem")
        folder.write(try identity.encryptedKeyPEM(password: "secret"), to: "locked.pem")
        folder.write("nothing", to: "empty.pem")
        #expect(clientFailure { _ in } == nil)
        #expect(clientFailure { $0 = .init(file("both.pem")) } == nil)
        #expect(
            clientFailure {
                $0.key = file("locked.pem")
                $0.password = "secret"
            } == nil)
        #expect(
            clientFailure {
                $0.certificate = file("cert.der")
                $0.encoding = .der
            } == nil)
        let cases: [(String, String, String?, String)] = [
            ("missing.pem", "key.pem", nil, "the client certificate in missing.pem: No such file"),
            ("cert.pem", "missing.pem", nil, "the key in missing.pem: No such file"),
            ("empty.pem", "key.pem", nil, "no certificate in PEM in empty.pem"),
            ("cert.pem", "empty.pem", nil, "no private key in empty.pem"),
            (
                "cert.pem", "other.pem", nil,
                "the key in other.pem does not belong to the certificate in cert.pem"
            ),
            ("cert.pem", "locked.pem", nil, "the key in locked.pem is encrypted, and no password was given"),
            ("cert.pem", "locked.pem", "wrong", "the password is wrong"),
        ]
        for (certificate, key, password, words) in cases {
            let failure = clientFailure {
                $0 = .init(file(certificate), key: file(key), password: password)
            }
            #expect(failure?.kind == .clientCertificate)
            #expect(failure?.explanation.contains(words) ?? false, "\(String(describing: failure))")
            #expect(!(failure?.explanation.contains("wrong\"") ?? true))
        }
    }

    /// The identity as PKCS#12.
    private func archive(password: String) throws -> [UInt8] {
        let leaf = try #require(OpenSSL.withBIO(identity.certificateDER) { d2i_X509_bio($0, nil) })
        let key = try #require(
            OpenSSL.withBIO(identity.keyPEM) { PEM_read_bio_PrivateKey($0, nil, nil, nil) })
        // Outside of the macro, which would let the texts go too early.
        let created = PKCS12_create(password, "me", key, leaf, nil, 0, 0, 0, 0, 0)
        let archive = try #require(created)
        defer {
            X509_free(leaf)
            EVP_PKEY_free(key)
            PKCS12_free(archive)
        }
        return OpenSSL.encoding { i2d_PKCS12(archive, $0) }
    }

    @Test(
        "PKCS#12 with its password, and what is wrong without",
        arguments: [("secret", nil), ("wrong", "the password is wrong"), (nil, "it needs a password")]
            as [(String?, String?)])
    func archives(password: String?, words: String?) throws {
        folder.write(try archive(password: "secret"), to: "me.p12")
        let failure = clientFailure {
            $0 = .init(file("me.p12"), password: password)
            $0.encoding = .pkcs12
        }
        if let words {
            #expect(failure?.kind == .clientCertificate && failure?.explanation.contains(words) ?? false)
        } else {
            #expect(failure == nil)
        }
    }

    // MARK: Pins

    @Test("a pinned key in a file, PEM or DER, or none at all")
    func pinnedKeys() async throws {
        let key = OpenSSL.withBIO(identity.certificateDER) { d2i_X509_bio($0, nil) }
        let certificate = try #require(key)
        defer { X509_free(certificate) }
        let der = OpenSSL.publicKey(of: certificate)
        let text = "-----BEGIN PUBLIC KEY-----\n\(OpenSSL.base64(der))\n-----END PUBLIC KEY-----\n"
        for (octets, isGood) in [
            (der, true), (Array(text.utf8), true), (der.dropLast() + [(der.last ?? 0) ^ 1], false),
            ([], false),
        ] {
            let pins = try PinnedKeys(.key(TLSFile(octets: Array(octets))))
            if isGood {
                try pins.check(certificate)
            } else {
                let failure = #expect(throws: TLSFailure.self) { try pins.check(certificate) }
                #expect(failure?.explanation.contains(identity.publicKeyPin) ?? false)
            }
        }
        #expect(failure { $0.pinnedKeys = .key(file("missing")) }?.kind == .pinnedKey)
    }
}

extension SystemAuthorities {
    fileprivate var isFolder: Bool {
        if case .folder = self { true } else { false }
    }
}
