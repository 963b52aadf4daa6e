/// How long a server asks to wait before the next request (RFC 9110, section 10.2.3).
public enum RetryAfter: Hashable, Sendable {
    /// So many seconds from the response on.
    case seconds(UInt64)
    /// Until then.
    case date(HTTPDate)

    /// Parses a field value; `nil` when it has neither form. A number past 63 bits is the greatest of them, since only
    /// its being too long matters. `now` tells which century a year of two digits means.
    ///
    ///     Retry-After   = HTTP-date / delay-seconds
    ///     delay-seconds = 1*DIGIT
    public init?(parsing value: String, now: HTTPDate) {
        if !value.isEmpty, value.utf8.allSatisfy(\.isDigit) {
            self = .seconds(UInt64(FieldGrammar.saturatedNumber(value.utf8)))
        } else if let date = HTTPDate(parsing: value, now: now) {
            self = .date(date)
        } else {
            return nil
        }
    }

    /// Seconds to wait from `now` on; 0 for a date that is past.
    public func delay(from now: HTTPDate) -> UInt64 {
        switch self {
        case .seconds(let seconds): return seconds
        case .date(let date):
            guard date > now else { return 0 }
            let (seconds, overflow) = date.secondsSinceEpoch
                .subtractingReportingOverflow(now.secondsSinceEpoch)
            return overflow ? .max : UInt64(seconds)
        }
    }
}

extension RetryAfter: CustomStringConvertible {
    /// As in a field.
    public var description: String {
        switch self {
        case .seconds(let seconds): "\(seconds)"
        case .date(let date): "\(date)"
        }
    }
}
