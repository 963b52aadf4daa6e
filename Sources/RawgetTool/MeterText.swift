/// Numbers as a person reads them beside a transfer.
enum MeterText {
    /// An octet count with a binary unit: `512 B`, `1.5 KiB`, `27.0 MiB`. At most ten characters.
    static func octets(_ count: UInt64) -> String {
        guard count >= 1024 else { return "\(count) B" }
        let units = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]
        var index = 0
        var unit: UInt64 = 1024
        while index + 1 < units.count, count / unit >= 1024 {
            unit *= 1024
            index += 1
        }
        // Cut, not rounded: 1023.99 KiB must not become 1024.0.
        return "\(count / unit).\(count % unit / (unit / 1024) * 10 / 1024) \(units[index])"
    }

    /// A time of day's form: `0:05`, `12:34`, `1:02:03`, from 100 hours on `5 days`.
    static func time(_ duration: Duration) -> String {
        let seconds = UInt64(max(0, duration.components.seconds))
        let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
        if hours >= 100 { return "\(hours / 24) days" }
        let end = ":\(twoDigits(seconds % 60))"
        return hours > 0 ? "\(hours):\(twoDigits(minutes))\(end)" : "\(minutes)\(end)"
    }

    /// A span for a closing line: `0.42 s`, `7.9 s`, then as a time of day.
    static func span(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        if seconds >= 60 { return time(duration) }
        let hundredths = UInt64(max(0, attoseconds)) / 10_000_000_000_000_000
        if seconds >= 1 { return "\(seconds).\(hundredths / 10) s" }
        return "0.\(twoDigits(hundredths)) s"
    }

    /// `text` with blanks before it up to `width`.
    static func right(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.utf8.count)) + text
    }

    private static func twoDigits(_ number: UInt64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
