import COpenSSL
import Glibc
import System

extension TLSContext {
    /// Loads the authorities; returns folders that must stay open.
    static func trust(
        _ trust: TLSConfiguration.Trust, on context: OpaquePointer
    ) throws(TLSFailure) -> [TLSFolder] {
        guard let store = SSL_CTX_get_cert_store(context) else {
            throw TLSFailure(.authorities, "there is no memory for certificates")
        }
        let parameters = X509_STORE_get0_param(store)
        // As curl: an authority that is trusted itself ends a chain, be it the root or not; and what is trusted is
        // looked at before what the server sends.
        X509_VERIFY_PARAM_set_flags(parameters, UInt(X509_V_FLAG_PARTIAL_CHAIN | X509_V_FLAG_TRUSTED_FIRST))
        var open: [TLSFolder] = []
        switch trust {
        case .system(let root):
            let place = SystemAuthorities.find(below: root)
            switch place {
            case .folder(let path):
                guard copenssl_add_folder(store, path) == 1 else {
                    throw TLSFailure(.authorities, "the system's certificates in \(path) cannot be used")
                }
            case .bundle(let path): try add(TLSFile(path: path, in: -1), to: store)
            case nil:
                throw TLSFailure(
                    .authorities,
                    "this system has no CA certificates in any known place; --cacert names a file of them")
            }
        case .authorities(let files, let folders):
            for file in files { try add(file, to: store) }
            for folder in folders { open.append(try add(folder: folder, to: store)) }
        }
        return open
    }

    /// Trusts every certificate of a file of PEM.
    private static func add(_ file: TLSFile, to store: OpaquePointer) throws(TLSFailure) {
        let octets: [UInt8]
        do throws(SystemError) { octets = try file.read() } catch {
            throw TLSFailure(
                .authorities, "could not read the CA certificates in \(file.name): \(error.explanation)")
        }
        ERR_clear_error()
        let count = try OpenSSL.withBIO(octets) { (bio) throws(TLSFailure) -> Int in
            var count = 0
            while let certificate = PEM_read_bio_X509_AUX(bio, nil, refusePassword, nil) {
                defer { X509_free(certificate) }
                // The same certificate twice does no harm.
                X509_STORE_add_cert(store, certificate)
                count += 1
            }
            let errors = OpenSSL.takeErrors()
            // The end of the file shows as a missing first line.
            if let last = errors.last, ERR_GET_REASON(last) != PEM_R_NO_START_LINE {
                throw TLSFailure(
                    .authorities,
                    "certificate \(count + 1) in \(file.name) cannot be read: \(OpenSSL.words(for: errors) ?? "")"
                )
            }
            return count
        }
        guard count > 0 else {
            throw TLSFailure(.authorities, "there is no CA certificate (in PEM) in \(file.name)")
        }
    }

    private static func add(folder: TLSFile, to store: OpaquePointer) throws(TLSFailure) -> TLSFolder {
        do throws(SystemError) {
            let opened = try folder.openFolder()
            guard copenssl_add_folder(store, opened.path) == 1 else {
                throw SystemError(call: "open", errno: ENOMEM)
            }
            return opened
        } catch {
            throw TLSFailure(
                .authorities,
                "could not open the folder of CA certificates \(folder.name): \(error.explanation)")
        }
    }
}

/// Asks nobody: without a callback of ours OpenSSL would ask for a password on the terminal.
let refusePassword:
    @convention(c) (UnsafeMutablePointer<CChar>?, Int32, Int32, UnsafeMutableRawPointer?) -> Int32 = {
        _, _, _, _ in -1
    }

/// Where systems keep the certificates of authorities.
enum SystemAuthorities: Hashable {
    /// A folder with hash links: only the issuers needed are read, in under 0.2 ms.
    case folder(String)
    /// One file with all of them: 18 ms.
    case bundle(String)

    // Debian and its kin; Fedora and its kin, old and new; SUSE. Alpine has Debian's places.
    private static let folders = [
        "/etc/ssl/certs", "/etc/pki/ca-trust/extracted/pem/directory-hash", "/etc/pki/tls/certs",
    ]
    private static let bundles = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
        "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem",
    ]

    /// The first place there is; `root` stands before each. Never OpenSSL's own places: those come from the environment.
    static func find(below root: String) -> SystemAuthorities? {
        for folder in folders where hasHashLinks(root + folder) { return .folder(root + folder) }
        for bundle in bundles {
            let status = try? File.status(of: root + bundle, in: -1, followsLinks: true)
            if let status, status.kind == .regular { return .bundle(root + bundle) }
        }
        return nil
    }

    /// Whether a folder has a name like `3513523f.0`: eight hexadecimal digits and a number.
    static func hasHashLinks(_ path: String) -> Bool {
        guard let stream = opendir(path) else { return false }
        defer { closedir(stream) }
        while let entry = readdir(stream) {
            let isLink = withUnsafeBytes(of: entry.pointee.d_name) { octets in
                let name = octets.prefix { $0 != 0 }
                return name.count > 9 && name.prefix(8).allSatisfy(isHexadecimal)
                    && name[8] == UInt8(ascii: ".")
                    && name.dropFirst(9).allSatisfy { (0x30...0x39).contains($0) }
            }
            if isLink { return true }
        }
        return false
    }

    private static func isHexadecimal(_ octet: UInt8) -> Bool {
        (0x30...0x39).contains(octet) || (0x61...0x66).contains(octet)
    }
}
