/// Dates as HTTP writes them: IMF-fixdate alone (RFC 9110, section 5.6.7).
enum FixtureDate {
    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"].map { Array($0.utf8) }
    private static let months =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        .map { Array($0.utf8) }
    private static let form = Array("Www, DD Mmm YYYY hh:mm:ss GMT".utf8)
    /// The first and last second that can be written: of the years 1 and 9999.
    private static let range: ClosedRange<Int64> = -62_135_596_800...253_402_300_799

    /// Seconds since 1970-01-01 00:00:00 UTC; `nil` where it is no such date, or has the wrong day of the week.
    static func seconds(of octets: [UInt8]) -> Int64? {
        guard octets.count == form.count else { return nil }
        for index in form.indices {
            switch form[index] {
            // Filled in below, or a digit.
            case UInt8(ascii: "W"), UInt8(ascii: "w"): break
            case UInt8(ascii: "D"), UInt8(ascii: "Y"), UInt8(ascii: "h"), UInt8(ascii: "m"),
                UInt8(ascii: "s"):
                let isMonth = (8...10).contains(index)
                guard isMonth || (0x30...0x39).contains(octets[index]) else { return nil }
            case UInt8(ascii: "M") where index == 8: break
            default: guard octets[index] == form[index] else { return nil }
            }
        }
        func number(_ range: Range<Int>) -> Int64 {
            octets[range].reduce(0) { $0 * 10 + Int64($1 - 0x30) }
        }
        guard let weekday = weekdays.firstIndex(of: Array(octets[0..<3])),
            let month = months.firstIndex(of: Array(octets[8..<11]))
        else { return nil }
        let (day, year) = (number(5..<7), number(12..<16))
        let (hour, minute, second) = (number(17..<19), number(20..<22), number(23..<25))
        guard year >= 1, hour < 24, minute < 60, second < 60, day >= 1 else { return nil }
        let days = daysBefore(year: year, month: Int64(month) + 1) + day - 1
        guard day <= length(ofMonth: month, year: year), self.weekday(ofDay: days) == weekday else {
            return nil
        }
        return days * 86_400 + hour * 3_600 + minute * 60 + second
    }

    /// How HTTP writes a time; one that it cannot write as the nearest that it can.
    static func text(of seconds: Int64) -> String {
        let seconds = min(max(seconds, range.lowerBound), range.upperBound)
        let second = (seconds % 86_400 + 86_400) % 86_400
        let days = (seconds - second) / 86_400
        // Not after the right year, and few years before it.
        var year = days < 0 ? days / 365 + 1969 : days / 366 + 1970
        while daysBefore(year: year + 1, month: 1) <= days { year += 1 }
        var month = 0
        while daysBefore(year: year, month: 1) + daysInMonths(month + 1, year) <= days { month += 1 }
        let day = days - daysBefore(year: year, month: 1) - daysInMonths(month, year) + 1
        let date =
            "\(String(decoding: weekdays[weekday(ofDay: days)], as: UTF8.self)), \(padded(day, 2)) "
            + "\(String(decoding: months[month], as: UTF8.self)) \(padded(year, 4))"
        return
            "\(date) \(padded(second / 3_600, 2)):\(padded(second / 60 % 60, 2)):\(padded(second % 60, 2)) GMT"
    }

    private static func padded(_ number: Int64, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }

    /// 1970-01-01 was a Thursday.
    private static func weekday(ofDay day: Int64) -> Int { Int(((day + 4) % 7 + 7) % 7) }

    private static func isLeap(_ year: Int64) -> Bool {
        year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    }

    private static func length(ofMonth month: Int, year: Int64) -> Int64 {
        if month == 1 { return isLeap(year) ? 29 : 28 }
        return [3, 5, 8, 10].contains(month) ? 30 : 31
    }

    private static func daysInMonths(_ count: Int, _ year: Int64) -> Int64 {
        (0..<count).reduce(0) { $0 + length(ofMonth: $1, year: year) }
    }

    /// Days from 1970-01-01 to the first of a month, counted from 1.
    private static func daysBefore(year: Int64, month: Int64) -> Int64 {
        let past = year - 1
        return past * 365 + past / 4 - past / 100 + past / 400 - 719_162 + daysInMonths(Int(month) - 1, year)
    }
}
