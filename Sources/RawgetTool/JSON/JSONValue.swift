/// A value of JSON (RFC 8259, section 3), as it was written: a number is its text, an object has its members in order,
/// repeats and all.
enum JSONValue: Hashable, Sendable {
    /// A member of an object.
    struct Member: Hashable, Sendable {
        var name: String
        var value: JSONValue
    }

    case null
    case bool(Bool)
    /// By the grammar of section 6, so that no digit of it is lost.
    case number(String)
    case string(String)
    case array([JSONValue])
    case object([Member])

    /// What it is, as a message says it.
    var kind: String {
        switch self {
        case .null: "null"
        case .bool(let value): value ? "true" : "false"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

/// Why a text is no JSON, or none that is read here.
struct JSONError: Error, Hashable, Sendable {
    /// What is wrong.
    enum Reason: Hashable, Sendable {
        /// Something else should stand here.
        case expected(Expectation)
        /// A control character in a string, which must be escaped (section 7).
        case control
        /// Octets of a string that are no UTF-8 (section 8.1).
        case invalidUTF8
        /// A backslash and what may not follow it.
        case invalidEscape
        /// Half of a surrogate pair without the other half: no character.
        case loneSurrogate
        /// Something like a number that is none, such as `01`, `1.` or `+1`.
        case invalidNumber
        /// Values inside of one another.
        case tooDeep(limit: Int)
        /// Values in all.
        case tooMany(limit: Int)
    }

    /// What should stand there.
    enum Expectation: String, Hashable, Sendable {
        case value = "a value"
        case name = "a name in quotation marks"
        case colon = "a colon"
        case memberEnd = "a comma or }"
        case elementEnd = "a comma or ]"
        case stringEnd = "the end of a string"
        case object = "an object"
        case end = "the end of the text"
    }

    var reason: Reason
    /// Of the octet at fault, from 0.
    var offset: Int
}

extension JSONError: CustomStringConvertible {
    /// One clause for a person. It repeats nothing of the text, which may hold secrets.
    var description: String {
        let words =
            switch reason {
            case .expected(let expectation): "\(expectation.rawValue) should stand"
            case .control: "a control character stands in a string without an escape"
            case .invalidUTF8: "a string is not valid UTF-8"
            case .invalidEscape: "a backslash begins no escape"
            case .loneSurrogate: "a surrogate stands without the other half of its pair"
            case .invalidNumber: "a number has no valid form"
            case .tooDeep(let limit): "more than \(limit) values stand inside of one another"
            case .tooMany(let limit): "more than \(limit) values stand in the text"
            }
        return "\(words) at octet \(offset)"
    }
}
