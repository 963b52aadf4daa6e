import HTTPCache
import HTTPMessage
import Testing

@Suite("The time that has passed for what is stored (RFC 9111, section 4.2.3)")
struct CacheTimeTests {
    private func time(_ date: Int64, _ uptime: Int64) -> CacheTime {
        CacheTime(date: HTTPDate(secondsSinceEpoch: date), uptime: uptime)
    }

    @Test(
        "is that of the clock that has moved further",
        arguments: [
            (100, 10, 160, 70, 60), (100, 10, 40, 70, 60), (100, 10, 3700, 70, 3600), (100, 10, 40, 5, 0),
        ] as [(Int64, Int64, Int64, Int64, Int64)])
    func furtherClock(date: Int64, uptime: Int64, nowDate: Int64, nowUptime: Int64, seconds: Int64) {
        #expect(time(nowDate, nowUptime).seconds(since: time(date, uptime)) == seconds)
    }

    @Test("has passed in whole seconds only, wherever a second of the clock ends")
    func passesInWholeSeconds() {
        let date = HTTPDate(secondsSinceEpoch: 0)
        let earlier = CacheTime(date: date, uptimeNanoseconds: 10_999_000_000)
        for (nanoseconds, seconds): (Int64, Int64) in [(11_001_000_000, 0), (11_999_000_000, 1)] {
            let now = CacheTime(date: date, uptimeNanoseconds: nanoseconds)
            #expect(now.seconds(since: earlier) == seconds)
        }
        let before = CacheTime(date: date, uptimeNanoseconds: -1)
        #expect(CacheTime(date: date, uptime: 1).seconds(since: before) == 1)
        #expect(before.seconds(since: CacheTime(date: date, uptime: -1)) == 0)
    }

    @Test func saturates() {
        #expect(time(.max, 0).seconds(since: time(.min, 0)) == .max)
        #expect(time(.max, .min).seconds(since: time(.min, .max)) == .max)
        #expect(time(.min, .max).seconds(since: time(.max, .min)) == .max)
        #expect(time(.min, .min).seconds(since: time(.max, .max)) == 0)
        // Seconds are told apart as far as they can be counted.
        #expect(time(0, .max - 1).seconds(since: time(0, 0)) == .max - 1)
    }
}
