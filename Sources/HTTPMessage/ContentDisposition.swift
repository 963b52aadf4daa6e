/// Whether content is to be shown or saved, and under which name (RFC 6266).
public struct ContentDisposition: Hashable, Sendable {
    /// In lower case: `attachment`, `inline` or another, which counts as attachment (RFC 6266, section 4.2).
    public let type: String
    /// As they came; names ending in "*" have encoded values.
    public let parameters: FieldParameters

    /// Parses a field value.
    ///
    ///     content-disposition = disposition-type *( ";" disposition-parm )
    ///     disposition-parm    = filename-parm / disp-ext-parm
    ///     filename-parm       = "filename" "=" value / "filename*" "=" ext-value
    ///
    /// With `isLenient` a value without quotes may be any text up to ";", quotes need not be closed, and a
    /// missing type means attachment; else such a parameter is left out and such a value is `nil`.
    public init?(parsing value: String, isLenient: Bool = true) {
        var scanner = FieldScanner(value)
        scanner.skipBlanks()
        guard let type = scanner.readToken() else { return nil }
        scanner.skipBlanks()
        if scanner.isAtEnd || scanner.next == UInt8(ascii: ";") {
            self.type = type.lowercasedASCII
        } else {
            // `filename=name` without a type before it: read again, as if it were there.
            guard isLenient, scanner.next == UInt8(ascii: "=") else { return nil }
            self.type = "attachment"
            scanner = FieldScanner([UInt8(ascii: ";")] + scanner.octets)
        }
        parameters = FieldParameters(reading: &scanner, isLenient: isLenient)
    }

    /// Whether the content is to be shown rather than saved.
    public var isInline: Bool { type == "inline" }

    /// The name the server suggests, decoded but not made safe: only `FileName` may become a path.
    ///
    /// `filename*` goes before `filename` unless its encoding is wrong (RFC 6266, section 4.3). The octets of
    /// `filename` are UTF-8 when they can be, as servers send it, else ISO 8859-1.
    public var filename: String? {
        if let name = parameters["filename*"].flatMap(Self.extendedValue) { return name }
        guard let value = parameters["filename"] else { return nil }
        return value.latin1Octets.flatMap { String(validating: $0, as: UTF8.self) } ?? value
    }

    /// Decodes UTF-8 and ISO 8859-1 (RFC 8187, section 3.2); `nil` when the charset is another, an escape is
    /// not whole or the octets are not of that charset. Characters that ought to be escaped but are not stand
    /// for themselves.
    ///
    ///     ext-value   = charset "'" [ language ] "'" value-chars
    ///     value-chars = *( pct-encoded / attr-char )
    static func extendedValue(_ text: String) -> String? {
        let octets = Array(text.utf8)
        let quote = UInt8(ascii: "'")
        guard let first = octets.firstIndex(of: quote),
            let second = octets[(first + 1)...].firstIndex(of: quote)
        else { return nil }
        let encoded = octets[(second + 1)...]
        var index = encoded.startIndex
        while index < encoded.endIndex {
            guard encoded[index] < 0x80 else { return nil }
            if encoded[index] == UInt8(ascii: "%") {
                guard PercentEncoding.escapedOctet(in: octets.span, at: index) != nil else { return nil }
                index += 2
            }
            index += 1
        }
        let decoded = PercentEncoding.decode(encoded.span)
        switch String(decoding: octets[..<first].lazy.map(\.lowercasedASCII), as: UTF8.self) {
        case "utf-8": return String(validating: decoded, as: UTF8.self)
        case "iso-8859-1": return String(latin1: decoded)
        default: return nil
        }
    }
}
