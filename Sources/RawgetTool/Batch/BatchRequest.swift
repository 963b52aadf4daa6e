import HTTPCache
import HTTPClient
import HTTPMessage

/// The request of one line, and what becomes of its answer.
struct BatchRequest: Hashable, Sendable {
    /// Echoed as it was written.
    var id: JSONValue
    /// What is asked for: the line's fields and no other.
    var request: HTTPRequest
    /// Longest time without an octet; `nil`: the client's.
    var timeout: Duration?
    /// Whether redirects are followed, as far as the command's options say.
    var followsRedirects = true
    var cachePolicy = CachePolicy.useProtocolCachePolicy
    /// The file that the content goes to; `nil`: into the answer.
    var output: String?

    /// Shortest time-out, in seconds.
    static let shortestTimeout = 0.001

    /// Reads the members of a line. Throws `badURI` and `unsupportedScheme` for its URL, `badRequest` for all else.
    init(_ members: BatchMembers, _ id: JSONValue) throws(TransferError) {
        self.id = id
        guard let url = try members.text(of: "url") else { throw BatchFault.error("url is missing") }
        let name = try members.text(of: "method") ?? "GET"
        guard let method = HTTPMethod(name) else {
            throw BatchFault.error("method: a token should stand there (RFC 9110, section 9.1)")
        }
        let uri: URI
        do throws(URIError) { uri = try URI(parsing: url) } catch { throw TransferError(error) }
        request = HTTPRequest(method, uri, fields: try BatchRequest.fields(members.list(of: "headers")))
        request.content = try BatchRequest.content(members)
        if let name = try members.text(of: "cachePolicy") {
            guard let policy = CachePolicy(name: name) else {
                let names = CachePolicy.allCases.map(\.rawValue).joined(separator: ", ")
                throw BatchFault.error("cachePolicy: one of \(names) should stand there")
            }
            cachePolicy = policy
        }
        let bounds = BatchRequest.shortestTimeout...BatchLine.longestTime
        timeout = try members.seconds(of: "timeout", in: bounds)
        switch try members.text(of: "redirect") {
        case nil, "follow": break
        case "manual": followsRedirects = false
        default: throw BatchFault.error("redirect: follow or manual should stand there")
        }
        output = try members.text(of: "output").map { (path) throws(TransferError) in
            try BatchRequest.checked(path)
        }
    }

    /// Name and value of each field, in order. A value is text of which each character is one octet (ISO 8859-1),
    /// without the blanks around it (RFC 9110, section 5.5).
    private static func fields(_ list: [JSONValue]) throws(TransferError) -> HTTPFields {
        var fields = HTTPFields()
        for (index, element) in list.enumerated() {
            guard case .array(let pair) = element, pair.count == 2, case .string(let name) = pair[0],
                case .string(let text) = pair[1]
            else { throw BatchFault.error("headers[\(index)]: an array of two strings should stand there") }
            guard let name = FieldName(name) else {
                throw BatchFault.error("headers[\(index)]: the name is no token (RFC 9110, section 5.1)")
            }
            let value = trimmed(text)
            for scalar in value {
                guard scalar.value <= 0xFF else {
                    throw BatchFault.error(
                        "headers[\(index)]: the value has a character past U+00FF, for which there is no octet"
                    )
                }
                // Before the cache is asked: its answer would hide that such a request cannot be sent.
                guard scalar.value >= 0x20 && scalar.value != 0x7F || scalar == "\t" else {
                    throw BatchFault.error(
                        "headers[\(index)]: the value has a control character (RFC 9110, section 5.5)")
                }
            }
            fields.append(name, String(value))
        }
        return fields
    }

    private static func trimmed(_ text: String) -> Substring.UnicodeScalarView {
        let isBlank: (Unicode.Scalar) -> Bool = { $0 == " " || $0 == "\t" }
        let rest = text.unicodeScalars.drop(while: isBlank)
        guard let last = rest.lastIndex(where: { !isBlank($0) }) else { return rest }
        return rest[...last]
    }

    private static func content(_ members: BatchMembers) throws(TransferError) -> [UInt8]? {
        let text = try members.text(of: "body")
        guard let code = try members.text(of: "bodyBase64") else { return text.map { Array($0.utf8) } }
        guard text == nil else {
            throw BatchFault.error("body and bodyBase64: only one of them can be the content")
        }
        guard let octets = Base64.decoded(code.utf8.span) else {
            throw BatchFault.error("bodyBase64: padded base64 should stand there (RFC 4648, section 4)")
        }
        return octets
    }

    /// A path that a file of its own can have.
    private static func checked(_ path: String) throws(TransferError) -> String {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw BatchFault.error("output: the name of a file should stand there, without a NUL")
        }
        guard path != "-", OpenDescriptor.number(of: path) == nil else {
            throw BatchFault.error("output: a file of its own should be named, not an open stream")
        }
        return path
    }
}
