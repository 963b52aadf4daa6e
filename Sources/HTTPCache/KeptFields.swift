import HTTPMessage

/// Which fields of a response are kept, and which a newer response replaces (RFC 9111, sections 3.1 and 3.2).
enum KeptFields {
    /// Fields of a connection or a proxy, not of the response (RFC 9110, section 7.6.1; RFC 9111, section 3.1), and Age,
    /// which is made anew for each answer.
    private static let connectionFields: Set<FieldName> = [
        .connection, .keepAlive, .proxyConnection, .te, .transferEncoding, .upgrade, .proxyAuthenticate,
        .proxyAuthenticationInfo, .proxyAuthorization, .age,
    ]

    /// Fields that describe the octets that are stored, and not those that another response has, or does not have.
    private static let contentFields: Set<FieldName> = [
        .contentLength, .contentEncoding, .contentRange, "Content-Digest", "Content-MD5",
    ]

    /// Fields that say how long a response is fresh, how it may be used, and for which requests.
    private static let ruleFields: [FieldName] = [.cacheControl, .expires, .vary]

    /// The fields of `response` as they are kept. Where there is no Date, the time of receipt becomes it (RFC 9110,
    /// section 6.6.1).
    static func stored(_ response: HTTPResponse, _ control: CacheControl, receivedAt date: HTTPDate)
        -> HTTPFields
    {
        var fields = response.fields.without(connectionNames(response.fields), control.fieldsLeftOut)
        if !fields.contains(.date) { fields.append(.date, date.description) }
        return fields
    }

    /// `fields`, which are stored, with those of a newer response in the place of theirs. What describes the stored
    /// octets stays as it is (section 3.2), and what `no-cache` names, whichever response said so, is left out (section
    /// 5.2.2.4). `control` is what is in force from now on.
    static func updated(
        _ fields: HTTPFields, by response: HTTPResponse, _ control: CacheControl, receivedAt date: HTTPDate
    ) -> HTTPFields {
        let newer = response.fields.without(
            connectionNames(response.fields), contentFields, CacheControl(in: response.fields).fieldsLeftOut)
        // The time of what is validated begins anew, also where the newer response does not tell it.
        var updated = merged(fields.without([.date]), with: newer, control)
        if !updated.contains(.date) { updated.append(.date, date.description) }
        return updated
    }

    /// Stored fields, with newer ones in the place of those of the same names, without what is left out by what is in
    /// force.
    static func merged(_ fields: HTTPFields, with newer: HTTPFields, _ control: CacheControl) -> HTTPFields {
        var merged = fields.without(Set(newer.map(\.name)))
        merged.append(contentsOf: newer)
        let named = control.fieldsLeftOut
        return named.isEmpty ? merged : merged.without(named)
    }

    // MARK: Rules

    /// The lines that say how a response may be used. They stay in force also where they are no part of what is kept, since
    /// Connection or `no-cache` names them.
    static func rules(of fields: HTTPFields) -> HTTPFields {
        var rules = HTTPFields()
        for name in ruleFields {
            for value in fields.values(of: name) { rules.append(name, value) }
        }
        return rules
    }

    /// The rules of a newer response, and the old ones of which it says nothing.
    static func rules(_ old: HTTPFields, updatedBy fields: HTTPFields) -> HTTPFields {
        var rules = rules(of: fields)
        for name in ruleFields where !fields.contains(name) {
            for value in old.values(of: name) { rules.append(name, value) }
        }
        return rules
    }

    /// A kept head with the rules in the place of what is left of them: what lifetimes are told by.
    static func ruled(_ head: HTTPResponse, by rules: HTTPFields) -> HTTPResponse {
        var head = head
        head.fields = head.fields.without(Set(ruleFields))
        head.fields.append(contentsOf: rules)
        return head
    }

    private static func connectionNames(_ fields: HTTPFields) -> Set<FieldName> {
        connectionFields.union(CommaList(.connection, in: fields).compactMap { FieldName($0) })
    }
}

extension CacheControl {
    /// The fields that `no-cache` names.
    var fieldsLeftOut: Set<FieldName> { isEmpty ? [] : Set(fieldNames(of: .noCache) ?? []) }
}

extension HTTPFields {
    /// The lines whose names are in none of the sets.
    func without(_ names: Set<FieldName>...) -> HTTPFields {
        var left = HTTPFields()
        for field in self where !names.contains(where: { $0.contains(field.name) }) {
            left.append(field.name, field.value)
        }
        return left
    }

    /// The value of the one line of that name; `nil` where there is none, or there are several.
    func single(_ name: FieldName) -> String? {
        guard let index = index(of: name, from: 0), self.index(of: name, from: index + 1) == nil else {
            return nil
        }
        return self[index].value
    }
}
