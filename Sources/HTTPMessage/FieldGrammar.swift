/// The small grammars that field values share (RFC 9110, section 5.6).
public enum FieldGrammar {
    /// `text` as a quoted string: "\" before each `"` and "\" (RFC 9110, section 5.6.4). `nil` when it has a
    /// control other than the tab, or a scalar that is no octet.
    public static func quoted(_ text: String) -> String? {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            guard scalar.value <= 0xFF, scalar.value >= 0x20 || scalar == "\t", scalar.value != 0x7F else {
                return nil
            }
            if scalar == "\"" || scalar == "\\" { quoted.unicodeScalars.append("\\") }
            quoted.unicodeScalars.append(scalar)
        }
        return quoted + "\""
    }

    /// What a quoted string stands for; `nil` when `text` is not one quoted string and nothing else.
    public static func unquoted(_ text: String) -> String? {
        var scanner = FieldScanner(text)
        guard let octets = scanner.readQuotedString(), scanner.isAtEnd else { return nil }
        return String(latin1: octets)
    }

    /// The number that `text` stands for when it is nothing but digits (1*DIGIT) and fits into 64 bits.
    public static func number(_ text: String) -> UInt64? {
        var scanner = FieldScanner(text)
        guard let number = scanner.readNumber(), scanner.isAtEnd else { return nil }
        return number
    }

    /// The number that digits, and nothing else, stand for; one past 63 bits is the greatest of them.
    package static func saturatedNumber(_ digits: some Sequence<UInt8>) -> Int64 {
        var number: Int64 = 0
        for digit in digits {
            let (product, overflows) = number.multipliedReportingOverflow(by: 10)
            let (sum, carries) = product.addingReportingOverflow(Int64(digit - 0x30))
            guard !overflows, !carries else { return .max }
            number = sum
        }
        return number
    }

    /// Where the members of a list stand in `value`, without blanks and without empty members
    /// (RFC 9110, section 5.6.1). A comma inside a quoted string does not divide.
    ///
    ///     1#element => *( "," OWS ) element *( OWS "," [ OWS element ] )
    package static func members(of value: [UInt8]) -> [Range<Int>] {
        var scanner = FieldScanner(value)
        var members: [Range<Int>] = []
        while !scanner.isAtEnd {
            let member = scanner.readMember(endingAt: UInt8(ascii: ","))
            if !member.isEmpty { members.append(member) }
            _ = scanner.read(UInt8(ascii: ","))
        }
        return members
    }
}

/// The members of a list-based field: Connection, Transfer-Encoding, Vary and so on (RFC 9110, section
/// 5.6.1).
public struct CommaList: Hashable, Sendable {
    /// In their order, without blanks around them; empty members are left out.
    public private(set) var members: [String] = []

    /// The members of one value.
    public init(_ value: String) { append(FieldScanner(value).octets) }

    /// The members of all lines of `name`. Each line is read for itself, so that a quoted string that is not
    /// closed takes no other line with it.
    public init(_ name: FieldName, in fields: HTTPFields) {
        var next = 0
        while let index = fields.index(of: name, from: next) {
            append(Array(fields.valueOctets(at: index)))
            next = index + 1
        }
    }

    /// Whether `token` is a member, without regard to case.
    public func contains(token: String) -> Bool { members.contains { $0.isEqualIgnoringCase(to: token) } }

    private mutating func append(_ value: [UInt8]) {
        for member in FieldGrammar.members(of: value) { members.append(String(latin1: value[member])) }
    }
}

extension CommaList: RandomAccessCollection {
    /// 0.
    public var startIndex: Int { 0 }
    /// The number of members.
    public var endIndex: Int { members.count }
    /// The member at `index`.
    public subscript(index: Int) -> String { members[index] }
}

extension String {
    /// Whether both are the same but for the case of letters of ASCII.
    package func isEqualIgnoringCase(to other: String) -> Bool {
        utf8.count == other.utf8.count
            && utf8.elementsEqual(other.utf8) { $0.lowercasedASCII == $1.lowercasedASCII }
    }

    /// With letters of ASCII in lower case, all else as it is.
    package var lowercasedASCII: String { String(decoding: utf8.lazy.map(\.lowercasedASCII), as: UTF8.self) }
}
