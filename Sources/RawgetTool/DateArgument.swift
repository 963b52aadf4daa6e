import HTTPMessage

/// A moment as a person writes it: the forms of HTTP, `2026-11-30`, `30 Nov 2026 12:00`, `20261130`, `Nov 30 2026 +0200`,
/// each with or without a time and a zone. Without a zone it is UTC, as with curl.
struct DateArgument {
    private var day: Int?
    private var month: Int?
    private var year: Int?
    private var time = (hour: 0, minute: 0, second: 0)
    private var hasTime = false
    private var offset = 0  // seconds east of Greenwich

    /// The moment that `text` names; `nil` when it names none.
    static func date(_ text: String, now: HTTPDate) -> HTTPDate? {
        if let date = HTTPDate(parsing: text, now: now) { return date }
        var argument = DateArgument()
        guard argument.read(Array(text.utf8)) else { return nil }
        return argument.date
    }

    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]
    private static let days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
    /// Hours east of Greenwich of the zones that mail and logs use (RFC 5322, section 4.3), and Europe's.
    private static let zones: [(name: String, hours: Int)] = [
        ("gmt", 0), ("utc", 0), ("ut", 0), ("z", 0), ("wet", 0), ("bst", 1), ("cet", 1), ("cest", 2),
        ("eet", 2), ("eest", 3), ("est", -5), ("edt", -4), ("cst", -6), ("cdt", -5), ("mst", -7), ("mdt", -6),
        ("pst", -8), ("pdt", -7), ("jst", 9),
    ]

    /// Reads word by word; false at the first that has no meaning.
    private mutating func read(_ octets: [UInt8]) -> Bool {
        var position = 0
        var before: UInt8 = 0x20
        while position < octets.count {
            let octet = octets[position]
            let start = position
            if octet.isDigit {
                while position < octets.count, octets[position].isDigit || octets[position] == 0x3A {
                    position += 1
                }
                let isZone = hasTime && (before == 0x2B || before == 0x2D) && position - start != 2
                let word = String(decoding: octets[start..<position], as: UTF8.self)
                guard isZone ? readZone(word, isWest: before == 0x2D) : readNumber(word) else { return false }
            } else if octet.isLetter {
                while position < octets.count, octets[position].isLetter { position += 1 }
                let word = String(decoding: octets[start..<position], as: UTF8.self).lowercased()
                guard readWord(word) else { return false }
            } else {
                guard [0x20, 0x09, 0x2C, 0x2D, 0x2B, 0x2F].contains(octet) else { return false }
                before = octet
                position += 1
                continue
            }
            before = 0
        }
        return true
    }

    private mutating func readWord(_ word: String) -> Bool {
        // Between date and time, as RFC 3339 has it.
        if word == "t", day != nil { return true }
        if let zone = DateArgument.zones.first(where: { $0.name == word }) {
            offset = zone.hours * 3600
            return true
        }
        guard word.utf8.count >= 3 else { return false }
        if let index = DateArgument.months.firstIndex(where: { word.hasPrefix($0) }), month == nil {
            month = index + 1
            return true
        }
        return DateArgument.days.contains { word.hasPrefix($0) }
    }

    private mutating func readZone(_ word: String, isWest: Bool) -> Bool {
        let digits = word.utf8.filter(\.isDigit)
        guard digits.count == 4, let number = Int(String(decoding: digits, as: UTF8.self)),
            number / 100 < 15, number % 100 < 60
        else { return false }
        offset = (number / 100 * 3600 + number % 100 * 60) * (isWest ? -1 : 1)
        return true
    }

    private mutating func readNumber(_ word: String) -> Bool {
        let parts = word.utf8.split(separator: 0x3A, omittingEmptySubsequences: false)
        let numbers = parts.compactMap { Int(String(decoding: $0, as: UTF8.self)) }
        guard numbers.count == parts.count, let number = numbers.first else { return false }
        if numbers.count > 1 {
            guard !hasTime, numbers.count <= 3 else { return false }
            time = (numbers[0], numbers[1], numbers.count == 3 ? numbers[2] : 0)
            hasTime = true
            return true
        }
        switch word.utf8.count {
        case 8 where year == nil && month == nil && day == nil:
            (year, month, day) = (number / 10_000, number / 100 % 100, number % 100)
        case 4 where year == nil: year = number
        // Behind a year, the month comes before the day (ISO 8601).
        case 1...2 where year != nil && month == nil: month = number
        case 1...2 where day == nil: day = number
        case 2 where year == nil: year = number + (number < 70 ? 2000 : 1900)
        default: return false
        }
        return true
    }

    private var date: HTTPDate? {
        guard let day, let month, let year, (0...9999).contains(year) else { return nil }
        var parts = DateParts()
        (parts.year, parts.month, parts.day) = (year, month, day)
        (parts.hour, parts.minute, parts.second) = time
        return HTTPDate(parts).map {
            HTTPDate(secondsSinceEpoch: $0.secondsSinceEpoch - Int64(offset))
        }
    }
}
