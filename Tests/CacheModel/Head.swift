import HTTPMessage

/// What a stored response says at a certain time: its own head, and all that updated it since (RFC 9111, section 3.2).
struct Head {
    /// Names that are spoken of with the connection or its proxy and never stored (section 3.1).
    static let connectionFields: Set = [
        "connection", "keep-alive", "proxy-connection", "te", "transfer-encoding", "upgrade",
        "proxy-authenticate", "proxy-authentication-info", "proxy-authorization",
    ]
    /// They tell of the octets that are stored: an update may leave them.
    private static let describingContent: Set = ["content-type", "content-encoding", "content-range"]

    /// That of a 206 is 200: it is kept as a response that lacks octets.
    var status: Int
    var fields: [FieldText.Line]
    /// What else may stand in the place of a field's values.
    var alternatives: [String: [[String]]] = [:]
    var requested: CacheMoment
    var received: CacheMoment
    /// The Age it came with.
    var ageValue: Int128
    /// The number of the message that it came with, or that updated it last.
    var identifier: Int
    /// What happened before, and what after.
    var order: Int
    /// The fields of the requests that it is known to fit.
    var selections: [[FieldText.Line]]
    /// An unsafe request has been answered since (section 4.4).
    var isInvalid = false
    /// A HEAD has shown that it is out of date (section 4.3.5).
    var isOutdated = false
    /// Fields that no-cache has named: they may have been left out of what is stored.
    var droppable: Set<String> = []
    /// When it became another by an update.
    var replaced: Int?
    /// Date values that its ages may be counted from.
    var dates: [Int64]

    // What the fields say, read once.
    private(set) var directives = Directives([])
    /// All tags that it may be known by.
    private(set) var tags: [EntityTag] = []
    private(set) var modified: Int64?
    /// The names that its Vary has (section 4.1).
    private(set) var nominated: [String] = []

    init(_ message: Message, order: Int) {
        status = message.status == 206 ? 200 : message.status
        fields = Head.kept(message)
        requested = message.requested
        received = message.received
        ageValue = message.ageValue
        identifier = message.identifier
        self.order = order
        selections = [FieldText.lines(message.original.fields)]
        dates = [message.date ?? message.received.wall]
        alternatives["date"] = message.datesAllowed
        droppable = message.directives.noCacheFields
        readFields()
    }

    private mutating func readFields() {
        directives = Directives(fields)
        tags = ([values("etag")] + (alternatives["etag"] ?? [])).compactMap {
            $0.first.flatMap { EntityTag(parsing: $0) }
        }
        modified = FieldText.date(value("last-modified"), now: received)
        nominated = values("vary").flatMap(FieldText.members).map { $0.lowercased() }
    }

    /// What of a message's fields is stored: all but those of the connection, and Age, which is counted on.
    static func kept(_ message: Message) -> [FieldText.Line] {
        let lines = message.fields
        let named = lines.filter { $0.name == "connection" }.flatMap {
            FieldText.members($0.value).map { $0.lowercased() }
        }
        return lines.filter {
            !connectionFields.contains($0.name) && !named.contains($0.name) && $0.name != "age"
        }
    }

    /// Whether it was in use at that time.
    func isReplaced(after order: Int) -> Bool { replaced.map { $0 > order } ?? true }

    func values(_ name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }

    func value(_ name: String) -> String? { values(name).first }

    /// As a 304, a HEAD or a part updates it (section 3.2).
    func updated(by message: Message, order: Int) -> Head {
        var head = self
        let news = Head.kept(message).filter { $0.name != "content-length" }
        for name in Set(news.map(\.name)) {
            let values = news.filter { $0.name == name }.map(\.value)
            var others = alternatives[name] ?? []
            if Head.describingContent.contains(name) || name == "etag", self.value(name) != nil {
                others.append(self.values(name))
            } else {
                others = []
            }
            head.fields.removeAll { $0.name == name }
            head.fields += values.map { FieldText.Line(name: name, value: $0) }
            head.alternatives[name] = others
            head.droppable.remove(name)
        }
        if message.values("date").isEmpty {
            // The update has none: the old one stands, or the time of receipt does.
            head.alternatives["date", default: []] += message.datesAllowed
            head.dates.append(message.received.wall)
        } else {
            head.alternatives["date"] = message.datesAllowed
            head.dates = [message.date ?? message.received.wall]
        }
        head.requested = message.requested
        head.received = message.received
        head.ageValue = message.ageValue
        head.identifier = message.identifier
        head.order = order
        head.selections.append(FieldText.lines(message.original.fields))
        head.isOutdated = false
        head.readFields()
        head.droppable.formUnion(head.directives.noCacheFields)
        return head
    }
}

// MARK: - Age and freshness (sections 4.2.1 to 4.2.3)

extension Head {
    /// The ages that it may have now: the one that trusts Age alone, and the one that looks at Date, too; each with the
    /// date it is counted from.
    func ages(at now: CacheMoment) -> [(age: Int128, date: Int64)] {
        let resident = now.since(received)
        let corrected = ageValue + received.since(requested)
        return dates.flatMap { date in
            let apparent = max(0, Int128(received.wall) - Int128(date))
            // What overflows is the greatest number (section 1.2.2).
            return [corrected, max(apparent, corrected)].map { (min($0 + resident, FieldText.huge), date) }
        }
    }

    /// Tenths of seconds for which it is fresh. Heuristics are ten tenths of a tenth.
    func lifetimeTenths(from date: Int64) -> Int128 {
        let directives = directives
        if let seconds = directives.seconds("max-age") { return seconds * 10 }
        let now = received
        if let text = value("expires") {
            guard let expires = FieldText.date(text, now: now) else { return 0 }
            return max(0, (Int128(expires) - Int128(date)) * 10)
        }
        guard StatusKnowledge.heuristic.contains(status) || directives.has("public"),
            let modified = FieldText.date(value("last-modified"), now: now)
        else { return 0 }
        return min(max(0, Int128(date) - Int128(modified)), 7 * 86_400 * 10)
    }

    /// Whether it is fresh at that age (section 4.2).
    func isFresh(age: Int128, date: Int64) -> Bool { !isOutdated && lifetimeTenths(from: date) > age * 10 }

    /// Whether it has been stale for at most so many seconds.
    func isStale(age: Int128, date: Int64, forAtMost seconds: Int128) -> Bool {
        isOutdated || age * 10 - lifetimeTenths(from: date) <= seconds * 10
    }

    /// The least and the greatest time that it may be said to be of (section 4, "the most recent one").
    var oldestDate: Int64 { dates.min() ?? received.wall }
    var newestDate: Int64 { dates.max() ?? received.wall }
}

// MARK: - Validators (RFC 9110, section 8.8)

extension Head {
    var hasValidator: Bool { !tags.isEmpty || value("last-modified") != nil }

    /// Last-Modified names one version for certain when Date is later (section 8.8.2.2).
    var strongModified: Int64? {
        guard let modified, newestDate >= modified + 1 else { return nil }
        return modified
    }

    /// Whether both are of the same octets for certain.
    func sharesStrongValidator(with other: Head) -> Bool {
        if !tags.isEmpty || !other.tags.isEmpty {
            return tags.contains { tag in other.tags.contains { tag.strongly(matches: $0) } }
        }
        guard let strongModified else { return false }
        return strongModified == other.strongModified
    }
}

// MARK: - Vary (section 4.1)

extension Head {
    /// Whether a request with these fields would have been answered by it.
    func fits(_ lines: [FieldText.Line]) -> Bool {
        let names = nominated
        guard !names.contains("*") else { return false }
        return selections.contains { Head.agree($0, lines, in: names) }
    }

    /// Whether nothing keeps a cache from taking it for such a request: credentials may be part of the key (section 2).
    func certainlyFits(_ lines: [FieldText.Line]) -> Bool {
        let names = nominated + ["authorization"]
        return !names.contains("*") && selections.allSatisfy { Head.agree($0, lines, in: names) }
    }

    private static func agree(_ left: [FieldText.Line], _ right: [FieldText.Line], in names: [String]) -> Bool
    {
        names.allSatisfy { FieldText.selection($0, in: left) == FieldText.selection($0, in: right) }
    }
}
