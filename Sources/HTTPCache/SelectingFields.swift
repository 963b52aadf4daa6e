import HTTPMessage

/// The fields of the request by which a response was chosen, as its Vary says (RFC 9111, section 4.1).
struct SelectingFields: Hashable, Sendable {
    /// A name and the normalised value in the request; `nil` where the request had no such field.
    struct Field: Hashable, Sendable {
        var name: FieldName
        var value: String?
    }

    /// Most names that are compared; a response that names more matches no request.
    static let maximumNames = 64

    /// In the order of their names, each once.
    let fields: [Field]
    /// "*", or a value that cannot be understood: no request matches.
    let matchesNone: Bool
    /// The languages of a response that was chosen by Accept-Language.
    private let languages: [String]

    /// The fields of `request` that the Vary among `rules` names. Credentials count as if they were named, unless those
    /// rules say that anybody may have `response` (section 3.5): answers for one name and password are no answers for
    /// others.
    init(_ rules: HTTPFields, of response: HTTPResponse, for request: HTTPRequest) {
        let names = CommaList(.vary, in: rules).members
        var fields: [Field] = []
        var matchesNone = names.count > SelectingFields.maximumNames
        if !matchesNone {
            for text in names {
                guard text != "*", let name = FieldName(text) else {
                    matchesNone = true
                    break
                }
                guard !fields.contains(where: { $0.name == name }) else { continue }
                fields.append(Field(name: name, value: SelectingFields.value(of: name, in: request.fields)))
            }
        }
        let control = CacheControl(in: rules)
        let isShared =
            (control.contains(.public) || control.contains(.sMaxage)) && !control.contains(.private)
        if request.fields.contains(.authorization), !isShared,
            !fields.contains(where: { $0.name == .authorization })
        {
            let value = SelectingFields.value(of: .authorization, in: request.fields)
            fields.append(Field(name: .authorization, value: value))
        }
        self.fields =
            fields.count > 1
            ? fields.sorted { $0.name.spelling.lowercasedASCII < $1.name.spelling.lowercasedASCII } : fields
        self.matchesNone = matchesNone
        let isLanguage = fields.contains { $0.name == .acceptLanguage }
        languages =
            isLanguage ? CommaList(.contentLanguage, in: response.fields).map { $0.lowercasedASCII } : []
    }

    /// Whether the response would be chosen for `request`.
    func match(_ request: HTTPRequest) -> Bool {
        guard !matchesNone else { return false }
        return fields.allSatisfy { field in
            let value = SelectingFields.value(of: field.name, in: request.fields)
            return value == field.value || field.name == .acceptLanguage && isPreferred(by: request.fields)
        }
    }

    /// Whether the request is of the same user, where the response is one user's.
    func matchesCredentials(of request: HTTPRequest) -> Bool {
        fields.allSatisfy {
            $0.name != .authorization
                || $0.value == SelectingFields.value(of: .authorization, in: request.fields)
        }
    }

    /// Whether the response is in the one language that the request likes best: then no other could be chosen.
    private func isPreferred(by fields: HTTPFields) -> Bool {
        guard languages.count == 1 else { return false }
        let ranked = AcceptedLanguage.list(in: fields).filter { $0.quality > 0 }
        guard let best = ranked.map(\.quality).max() else { return false }
        let favourites = ranked.filter { $0.quality == best }
        return favourites.count == 1 && favourites[0].range == languages[0]
    }

    /// The value as it is compared: members of all lines, without blanks around them; of Accept-Language without regard
    /// to case and order. `nil` when there is no such field.
    private static func value(of name: FieldName, in fields: HTTPFields) -> String? {
        guard fields.contains(name) else { return nil }
        guard name == .acceptLanguage else {
            return CommaList(name, in: fields).members.joined(separator: ",")
        }
        return AcceptedLanguage.list(in: fields).map(\.description).sorted().joined(separator: ",")
    }

    /// Octets of names and values.
    var octetCount: Int {
        fields.reduce(0) { $0 + $1.name.spelling.utf8.count + ($1.value?.utf8.count ?? 0) }
    }
}

/// A member of Accept-Language (RFC 9110, section 12.5.4).
private struct AcceptedLanguage {
    /// In lower case.
    var range: String
    /// In thousandths.
    var quality: Int

    /// The members of all lines; one whose quality cannot be read is a range by all its text.
    static func list(in fields: HTTPFields) -> [AcceptedLanguage] {
        CommaList(.acceptLanguage, in: fields).map { member in
            let member = member.lowercasedASCII
            let parts = member.split(separator: ";", maxSplits: 1)
            guard parts.count == 2, let range = parts.first, let quality = quality(parts[1]) else {
                return AcceptedLanguage(range: member, quality: 1000)
            }
            return AcceptedLanguage(range: range.trimmed, quality: quality)
        }
    }

    /// weight = OWS ";" OWS "q=" qvalue
    private static func quality(_ text: Substring) -> Int? {
        let text = text.trimmed
        guard text.hasPrefix("q=") else { return nil }
        let digits = text.dropFirst(2)
        guard let whole = digits.first, whole == "0" || whole == "1", digits.count <= 5 else { return nil }
        var fraction = digits.dropFirst()
        guard fraction.isEmpty || fraction.removeFirst() == ".",
            fraction.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        let thousandths = Int(fraction + String(repeating: "0", count: 3 - fraction.count)) ?? 0
        let quality = (whole == "1" ? 1000 : 0) + thousandths
        return quality <= 1000 ? quality : nil
    }

    var description: String { "\(range);\(quality)" }
}

extension Substring {
    /// Without blanks at its ends.
    fileprivate var trimmed: String {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        var text = drop(while: isBlank)
        while let last = text.last, isBlank(last) { text.removeLast() }
        return String(text)
    }
}
