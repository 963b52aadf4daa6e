import HTTPMessage
import System

/// What fixtures are told in besides octets.
enum FixtureText {
    /// An HTTP-date.
    static func date(_ seconds: Int64) -> String { "\(HTTPDate(secondsSinceEpoch: seconds))" }

    /// Seconds with three decimals.
    static func seconds(_ duration: Duration) -> String {
        let thousandths = max(0, duration.inSeconds * 1000).rounded()
        guard thousandths < 1e15 else { return "\(duration)" }
        let number = Int(thousandths)
        let digits = String(number % 1000)
        return "\(number / 1000).\(String(repeating: "0", count: 3 - digits.utf8.count))\(digits)"
    }
}
