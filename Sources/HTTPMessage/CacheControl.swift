/// What the Cache-Control lines of a section say (RFC 9111, section 5.2), of a request or a response.
///
/// A name that is known tells something even where what follows is broken: `no-store;` still forbids, and the time of
/// `max-age =100` is invalid rather than absent, so that the most restrictive meaning can be taken (section 4.2.1).
public struct CacheControl: Hashable, Sendable {
    /// One member of the list.
    public struct Directive: Hashable, Sendable {
        /// In lower case.
        public let name: Name
        /// Without quotes, each scalar an octet; `nil` when there is none, or it cannot be read.
        public let argument: String?
        /// Whether something stands behind the name that is no argument.
        public let isMalformed: Bool
    }

    /// A time given as a number of seconds (section 1.2.2).
    public enum DeltaSeconds: Hashable, Sendable {
        /// So many; a number past 63 bits is the greatest of them.
        case seconds(Int64)
        /// The argument is missing, or not digits alone.
        case invalid
    }

    /// In their order, repeats kept. What does not begin with a name is left out.
    public private(set) var directives: [Directive] = []

    /// The directives of all lines of Cache-Control. Each line is read for itself, so that a quoted string that is not
    /// closed takes no other line with it.
    public init(in fields: HTTPFields) {
        var next = 0
        while let index = fields.index(of: .cacheControl, from: next) {
            append(Array(fields.valueOctets(at: index)))
            next = index + 1
        }
    }

    /// Whether there is none.
    public var isEmpty: Bool { directives.isEmpty }

    /// The first directive of that name, which is the one that counts (section 4.2.1).
    public subscript(name: Name) -> Directive? { directives.first { $0.name == name } }

    /// Whether there is a directive of that name, with or without an argument, however broken that is.
    public func contains(_ name: Name) -> Bool { self[name] != nil }

    /// The time that the first directive of that name gives; `nil` when there is none.
    public func seconds(_ name: Name) -> DeltaSeconds? {
        guard let directive = self[name] else { return nil }
        guard let digits = directive.argument?.utf8, !digits.isEmpty, digits.allSatisfy(\.isDigit) else {
            return .invalid
        }
        return .seconds(FieldGrammar.saturatedNumber(digits))
    }

    /// The fields that `no-cache` or `private` is limited to, of all directives of that name. `nil` when it speaks of
    /// the whole response: there is no such directive (`contains` tells), one has no argument, or its argument is no
    /// list of field names.
    public func fieldNames(of name: Name) -> [FieldName]? {
        var names: [FieldName] = []
        var isPresent = false
        for directive in directives where directive.name == name {
            isPresent = true
            guard let argument = directive.argument else { return nil }
            let members = CommaList(argument).map { FieldName($0) }
            guard !members.isEmpty, members.allSatisfy({ $0 != nil }) else { return nil }
            names += members.compactMap { $0 }
        }
        return isPresent ? names : nil
    }

    private mutating func append(_ value: [UInt8]) {
        for member in FieldGrammar.members(of: value) {
            if let directive = Directive(parsing: Array(value[member])) { directives.append(directive) }
        }
    }
}

extension CacheControl.Directive {
    /// `nil` when there is no name.
    ///
    ///     cache-directive = token [ "=" ( token / quoted-string ) ]
    fileprivate init?(parsing member: [UInt8]) {
        var scanner = FieldScanner(member)
        guard let token = scanner.readToken() else { return nil }
        name = CacheControl.Name(token)
        var argument: String?
        if scanner.read(UInt8(ascii: "=")) {
            // Either form, whatever the directive's definition prefers (section 5.2).
            argument = scanner.readQuotedString().map { String(latin1: $0) } ?? scanner.readToken()
            isMalformed = argument == nil || !scanner.isAtEnd
        } else {
            isMalformed = !scanner.isAtEnd
        }
        self.argument = isMalformed ? nil : argument
    }
}

extension CacheControl.Directive: CustomStringConvertible {
    /// As in a field; what was malformed behind the name is left out.
    public var description: String {
        guard let argument else { return name.text }
        return "\(name)=\(FieldName.isToken(argument) ? argument : FieldGrammar.quoted(argument) ?? "\"\"")"
    }
}

extension CacheControl {
    /// The name of a directive, compared without regard to case.
    public struct Name: Hashable, Sendable {
        /// In lower case.
        public let text: String

        /// That name.
        public init(_ text: String) { self.text = text.lowercasedASCII }

        private init(known text: String) { self.text = text }
    }
}

extension CacheControl.Name: ExpressibleByStringLiteral {
    /// That name.
    public init(stringLiteral text: String) { self.init(text) }
}

extension CacheControl.Name: CustomStringConvertible {
    /// In lower case.
    public var description: String { text }
}

extension CacheControl.Name {
    /// RFC 8246.
    public static let immutable = Self(known: "immutable")
    /// RFC 9111, sections 5.2.1.1 and 5.2.2.1.
    public static let maxAge = Self(known: "max-age")
    /// Of requests (RFC 9111, section 5.2.1.2).
    public static let maxStale = Self(known: "max-stale")
    /// Of requests (RFC 9111, section 5.2.1.3).
    public static let minFresh = Self(known: "min-fresh")
    /// RFC 9111, section 5.2.2.2.
    public static let mustRevalidate = Self(known: "must-revalidate")
    /// RFC 9111, section 5.2.2.3.
    public static let mustUnderstand = Self(known: "must-understand")
    /// RFC 9111, sections 5.2.1.4 and 5.2.2.4.
    public static let noCache = Self(known: "no-cache")
    /// RFC 9111, sections 5.2.1.5 and 5.2.2.5.
    public static let noStore = Self(known: "no-store")
    /// RFC 9111, sections 5.2.1.6 and 5.2.2.6.
    public static let noTransform = Self(known: "no-transform")
    /// Of requests (RFC 9111, section 5.2.1.7).
    public static let onlyIfCached = Self(known: "only-if-cached")
    /// RFC 9111, section 5.2.2.7.
    public static let `private` = Self(known: "private")
    /// For shared caches (RFC 9111, section 5.2.2.8).
    public static let proxyRevalidate = Self(known: "proxy-revalidate")
    /// RFC 9111, section 5.2.2.9.
    public static let `public` = Self(known: "public")
    /// For shared caches (RFC 9111, section 5.2.2.10).
    public static let sMaxage = Self(known: "s-maxage")
    /// RFC 5861, section 4.
    public static let staleIfError = Self(known: "stale-if-error")
    /// RFC 5861, section 3.
    public static let staleWhileRevalidate = Self(known: "stale-while-revalidate")
}
