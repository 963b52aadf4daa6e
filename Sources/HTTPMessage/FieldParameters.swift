/// The `;name=value` pairs behind the first part of a field value (RFC 9110, section 5.6.6).
public struct FieldParameters: Hashable, Sendable {
    /// One pair.
    public struct Parameter: Hashable, Sendable {
        /// A token in lower case.
        public var name: String
        /// Without quotes, each scalar an octet.
        public var value: String

        /// A pair of that name and value.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// In their order, repeats kept.
    public private(set) var all: [Parameter]

    /// These pairs.
    public init(_ all: [Parameter] = []) { self.all = all }

    /// The first value of `name`, without regard to case.
    public subscript(name: String) -> String? { all.first { $0.name.isEqualIgnoringCase(to: name) }?.value }

    /// Reads parameters up to the end of the value; what is no parameter is left out up to the next ";".
    ///
    ///     parameters      = *( OWS ";" OWS [ parameter ] )
    ///     parameter       = parameter-name "=" parameter-value
    ///     parameter-value = ( token / quoted-string )
    ///
    /// With `isLenient` there may be blanks around "=" (RFC 6266, section 4.1 has them), a value without
    /// quotes may be any text up to the next ";" and a quoted string that is not closed goes to the end:
    /// recovery that RFC 9110, section 2.4 permits, for the file names that servers send.
    package init(reading scanner: inout FieldScanner, isLenient: Bool = false) {
        all = []
        while !scanner.isAtEnd {
            let isSeparated = scanner.read(UInt8(ascii: ";"))
            scanner.skipBlanks()
            if isSeparated, let parameter = Self.readParameter(&scanner, isLenient: isLenient) {
                all.append(parameter)
            }
            _ = scanner.readMember(endingAt: UInt8(ascii: ";"))
        }
    }

    private static func readParameter(_ scanner: inout FieldScanner, isLenient: Bool) -> Parameter? {
        guard let name = scanner.readToken() else { return nil }
        if isLenient { scanner.skipBlanks() }
        guard scanner.read(UInt8(ascii: "=")) else { return nil }
        if isLenient { scanner.skipBlanks() }
        let start = scanner.position
        if let text = scanner.readQuotedString() {
            guard isLenient || scanner.isAtParameterEnd else { return nil }
            return Parameter(name: name.lowercasedASCII, value: String(latin1: text))
        }
        if let token = scanner.readToken(), scanner.isAtParameterEnd {
            return Parameter(name: name.lowercasedASCII, value: token)
        }
        guard isLenient else { return nil }
        let octets = scanner.octets
        if start < octets.count, octets[start] == UInt8(ascii: "\"") {
            scanner.skip(to: octets.count)
            return Parameter(name: name.lowercasedASCII, value: String(latin1: octets[(start + 1)...]))
        }
        let end = octets[start...].firstIndex(of: UInt8(ascii: ";")) ?? octets.count
        scanner.skip(to: end)
        let range = FieldScanner.trimmed(octets.span, start..<end)
        return range.isEmpty
            ? nil : Parameter(name: name.lowercasedASCII, value: String(latin1: octets[range]))
    }
}

extension FieldScanner {
    /// Whether nothing but blanks stands before the next ";" or the end.
    fileprivate var isAtParameterEnd: Bool {
        var rest = self
        rest.skipBlanks()
        return rest.isAtEnd || rest.next == UInt8(ascii: ";")
    }
}

extension FieldParameters: CustomStringConvertible {
    /// As behind a media type: `; name=value` for each, quoted where the value is no token. What cannot stand
    /// in a field, a value with controls, is left out.
    public var description: String {
        all.compactMap { parameter in
            let isToken = FieldName.isToken(parameter.value)
            let value = isToken ? parameter.value : FieldGrammar.quoted(parameter.value)
            return value.map { "; \(parameter.name)=\($0)" }
        }.joined()
    }
}
