import HTTPMessage

/// The fields of the request by which a response was chosen, as its Vary says (RFC 9111, section 4.1).
struct SelectingFields: Sendable {
    /// Octets of names and values.
    var octetCount: Int { 0 }
}
