public import HTTPMessage

// A response in the words of Foundation.
extension HTTPResponse {
    /// The three digits of the status.
    public var statusCode: Int { Int(status.code) }

    /// Type and subtype of Content-Type, without parameters, in lower case; `nil` where that is missing or not valid.
    public var mimeType: String? { fields[.contentType].flatMap { MediaType(parsing: $0)?.essence } }

    /// The value of a field, its lines joined; `nil` where there is none.
    public func value(forHTTPHeaderField name: String) -> String? { FieldName(name).flatMap { fields[$0] } }
}
