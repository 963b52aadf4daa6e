import COpenSSL
import Glibc

/// A certification authority made at run time, so that no key is ever committed.
public final class TestAuthority: Sendable {
    /// The authority's certificate: for a root what a client is to trust.
    public let certificatePEM: [UInt8]
    private let certificate: Certificate
    private let key: CertificateKey
    /// What stands between the root and what this authority issues, its own certificate first; empty for a root.
    private let chain: [Certificate]

    /// A root that signs itself. `adjusting` may change what is asked for: validity, digest, permitted names.
    public convenience init(
        named name: String = "rawget test CA", key: TestKey = .p256,
        adjusting adjust: (inout TestCertificate) -> Void = { _ in }
    ) throws(ReplayError) {
        let key = try CertificateKey(key)
        let request = Self.request(named: name, adjust)
        let certificate = try signedCertificate(request, subject: key, issuer: nil, signer: key)
        try self.init(certificate, key, chain: [])
    }

    private init(_ certificate: Certificate, _ key: CertificateKey, chain: [Certificate]) throws(ReplayError)
    {
        certificatePEM = try certificate.pem()
        self.certificate = certificate
        self.key = key
        self.chain = chain
    }

    /// The certificate as DER.
    public var certificateDER: [UInt8] { certificate.der }

    /// A certificate and its new key. With `includingChain` the intermediates that lead to the root are part of it;
    /// without, a client that does not know them cannot get to the root.
    public func issue(
        _ request: TestCertificate, includingChain: Bool = true
    ) throws(ReplayError) -> TestIdentity {
        let subject = try CertificateKey(request.key)
        let issued = try signedCertificate(request, subject: subject, issuer: certificate, signer: key)
        return try TestIdentity(issued, key: subject, chain: includingChain ? chain : [])
    }

    /// An authority below this one; what it issues carries the chain.
    public func intermediate(
        named name: String, key: TestKey = .p256, adjusting adjust: (inout TestCertificate) -> Void = { _ in }
    ) throws(ReplayError) -> TestAuthority {
        let subject = try CertificateKey(key)
        let issued = try signedCertificate(
            Self.request(named: name, adjust), subject: subject, issuer: certificate, signer: self.key)
        return try TestAuthority(issued, subject, chain: [issued] + chain)
    }

    /// A certificate that nobody but its own key vouches for.
    public static func selfSigned(_ request: TestCertificate) throws(ReplayError) -> TestIdentity {
        let key = try CertificateKey(request.key)
        let certificate = try signedCertificate(request, subject: key, issuer: nil, signer: key)
        return try TestIdentity(certificate, key: key, chain: [])
    }

    private static func request(
        named name: String, _ adjust: (inout TestCertificate) -> Void
    ) -> TestCertificate {
        var request = TestCertificate(commonName: name)
        request.isAuthority = true
        request.purpose = .none
        request.validUntil = .seconds(30 * 86_400)
        adjust(&request)
        return request
    }
}

/// The certificate asked for (RFC 5280, section 4.1), signed by `signer`; by itself without an `issuer`.
private func signedCertificate(
    _ request: TestCertificate, subject: CertificateKey, issuer: Certificate?, signer: CertificateKey
) throws(ReplayError) -> Certificate {
    guard let certificate = X509_new() else { throw ReplayError(openSSL: "X509_new") }
    defer { X509_free(certificate) }
    let name = Array(request.commonName.utf8)
    let isFilled =
        X509_set_version(certificate, 2) == 1  // 2 is version 3
        && ASN1_INTEGER_set_uint64(
            X509_get_serialNumber(certificate), UInt64.random(in: 1...UInt64(Int64.max))) == 1
        && X509_gmtime_adj(X509_getm_notBefore(certificate), Int(request.validFrom.components.seconds)) != nil
        && X509_gmtime_adj(X509_getm_notAfter(certificate), Int(request.validUntil.components.seconds)) != nil
        && X509_set_pubkey(certificate, subject.pointer) == 1
        && copenssl_add_common_name(
            X509_get_subject_name(certificate), name, Int32(clamping: name.count)) == 1
        && X509_set_issuer_name(
            certificate, X509_get_subject_name(issuer?.pointer ?? certificate)) == 1
    guard isFilled else { throw ReplayError(openSSL: "filling a certificate") }
    try addExtensions(request, to: certificate, issuer: issuer?.pointer ?? certificate)
    let digest: OpaquePointer? =
        switch (EVP_PKEY_get_base_id(signer.pointer), request.digest) {
        case (EVP_PKEY_ED25519, _): nil
        case (_, .sha256): EVP_sha256()
        case (_, .sha1): EVP_sha1()
        case (_, .md5): EVP_md5()
        }
    guard X509_sign(certificate, signer.pointer, digest) > 0 else { throw ReplayError(openSSL: "X509_sign") }
    var der = try written { i2d_X509_bio($0, certificate) }
    // The signature is the last part of a certificate, and its last octet belongs to a number in all kinds of key.
    if request.hasBrokenSignature, !der.isEmpty { der[der.count - 1] ^= 1 }
    return try Certificate(der: der)
}

private func addExtensions(
    _ request: TestCertificate, to certificate: OpaquePointer, issuer: OpaquePointer
) throws(ReplayError) {
    var extensions: [(kind: Int32, value: String)] = []
    if request.isAuthority {
        let limit = request.pathLength.map { ",pathlen:\($0)" } ?? ""
        extensions.append((NID_basic_constraints, "critical,CA:TRUE" + limit))
        extensions.append((NID_key_usage, "critical,keyCertSign,cRLSign"))
    } else {
        extensions.append((NID_basic_constraints, "critical,CA:FALSE"))
        extensions.append((NID_key_usage, "critical,digitalSignature,keyEncipherment"))
    }
    switch request.purpose {
    case .server: extensions.append((NID_ext_key_usage, "serverAuth"))
    case .client: extensions.append((NID_ext_key_usage, "clientAuth"))
    case .none: break
    }
    if !request.permittedNames.isEmpty {
        let names = request.permittedNames.map { "permitted;DNS:\($0)" }.joined(separator: ",")
        extensions.append((NID_name_constraints, "critical," + names))
    }
    // The authority's identifier is taken out of the subject's where a certificate signs itself: this order.
    extensions.append((NID_subject_key_identifier, "hash"))
    extensions.append((NID_authority_key_identifier, "keyid"))
    for (kind, value) in extensions {
        guard copenssl_add_extension(certificate, issuer, kind, value) == 1 else {
            throw ReplayError(openSSL: "extension \(value)")
        }
    }
    let names = try alternativeNames(of: request)
    if !names.isEmpty { try add(names, as: "2.5.29.17", isCritical: false, to: certificate) }
    if request.hasUnknownExtension {
        // An identifier out of the arc for examples (RFC 5612), whose value is an ASN.1 NULL.
        try add([0x05, 0x00], as: "1.3.6.1.4.1.32473.1", isCritical: true, to: certificate)
    }
}

private func add(
    _ value: [UInt8], as kind: String, isCritical: Bool, to certificate: OpaquePointer
) throws(ReplayError) {
    guard let object = OBJ_txt2obj(kind, 1) else { throw ReplayError(openSSL: "OBJ_txt2obj") }
    defer { ASN1_OBJECT_free(object) }
    let added = copenssl_add_raw_extension(
        certificate, object, isCritical ? 1 : 0, value, Int32(clamping: value.count))
    guard added == 1 else { throw ReplayError(openSSL: "X509_add_ext") }
}

/// The subject alternative name as DER (RFC 5280, section 4.2.1.6), written by hand: OpenSSL's notation has no way to
/// put a NUL into a name.
private func alternativeNames(of request: TestCertificate) throws(ReplayError) -> [UInt8] {
    var entries: [UInt8] = []
    for name in request.names { entries += derElement(0x82, name) }  // [2] IA5String
    for address in request.addresses {
        let isIPv6 = address.utf8.contains(UInt8(ascii: ":"))
        var octets = [UInt8](repeating: 0, count: isIPv6 ? 16 : 4)
        guard inet_pton(isIPv6 ? AF_INET6 : AF_INET, address, &octets) == 1 else {
            throw ReplayError(call: "inet_pton", errno: EINVAL, detail: address)
        }
        entries += derElement(0x87, octets)  // [7] OCTET STRING
    }
    return entries.isEmpty ? [] : derElement(0x30, entries)
}

/// One element of DER: tag, length, content.
private func derElement(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
    let count = content.count
    if count < 0x80 { return [tag, UInt8(count)] + content }
    let digits = [
        UInt8(truncatingIfNeeded: count >> 16), UInt8(truncatingIfNeeded: count >> 8), UInt8(count & 0xFF),
    ]
    .drop(while: { $0 == 0 })
    return [tag, 0x80 | UInt8(digits.count)] + digits + content
}
