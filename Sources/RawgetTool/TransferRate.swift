/// The rate of the last seconds: octets that arrived inside a sliding window.
struct TransferRate: Sendable {
    private struct Sample {
        var time: Duration
        var octets: UInt64
    }

    /// How far back it looks.
    static let window = Duration.seconds(5)
    /// Samples closer than this replace each other, so that memory and cost stay flat at any call rate.
    private static let spacing = Duration.milliseconds(100)

    private var samples: [Sample] = []

    /// Notes that `octets` were there in all at `time`. Times do not run backwards.
    mutating func note(_ octets: UInt64, at time: Duration) {
        // Two samples must differ in time, or no rate can be told from them.
        if samples.count > 1, time - samples[samples.count - 2].time < Self.spacing {
            samples[samples.count - 1] = Sample(time: time, octets: octets)
        } else {
            samples.append(Sample(time: time, octets: octets))
        }
        // The newest sample past the window stays: it is where the window begins.
        while samples.count > 2, time - samples[1].time >= Self.window { samples.removeFirst() }
    }

    /// Octets a second over the window; `nil` until some time has passed.
    var octetsPerSecond: UInt64? {
        guard let first = samples.first, let last = samples.last, last.octets >= first.octets else {
            return nil
        }
        return Self.perSecond(last.octets - first.octets, in: last.time - first.time)
    }

    /// `octets` in `time` as octets a second; `nil` when the time is too short to tell.
    static func perSecond(_ octets: UInt64, in time: Duration) -> UInt64? {
        let seconds = Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18
        guard seconds >= 0.001 else { return nil }
        return UInt64(min(Double(octets) / seconds, 1e18))
    }
}
