import COpenSSL
import Glibc

/// A certificate in words a person can use. What it says of itself is the peer's, and cut where it is long.
enum CertificateText {
    /// Most octets shown of one name.
    static let longestName = 120
    /// Most names of a certificate that are listed.
    private static let mostNames = 5

    static func subject(of certificate: OpaquePointer) -> String {
        name(X509_get_subject_name(certificate))
    }

    static func issuer(of certificate: OpaquePointer) -> String {
        name(X509_get_issuer_name(certificate))
    }

    /// A distinguished name on one line: `CN=example.com, O=Example`.
    private static func name(_ name: OpaquePointer?) -> String {
        guard let name, X509_NAME_entry_count(name) > 0, let bio = BIO_new(BIO_s_mem()) else {
            return "(no name)"
        }
        defer { BIO_free(bio) }
        copenssl_print_name_readably(bio, name)
        return cut(OpenSSL.octets(in: bio))
    }

    static func validFrom(_ certificate: OpaquePointer) -> String {
        date(X509_get0_notBefore(certificate))
    }

    static func validUntil(_ certificate: OpaquePointer) -> String {
        date(X509_get0_notAfter(certificate))
    }

    /// `2024-01-31 23:59 UTC`.
    private static func date(_ time: UnsafePointer<ASN1_TIME>?) -> String {
        var parts = tm()
        guard let time, ASN1_TIME_to_tm(time, &parts) == 1 else { return "an unreadable date" }
        return date(parts)
    }

    /// The present, by the clock that OpenSSL compares with.
    static var now: String {
        var seconds = time(nil)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        return date(parts)
    }

    private static func date(_ parts: tm) -> String {
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(parts.tm_year + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday)) "
            + "\(two(parts.tm_hour)):\(two(parts.tm_min)) UTC"
    }

    /// The names a certificate is for, a few of them (RFC 9525, section 6): `a.example, b.example and 3 more`.
    static func names(of certificate: OpaquePointer) -> String {
        guard let pointer = X509_get_ext_d2i(certificate, NID_subject_alt_name, nil, nil) else {
            return "it has no names but \(subject(of: certificate)), where hosts are not looked for"
        }
        let names = OpaquePointer(pointer)
        defer { GENERAL_NAMES_free(names) }
        var shown: [String] = []
        var count = 0
        var index: Int32 = 0
        while let name = copenssl_name_at(names, index) {
            index += 1
            guard let text = text(of: name) else { continue }
            count += 1
            if shown.count < mostNames { shown.append(text) }
        }
        guard count > 0 else { return "it is for no host" }
        let rest = count > shown.count ? " and \(count - shown.count) more" : ""
        return "it is for \(shown.joined(separator: ", "))\(rest)"
    }

    private static func text(of name: UnsafePointer<GENERAL_NAME>) -> String? {
        if let dns = copenssl_dns_name(name) { return cut(octets(of: dns)) }
        guard let address = copenssl_ip_name(name) else { return nil }
        let octets = octets(of: address)
        var text = [CChar](repeating: 0, count: 64)
        let family = octets.count == 4 ? AF_INET : AF_INET6
        guard octets.count == 4 || octets.count == 16,
            inet_ntop(family, octets, &text, socklen_t(text.count)) != nil
        else { return "an unreadable address" }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    private static func octets(of string: UnsafePointer<ASN1_STRING>) -> [UInt8] {
        // Safety: OpenSSL's own pointer and length of one string.
        Array(
            UnsafeBufferPointer(start: ASN1_STRING_get0_data(string), count: Int(ASN1_STRING_length(string))))
    }

    /// At most `longestName` octets as text.
    private static func cut(_ octets: [UInt8]) -> String {
        let text = String(decoding: octets.prefix(longestName), as: UTF8.self)
        return octets.count > longestName ? text + "…" : text
    }
}
