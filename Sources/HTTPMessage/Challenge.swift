/// A challenge by which a server or a proxy asks for credentials (RFC 9110, section 11.3).
public struct Challenge: Hashable, Sendable {
    /// The scheme, in lower case: `basic`, `digest`, `negotiate`.
    public var scheme: String
    /// What stands behind the scheme where that has a value of its own in place of parameters.
    public var token68: String?
    /// The parameters; names in lower case, values without quotes, each scalar an octet.
    public var parameters: FieldParameters

    /// Most challenges that are read of a message by default. Servers send two or three.
    public static let defaultMostChallenges = 64
    /// Most parameters of a challenge that are read by default. Digest has nine (RFC 7616, section 3.3).
    public static let defaultMostParameters = 64

    /// A challenge of these parts.
    public init(scheme: String, token68: String? = nil, parameters: FieldParameters = FieldParameters()) {
        self.scheme = scheme.lowercasedASCII
        self.token68 = token68
        self.parameters = parameters
    }

    /// What is protected, in the server's words (RFC 9110, section 11.5).
    public var realm: String? { parameters["realm"] }

    /// The challenges of all lines of `name`: WWW-Authenticate (RFC 9110, section 11.6.1) or Proxy-Authenticate
    /// (section 11.7.1). Each line is read for itself; one that cannot be read to its end gives the challenges up to there.
    /// What is past the limits is left out.
    public static func all(
        in fields: HTTPFields, of name: FieldName, mostChallenges: Int = defaultMostChallenges,
        mostParameters: Int = defaultMostParameters
    ) -> [Challenge] {
        var challenges: [Challenge] = []
        var next = 0
        while let index = fields.index(of: name, from: next) {
            var reader = ChallengeReader(
                Array(fields.valueOctets(at: index)), mostParameters: mostParameters)
            while challenges.count < mostChallenges, let challenge = reader.readChallenge() {
                challenges.append(challenge)
            }
            next = index + 1
        }
        return challenges
    }
}

/// Reads the challenges of one field value, whose commas divide challenges as well as their parameters.
///
///     WWW-Authenticate = [ challenge *( OWS "," OWS challenge ) ]
///     challenge        = auth-scheme [ 1*SP ( token68 / #auth-param ) ]
///     auth-param       = token BWS "=" BWS ( token / quoted-string )
///     token68          = 1*( ALPHA / DIGIT / "-" / "." / "_" / "~" / "+" / "/" ) *"="
///
/// What stands behind a comma is a parameter where "=" follows its first token, else the next challenge. As in browsers
/// a value without quotes may be any text up to the comma, quotes need not be closed, and what follows them is passed
/// over.
struct ChallengeReader {
    private var scanner: FieldScanner
    private let mostParameters: Int

    /// At the start of a value.
    init(_ value: [UInt8], mostParameters: Int) {
        scanner = FieldScanner(value)
        self.mostParameters = mostParameters
    }

    /// The next challenge; `nil` at the end of the value or of what can be read of it.
    mutating func readChallenge() -> Challenge? {
        skipCommas()
        guard let scheme = scanner.readToken() else { return nil }
        guard scanner.next.map({ $0 == 0x20 || $0 == 0x09 || $0 == 0x2C }) ?? true else { return nil }
        scanner.skipBlanks()
        let token68 = readToken68()
        var parameters: [FieldParameters.Parameter] = []
        // Right behind the scheme there need be no comma.
        var isDue = token68 == nil
        while true {
            let mark = scanner
            let isSeparated = skipCommas()
            guard isSeparated || isDue, let parameter = readParameter() else {
                scanner = mark
                break
            }
            isDue = false
            if parameters.count < mostParameters { parameters.append(parameter) }
        }
        return Challenge(scheme: scheme, token68: token68, parameters: FieldParameters(parameters))
    }

    /// Passes over blanks and commas; whether there was a comma.
    @discardableResult
    private mutating func skipCommas() -> Bool {
        var isSeparated = false
        scanner.skipBlanks()
        while scanner.read(UInt8(ascii: ",")) {
            isSeparated = true
            scanner.skipBlanks()
        }
        return isSeparated
    }

    /// A value that stands alone up to the comma or the end.
    private mutating func readToken68() -> String? {
        let octets = scanner.octets
        let start = scanner.position
        var end = start
        while end < octets.count, octets[end].isToken68 { end += 1 }
        guard end > start else { return nil }
        while end < octets.count, octets[end] == UInt8(ascii: "=") { end += 1 }
        var rest = scanner
        rest.skip(to: end)
        rest.skipBlanks()
        guard rest.isAtEnd || rest.next == UInt8(ascii: ",") else { return nil }
        scanner = rest
        return String(decoding: octets[start..<end], as: UTF8.self)
    }

    private mutating func readParameter() -> FieldParameters.Parameter? {
        var ahead = scanner
        guard let name = ahead.readToken() else { return nil }
        ahead.skipBlanks()
        guard ahead.read(UInt8(ascii: "=")) else { return nil }
        ahead.skipBlanks()
        let value: [UInt8]
        if let text = ahead.readQuotedString() {
            value = text
            _ = ahead.readMember(endingAt: UInt8(ascii: ","))
        } else {
            let isUnclosed = ahead.next == UInt8(ascii: "\"")
            let start = ahead.position + (isUnclosed ? 1 : 0)
            let octets = ahead.octets
            let end = isUnclosed ? octets.count : octets[start...].firstIndex(of: 0x2C) ?? octets.count
            value = Array(octets[FieldScanner.trimmed(octets.span, start..<end)])
            ahead.skip(to: end)
        }
        scanner = ahead
        return FieldParameters.Parameter(name: name.lowercasedASCII, value: String(latin1: value))
    }
}

extension UInt8 {
    /// What a token68 is made of, but for the "=" at its end.
    fileprivate var isToken68: Bool {
        if isLetter || isDigit { return true }
        switch self {
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "+"),
            UInt8(ascii: "/"):
            return true
        default: return false
        }
    }
}
