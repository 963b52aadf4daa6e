import HTTPMessage

/// Which fields of a response are kept, and which a newer response replaces (RFC 9111, sections 3.1 and 3.2).
enum KeptFields {
    /// Fields of a connection or a proxy, not of the response (RFC 9110, section 7.6.1; RFC 9111, section 3.1).
    private static let connectionFields: [FieldName] = [
        .connection, .keepAlive, .proxyConnection, .te, .transferEncoding, .upgrade, .proxyAuthenticate,
        .proxyAuthenticationInfo, .proxyAuthorization,
    ]

    /// Fields that describe the octets that are stored, and not those that another response has, or does not have.
    private static let contentFields: [FieldName] = [
        .contentLength, .contentEncoding, .contentRange, "Content-Digest", "Content-MD5",
    ]

    /// The fields of `response` as they are kept. Age is left out, since it is made anew for each answer. Where there is
    /// no Date, the time of receipt becomes it (RFC 9110, section 6.6.1).
    static func stored(_ response: HTTPResponse, _ control: CacheControl, receivedAt date: HTTPDate)
        -> HTTPFields
    {
        let left = leftOut(response.fields, control)
        var fields = HTTPFields()
        for field in response.fields where !left.contains(field.name) {
            fields.append(field.name, field.value)
        }
        if !fields.contains(.date) { fields.append(.date, date.description) }
        return fields
    }

    /// `fields`, which are stored, with those of a newer response in the place of theirs. What describes the stored
    /// octets stays as it is (section 3.2).
    static func updated(
        _ fields: HTTPFields, by response: HTTPResponse, _ control: CacheControl, receivedAt date: HTTPDate
    ) -> HTTPFields {
        let left = leftOut(response.fields, control) + contentFields
        let new = response.fields.filter { !left.contains($0.name) }
        var updated = HTTPFields()
        for field in fields {
            let isReplaced = new.contains { $0.name == field.name }
            // The time of what is validated begins anew, also where the newer response does not tell it.
            let isOldDate = field.name == .date && !response.fields.contains(.date)
            if !isReplaced, !isOldDate { updated.append(field.name, field.value) }
        }
        for field in new { updated.append(field.name, field.value) }
        if !updated.contains(.date) { updated.append(.date, date.description) }
        return withoutNamed(updated)
    }

    /// Stored fields, with newer ones in the place of those of the same names.
    static func merged(_ fields: HTTPFields, with newer: HTTPFields) -> HTTPFields {
        var merged = HTTPFields()
        for field in fields where !newer.contains(field.name) { merged.append(field.name, field.value) }
        merged.append(contentsOf: newer)
        return withoutNamed(merged)
    }

    /// Without what `no-cache` names, whichever response said so: it is not used without validation (section 5.2.2.4).
    private static func withoutNamed(_ fields: HTTPFields) -> HTTPFields {
        guard let names = CacheControl(in: fields).fieldNames(of: .noCache) else { return fields }
        var left = fields
        for name in names { left.remove(name) }
        return left
    }

    /// What of a response is not kept: the above, what its Connection names, and what its `no-cache` names (section
    /// 5.2.2.4).
    private static func leftOut(_ fields: HTTPFields, _ control: CacheControl) -> [FieldName] {
        var names = connectionFields + [.age]
        names += CommaList(.connection, in: fields).compactMap { FieldName($0) }
        names += control.fieldNames(of: .noCache) ?? []
        return names
    }
}
