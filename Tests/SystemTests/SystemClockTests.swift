import System
import Testing

@Suite("Instants and durations")
struct SystemClockTests {
    @Test func nowNeverGoesBack() {
        let first = Instant.now
        let second = Instant.now
        #expect(first <= second)
        #expect(first.nanoseconds > 0)
    }

    @Test(
        "a sum that does not fit is the end of time",
        arguments: [
            (Int64.max - 5, Duration.nanoseconds(5), Int64.max), (.max - 5, .nanoseconds(6), .max),
            (1000, .seconds(Int64.max), .max), (0, .seconds(20_000_000_000), .max),
            (.min + 5, .nanoseconds(-6), .min), (-1000, .seconds(Int64.min), .min),
            (5, .nanoseconds(-6), -1), (1, .seconds(2), 2_000_000_001),
        ] as [(Int64, Duration, Int64)])
    func sumSaturates(start: Int64, duration: Duration, end: Int64) {
        #expect(Instant(nanoseconds: start) + duration == Instant(nanoseconds: end))
    }

    @Test(
        "a difference that does not fit is the longest there is",
        arguments: [
            (5, 3, 2), (3, 5, -2), (.max, -1, .max), (.min, 1, .min), (.max, 0, .max),
        ] as [(Int64, Int64, Int64)])
    func differenceSaturates(left: Int64, right: Int64, nanoseconds: Int64) {
        let difference = Instant(nanoseconds: left) - Instant(nanoseconds: right)
        #expect(difference == .nanoseconds(nanoseconds))
    }

    @Test(
        "whole nanoseconds of a duration",
        arguments: [
            (.zero, 0), (.nanoseconds(1), 1), (.milliseconds(-1500), -1_500_000_000),
            (.seconds(9_223_372_036), 9_223_372_036_000_000_000), (.seconds(9_223_372_037), .max),
            (.seconds(Int64.max), .max), (.seconds(Int64.min), .min), (.seconds(-9_223_372_037), .min),
            (Duration(secondsComponent: 0, attosecondsComponent: 999_999_999), 0),
        ] as [(Duration, Int64)])
    func wholeNanoseconds(duration: Duration, nanoseconds: Int64) {
        #expect(duration.wholeNanoseconds == nanoseconds)
    }

    @Test func secondsKeepTheirFraction() {
        #expect(Duration.milliseconds(1250).inSeconds == 1.25)
    }

    @Test func aGivenClockIsRead() {
        #expect(WallClock { 784_111_777 }.secondsSinceEpoch == 784_111_777)
        #expect(WallClock.system.secondsSinceEpoch > 1_700_000_000)
    }

    @Test func noClockRunsBesideAGivenOne() {
        #expect(WallClock { 784_111_777 }.uptimeNanoseconds == 0)
        #expect(WallClock.system.uptimeNanoseconds >= Instant.now.nanoseconds - 1_000_000_000)
    }
}
