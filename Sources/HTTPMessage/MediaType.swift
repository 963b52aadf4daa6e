/// What a representation is (RFC 9110, section 8.3.1).
public struct MediaType: Hashable, Sendable {
    /// In lower case, such as `text`.
    public let type: String
    /// In lower case, such as `html`.
    public let subtype: String
    /// Such as `charset`.
    public var parameters: FieldParameters

    /// `nil` when type or subtype is no token.
    public init?(type: String, subtype: String, parameters: FieldParameters = FieldParameters()) {
        guard FieldName.isToken(type), FieldName.isToken(subtype) else { return nil }
        self.type = type.lowercasedASCII
        self.subtype = subtype.lowercasedASCII
        self.parameters = parameters
    }

    /// Parses a field value; `nil` without a type and subtype. Parameters that are none are left out.
    ///
    ///     media-type = type "/" subtype parameters
    public init?(parsing value: String) {
        var scanner = FieldScanner(value)
        guard let type = scanner.readToken(), scanner.read(UInt8(ascii: "/")),
            let subtype = scanner.readToken()
        else { return nil }
        scanner.skipBlanks()
        guard scanner.isAtEnd || scanner.next == UInt8(ascii: ";") else { return nil }
        self.init(type: type, subtype: subtype, parameters: FieldParameters(reading: &scanner))
    }

    /// Type and subtype without parameters.
    public var essence: String { "\(type)/\(subtype)" }

    /// The name of the character encoding, in lower case (RFC 9110, section 8.3.2).
    public var charset: String? { parameters["charset"]?.lowercasedASCII }
}

extension MediaType: CustomStringConvertible {
    /// As in a field.
    public var description: String { essence + parameters.description }
}
