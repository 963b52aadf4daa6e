/// A moment to the second, as HTTP's fields have it (RFC 9110, section 5.6.7).
public struct HTTPDate: Hashable, Sendable {
    /// Seconds since 1970-01-01 00:00:00 UTC, leap seconds not counted.
    public let secondsSinceEpoch: Int64

    /// The moment so many seconds after 1970-01-01 00:00:00 UTC.
    public init(secondsSinceEpoch: Int64) { self.secondsSinceEpoch = secondsSinceEpoch }

    /// Parses one of the three forms of RFC 9110, section 5.6.7, and nothing else; `nil` when `text` is none
    /// of them or names a day or time that does not exist.
    ///
    /// Names and "GMT" are compared without regard to case (RFC 9111, section 4.2). The day's name must be
    /// one but need not be the right one, since the date says it all. Second 60 is the next minute's second
    /// 0. `now` tells which century a year of two digits means.
    public init?(parsing text: String, now: HTTPDate) {
        var reader = DateReader(octets: Array(text.utf8))
        guard let date = reader.readDate(now: now) else { return nil }
        self = date
    }

    /// The moment of these parts, in UTC; `nil` when there is none of that day and time.
    package init?(_ parts: DateParts) {
        guard (1...12).contains(parts.month), parts.day >= 1, parts.day <= parts.daysInMonth,
            parts.hour < 24, parts.minute < 60, parts.second <= 60
        else { return nil }
        secondsSinceEpoch =
            parts.daysSinceEpoch * 86400 + Int64(parts.hour * 3600 + parts.minute * 60 + parts.second)
    }
}

extension HTTPDate: Comparable {
    /// Whether `left` is earlier.
    public static func < (left: HTTPDate, right: HTTPDate) -> Bool {
        left.secondsSinceEpoch < right.secondsSinceEpoch
    }
}

extension HTTPDate: CustomStringConvertible {
    /// As IMF-fixdate, such as `Sun, 06 Nov 1994 08:49:37 GMT`. That form has no years but 0 to 9999: a
    /// moment outside prints as the first or the last one inside.
    public var description: String {
        let parts = DateParts(secondsSinceEpoch: secondsSinceEpoch)
        let weekday = DateNames.days[parts.weekday]
        let month = DateNames.months[parts.month - 1]
        return "\(weekday), \(padded(parts.day, 2)) \(month) \(padded(parts.year, 4)) "
            + "\(padded(parts.hour, 2)):\(padded(parts.minute, 2)):\(padded(parts.second, 2)) GMT"
    }

    private func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}

private enum DateNames {
    /// Monday first.
    static let days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    static let longDays = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
    static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
}

/// A moment by the Gregorian calendar, which is taken to have held for all years.
package struct DateParts: Sendable {
    package var year = 1970
    package var month = 1  // 1 to 12
    package var day = 1
    package var hour = 0
    package var minute = 0
    package var second = 0

    /// The epoch.
    package init() {}

    var daysInMonth: Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// 0 is Monday.
    var weekday: Int { Int(((daysSinceEpoch + 3) % 7 + 7) % 7) }

    // Both conversions count from 1 March, so that the leap day is a year's last, in eras of 400 years or
    // 146097 days; day 0 of era 0 is 719468 days before the epoch.
    var daysSinceEpoch: Int64 {
        let shifted = Int64(month <= 2 ? year - 1 : year)
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = Int64((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1)
        return era * 146097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719468
    }
}

extension DateParts {
    /// Moments outside the years 0 to 9999 become the first or the last one inside.
    init(secondsSinceEpoch: Int64) {
        let seconds = min(max(secondsSinceEpoch, -62_167_219_200), 253_402_300_799)
        let days = (seconds >= 0 ? seconds : seconds - 86399) / 86400
        let time = Int(seconds - days * 86400)
        let shifted = days + 719468
        let era = (shifted >= 0 ? shifted : shifted - 146096) / 146097
        let dayOfEra = shifted - era * 146097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        month = Int(shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9)
        year = Int(yearOfEra + era * 400) + (month <= 2 ? 1 : 0)
        day = Int(dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
        (hour, minute, second) = (time / 3600, time / 60 % 60, time % 60)
    }
}

/// Reads the forms of RFC 9110, section 5.6.7, octet by octet.
private struct DateReader {
    let octets: [UInt8]
    var position = 0

    init(octets: [UInt8]) { self.octets = octets }

    /// HTTP-date = IMF-fixdate / rfc850-date / asctime-date
    mutating func readDate(now: HTTPDate) -> HTTPDate? {
        let start = position
        if readName(DateNames.days) != nil {
            if read(",") { return readFixdate() }
            if read(" ") { return readAsctime() }
        }
        // "Sun" begins "Sunday" too.
        position = start
        return readRFC850(now: now)
    }

    /// The day's name and the comma are read.
    ///
    ///     IMF-fixdate = day-name "," SP day SP month SP year SP time-of-day SP GMT
    private mutating func readFixdate() -> HTTPDate? {
        var parts = DateParts()
        guard read(" "), let day = readNumber(2), read(" "), let month = readName(DateNames.months),
            read(" "),
            let year = readNumber(4), read(" "), readTime(into: &parts), read(" "), readZone()
        else { return nil }
        (parts.year, parts.month, parts.day) = (year, month + 1, day)
        return HTTPDate(parts)
    }

    /// rfc850-date = day-name-l "," SP day "-" month "-" 2DIGIT SP time-of-day SP GMT
    private mutating func readRFC850(now: HTTPDate) -> HTTPDate? {
        var parts = DateParts()
        guard readName(DateNames.longDays) != nil, read(","), read(" "), let day = readNumber(2), read("-"),
            let month = readName(DateNames.months), read("-"), let year = readNumber(2), read(" "),
            readTime(into: &parts), read(" "), readZone()
        else { return nil }
        // The latest year with these digits that is not more than 50 years in the future.
        let present = DateParts(secondsSinceEpoch: now.secondsSinceEpoch)
        let limit = present.year + 50
        (parts.year, parts.month, parts.day) = (limit - (limit - year) % 100, month + 1, day)
        if parts.year == limit, parts.isLaterInYear(than: present) { parts.year -= 100 }
        return HTTPDate(parts)
    }

    /// The day's name and the space behind it are read.
    ///
    ///     asctime-date = day-name SP month SP ( 2DIGIT / ( SP DIGIT ) ) SP time-of-day SP year
    private mutating func readAsctime() -> HTTPDate? {
        var parts = DateParts()
        guard let month = readName(DateNames.months), read(" "),
            let day = read(" ") ? readNumber(1) : readNumber(2), read(" "), readTime(into: &parts), read(" "),
            let year = readNumber(4), position == octets.count
        else { return nil }
        (parts.year, parts.month, parts.day) = (year, month + 1, day)
        return HTTPDate(parts)
    }

    /// time-of-day = hour ":" minute ":" second
    private mutating func readTime(into parts: inout DateParts) -> Bool {
        guard let hour = readNumber(2), read(":"), let minute = readNumber(2), read(":"),
            let second = readNumber(2)
        else { return false }
        (parts.hour, parts.minute, parts.second) = (hour, minute, second)
        return true
    }

    private mutating func readZone() -> Bool { readName(["GMT"]) != nil && position == octets.count }

    private mutating func read(_ character: Unicode.Scalar) -> Bool {
        guard position < octets.count, UInt32(octets[position]) == character.value else { return false }
        position += 1
        return true
    }

    private mutating func readNumber(_ digits: Int) -> Int? {
        guard octets.count - position >= digits else { return nil }
        var number = 0
        for octet in octets[position..<position + digits] {
            guard octet.isDigit else { return nil }
            number = number * 10 + Int(octet - 0x30)
        }
        position += digits
        return number
    }

    /// The index in `names` of the one that stands here; a letter behind it is for the caller to refuse.
    private mutating func readName(_ names: [String]) -> Int? {
        for (index, name) in names.enumerated() where octets.count - position >= name.utf8.count {
            let here = octets[position..<position + name.utf8.count]
            guard here.elementsEqual(name.utf8, by: { $0.lowercasedASCII == $1.lowercasedASCII }) else {
                continue
            }
            position += name.utf8.count
            return index
        }
        return nil
    }
}

extension DateParts {
    fileprivate func isLaterInYear(than other: DateParts) -> Bool {
        let left = [month, day, hour, minute, second]
        return [other.month, other.day, other.hour, other.minute, other.second].lexicographicallyPrecedes(
            left)
    }
}
