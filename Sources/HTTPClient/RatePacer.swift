import System

/// Keeps a transfer to a speed (--limit-rate). Pure: instants and counts come in.
///
/// Each octet is paid for with time. What is paid for goes ahead of the clock when a portion comes, and the transfer
/// rests until the clock has caught up; a clock that is ahead is credit for a burst, of which little is kept.
struct RatePacer {
    /// How much time may be made up for: enough for a wait that ends late, too little to be seen as a burst.
    private static let longestCredit = Duration.milliseconds(250)

    /// Octets a second, at least 1.
    private let rate: UInt64
    /// Up to when all octets so far pay.
    private var paid: Instant
    /// What a division by `rate` left, in octets by nanoseconds: nothing is lost in the long run.
    private var remainder: UInt64 = 0

    init(octetsPerSecond: UInt64, at now: Instant) {
        rate = max(octetsPerSecond, 1)
        paid = now
    }

    /// Most octets to read at once, so that pauses stay near a tenth of a second: larger reads would come in bursts,
    /// smaller ones than 1 KiB would cost more than they are worth.
    var portion: Int { Int(min(max(rate / 10, 1 << 10), 1 << 20)) }

    /// So many octets came.
    mutating func count(_ octets: Int, at now: Instant) {
        paid = max(paid, now + (.zero - RatePacer.longestCredit))
        let cost = UInt64(max(octets, 0)).multipliedFullWidth(by: 1_000_000_000)
        let (low, carries) = cost.low.addingReportingOverflow(remainder)
        let high = cost.high + (carries ? 1 : 0)
        guard high < rate else {
            paid = .distantFuture
            return
        }
        let division = rate.dividingFullWidth((high, low))
        remainder = division.remainder
        paid = paid + .nanoseconds(Int64(clamping: division.quotient))
    }

    /// When to read on; `nil` when that is now.
    func pauseEnd(at now: Instant) -> Instant? { paid > now ? paid : nil }

    /// The transfer was not meant to move until now: that time is no credit.
    mutating func restart(at now: Instant) { paid = max(paid, now) }
}
