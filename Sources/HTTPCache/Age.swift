import HTTPMessage

/// How old a response is when it comes (RFC 9111, section 4.2.3).
enum Age {
    /// The corrected initial age, in seconds; saturates.
    static func initial(of response: HTTPResponse, requested: CacheTime, received: CacheTime) -> Int64 {
        let date = response.date(receivedAt: received.date)
        let apparentAge = date.map { max(0, received.date.seconds(since: $0)) } ?? 0
        let responseDelay = received.seconds(since: requested)
        let (correctedAge, overflows) = value(in: response.fields).addingReportingOverflow(responseDelay)
        return max(apparentAge, overflows ? .max : correctedAge)
    }

    /// What the Age field says: the first member of its first line, digits alone; else it says nothing (section 5.1).
    static func value(in fields: HTTPFields) -> Int64 {
        guard let line = fields.first(.age) else { return 0 }
        let member = line.utf8.prefix { $0 != UInt8(ascii: ",") }
        var digits = member.drop { $0 == 0x20 || $0 == 0x09 }
        while let last = digits.last, last == 0x20 || last == 0x09 { digits.removeLast() }
        guard !digits.isEmpty, digits.allSatisfy(\.isDigit) else { return 0 }
        return FieldGrammar.saturatedNumber(digits)
    }
}
