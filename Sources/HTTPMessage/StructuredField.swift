/// What stands for one thing in a structured field (RFC 9651, section 3.3).
public enum StructuredValue: Hashable, Sendable {
    /// At most 15 digits.
    case integer(Int64)
    /// In thousandths: there are at most three digits behind the point, and 12 before it.
    case decimal(thousandths: Int64)
    /// Printable ASCII.
    case string(String)
    /// A word that needs no quotes.
    case token(String)
    /// A byte sequence, decoded.
    case octets([UInt8])
    case boolean(Bool)
    /// Seconds since 1970-01-01 00:00:00 UTC, of at most 15 digits.
    case date(secondsSinceEpoch: Int64)
    /// Text of any script. It may hold what must not reach a terminal as it is.
    case displayString(String)
}

/// What stands behind an item or an inner list, each after a ";" (RFC 9651, section 3.1.2).
public typealias StructuredParameters = StructuredMap<StructuredValue>

/// A value with its parameters: the whole of a field, or a part of a list or dictionary (RFC 9651, section 3.3).
public struct StructuredItem: Hashable, Sendable {
    /// The bare item.
    public var value: StructuredValue
    /// Most items have none.
    public var parameters: StructuredParameters

    /// An item of these.
    public init(_ value: StructuredValue, parameters: StructuredParameters = StructuredParameters()) {
        self.value = value
        self.parameters = parameters
    }

    /// Parses a field that is defined as an item; `nil` when any of it is not as RFC 9651, section 4.2 has it, or past a
    /// limit: then the field counts as missing.
    public init?(parsing value: String, limits: StructuredFieldLimits = StructuredFieldLimits()) {
        guard let item = StructuredFieldReader.read(value, limits, { $0.readItem() }) else { return nil }
        self = item
    }
}

/// A part of a list or dictionary.
public enum StructuredMember: Hashable, Sendable {
    /// One value.
    case item(StructuredItem)
    /// Several, in parentheses, with parameters of their own (RFC 9651, section 3.1.1).
    case innerList([StructuredItem], parameters: StructuredParameters)

    /// The value, whatever its parameters are; `nil` for an inner list.
    public var value: StructuredValue? {
        if case .item(let item) = self { item.value } else { nil }
    }
}

/// A field that is defined as a list (RFC 9651, section 3.1).
public struct StructuredList: Hashable, Sendable {
    /// In their order.
    public let members: [StructuredMember]

    /// Parses the values of all lines of the field, joined with commas as `HTTPFields` gives them; `nil` when any of it is
    /// not as RFC 9651, section 4.2 has it, or past a limit: then the field counts as missing.
    public init?(parsing value: String, limits: StructuredFieldLimits = StructuredFieldLimits()) {
        guard let members = StructuredFieldReader.read(value, limits, { $0.readList() }) else { return nil }
        self.members = members
    }
}

/// A field that is defined as a dictionary (RFC 9651, section 3.2).
public struct StructuredDictionary: Hashable, Sendable {
    /// By key, in the order of their first coming. A key without "=" has the value `true`.
    public let members: StructuredMap<StructuredMember>

    /// Parses the values of all lines of the field, joined with commas as `HTTPFields` gives them; `nil` when any of it is
    /// not as RFC 9651, section 4.2 has it, or past a limit: then the field counts as missing.
    public init?(parsing value: String, limits: StructuredFieldLimits = StructuredFieldLimits()) {
        guard let members = StructuredFieldReader.read(value, limits, { $0.readDictionary() }) else {
            return nil
        }
        self.members = members
    }

    /// The member of that key.
    public subscript(key: String) -> StructuredMember? { members[key] }
}

/// How large a structured field may be; one that is larger is not read.
///
/// The numbers are those that RFC 9651, section 3 asks every parser to take, but for the octets: those bound keys,
/// strings, tokens and byte sequences, of which the longest that must be taken has 21,848.
public struct StructuredFieldLimits: Hashable, Sendable {
    /// Octets of the whole value.
    public var octets = 64 << 10
    /// Members of a list or a dictionary.
    public var members = 1024
    /// Items of one inner list.
    public var innerItems = 256
    /// Parameters of one item or inner list.
    public var parameters = 256

    /// The defaults.
    public init() {}
}
