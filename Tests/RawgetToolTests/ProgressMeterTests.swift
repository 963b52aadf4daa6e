import Testing

@testable import RawgetTool

@Suite("The progress meter")
struct ProgressMeterTests {
    private func halfway(name: String = "file.zip") -> ProgressMeter {
        var meter = ProgressMeter(name: name, startingAt: .zero)
        meter.update(received: 0, expected: 4 << 20, at: .seconds(1))
        meter.update(received: 2 << 20, expected: 4 << 20, at: .seconds(2))
        return meter
    }

    @Test("shows name, bar, percent, octets, rate and time left on a wide terminal") func showsAll() {
        #expect(
            halfway().line(columns: 100)
                == "file.zip  [=================>                ]   50.00%      2.0 MiB/4.0 MiB     1.0 MiB/s     0:02"
        )
    }

    @Test("drops parts in order as the terminal gets narrow")
    func dropsParts() {
        let meter = halfway()
        #expect(meter.line(columns: 60) == "file.zip  [=======>       ]   50.00%     1.0 MiB/s     0:02")
        #expect(meter.line(columns: 45) == "file.zip       50.00%     1.0 MiB/s     0:02")
        #expect(meter.line(columns: 19).contains("50.00%"))
        #expect(meter.line(columns: 8) == "50.00%")
        #expect(meter.line(columns: 5) == "50.…")
        #expect(meter.line(columns: 1).isEmpty)
        #expect(meter.line(columns: 0).isEmpty)
    }

    @Test("never takes the last column", arguments: 0...200)
    func neverWraps(columns: Int) {
        for name in [
            "a", "file.zip", "metro_demo使用Highcharts实现图表展示.zip", String(repeating: "👩\u{200D}👧", count: 40),
        ] {
            for style in [ProgressMeter.Style.full, .bar] {
                for expected in [nil, 0, 1000, UInt64.max] as [UInt64?] {
                    var meter = ProgressMeter(name: name, position: (3, 10), style: style, startingAt: .zero)
                    for (received, second) in [(0, 1), (999, 2), (UInt64.max, 700_000)] as [(UInt64, Int)] {
                        meter.update(received: received, expected: expected, at: .seconds(second))
                        #expect(
                            TerminalWidth.columns(of: meter.line(columns: columns)) <= max(0, columns - 1))
                        for outcome in [ProgressMeter.Outcome.finished, .failed, .cancelled] {
                            let line = meter.closingLine(outcome, columns: columns)
                            #expect(TerminalWidth.columns(of: line) <= max(0, columns - 1))
                        }
                    }
                }
            }
        }
    }

    @Test("an unknown total has no percentage, a wandering mark and the time so far")
    func unknownTotal() {
        var meter = ProgressMeter(name: "f", startingAt: .zero)
        meter.update(received: 3 << 10, expected: nil, at: .seconds(3))
        #expect(meter.fraction == nil)
        let line = meter.line(columns: 80)
        #expect(!line.contains("%"))
        #expect(line.contains("[      <=>"))
        #expect(line.hasSuffix("3.0 KiB     1.0 KiB/s     0:03"))
    }

    @Test("more than expected is an unknown total") func moreThanExpected() {
        var meter = ProgressMeter(name: "f", startingAt: .zero)
        meter.update(received: 11, expected: 10, at: .seconds(1))
        #expect(meter.fraction == nil)
        #expect(!meter.line(columns: 80).contains("%"))
    }

    @Test("the rate is that of the last five seconds and falls when nothing arrives") func rateFalls() {
        var rate = TransferRate()
        for second in 0...100 { rate.note(UInt64(second) * 1000, at: .seconds(second)) }
        #expect(rate.octetsPerSecond == 1000)
        for tenth in 0...20 { rate.note(100_000, at: .seconds(100) + .milliseconds(tenth * 100)) }
        #expect((550...650).contains(rate.octetsPerSecond ?? 0))
        for tenth in 0...60 { rate.note(100_000, at: .seconds(102) + .milliseconds(tenth * 100)) }
        #expect(rate.octetsPerSecond == 0)
    }

    @Test("many updates in one moment keep few samples") func manyUpdates() {
        var rate = TransferRate()
        for step in 0..<100_000 { rate.note(UInt64(step), at: .microseconds(step * 10)) }
        #expect((99_000...101_000).contains(rate.octetsPerSecond ?? 0))
    }

    @Test("octets kept from an earlier try count for the percentage, not for the rate") func keptOctets() {
        var meter = ProgressMeter(name: "f", kept: 1 << 20, startingAt: .zero)
        meter.update(received: (1 << 20) + 2048, expected: 4 << 20, at: .seconds(2))
        #expect(meter.line(columns: 100).contains("25.04%"))
        #expect(meter.line(columns: 100).contains("1.0 KiB/s"))
        meter.update(received: 4 << 20, expected: 4 << 20, at: .seconds(3))
        #expect(meter.closingLine(columns: 80) == "f  4.0 MiB (3.0 MiB of it now) in 3.0 s, 1.0 MiB/s")
    }

    @Test("the closing line says how it ended") func closes() {
        let meter = halfway()
        #expect(meter.closingLine(columns: 80) == "file.zip  2.0 MiB in 2.0 s, 1.0 MiB/s")
        #expect(
            meter.closingLine(.failed, columns: 80) == "file.zip  stopped at 50.00%, 2.0 MiB of 4.0 MiB")
        #expect(meter.closingLine(.cancelled, columns: 16) == "cancelled at 5…")
    }

    @Test("a name cannot steer the terminal") func escapesNames() {
        var meter = ProgressMeter(name: "a\u{1B}]0;x\u{7}", startingAt: .zero)
        #expect(meter.line(columns: 80).hasPrefix("a\\x1B]0;x\\x07"))
        meter.rename("b\r")
        #expect(meter.line(columns: 80).hasPrefix("b\\x0D"))
    }

    @Test("a bar alone for -#") func barStyle() {
        var meter = ProgressMeter(name: "f", style: .bar, startingAt: .zero)
        meter.update(received: 1, expected: 2, at: .seconds(1))
        #expect(meter.line(columns: 30) == "[=========>         ]  50.00%")
    }

    @Test("several at once: the whole is known when every length is") func groups() {
        var group = GroupMeter(count: 2, startingAt: .zero)
        group.update(7, received: 100, expected: 1000, at: .seconds(1))
        #expect(!group.line(columns: 80).contains("%"))
        group.update(8, received: 400, expected: 1000, at: .seconds(1))
        #expect(group.line(columns: 80).contains(" 25.00%"))
        group.update(7, received: 1000, expected: 1000, at: .seconds(2))
        group.end(7, .finished, at: .seconds(2))
        #expect(group.line(columns: 80).hasPrefix("1 of 2 files"))
        #expect(group.line(columns: 80).contains(" 70.00%"))
        group.update(9, received: .max, expected: .max, at: .seconds(2))
        #expect(!group.line(columns: 80).contains("%"))
        group.update(9, received: 0, expected: nil, at: .seconds(2))
        group.end(8, .failed, at: .seconds(3))
        #expect(group.closingLine(columns: 80).hasPrefix("1 of 2 files, 1 failed  1.3 KiB in 3.0 s"))
    }
}

@Suite("Numbers of the meter")
struct MeterTextTests {
    @Test(
        "octets with binary units, cut",
        arguments: [
            (0, "0 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (1_048_575, "1023.9 KiB"),
            (1_048_576, "1.0 MiB"),
            (1_572_864, "1.5 MiB"), (1 << 40, "1.0 TiB"), (UInt64.max, "15.9 EiB"),
        ] as [(UInt64, String)])
    func octets(count: UInt64, expected: String) {
        #expect(MeterText.octets(count) == expected)
    }

    @Test(
        "times",
        arguments: [
            (0, "0:00"), (5, "0:05"), (754, "12:34"), (3723, "1:02:03"), (-3, "0:00"), (432_000, "5 days"),
        ])
    func time(seconds: Int, expected: String) {
        #expect(MeterText.time(.seconds(seconds)) == expected)
    }

    @Test(arguments: [(420, "0.42 s"), (5, "0.00 s"), (7_990, "7.9 s"), (61_000, "1:01")])
    func span(milliseconds: Int, expected: String) {
        #expect(MeterText.span(.milliseconds(milliseconds)) == expected)
    }
}

@Suite("The meter of several transfers")
struct GroupMeterFailureTests {
    @Test("knows no whole once a transfer ended before it was whole")
    func lacksSomething() {
        var meter = GroupMeter(count: 2, startingAt: .zero)
        meter.update(0, received: 10, expected: 100, at: .seconds(1))
        meter.update(1, received: 50, expected: 50, at: .seconds(1))
        meter.end(1, .finished, at: .seconds(1))
        meter.end(0, .cancelled, at: .seconds(1))
        #expect(!meter.line(columns: 80).contains("100.00%"))
        #expect(meter.closingLine(columns: 80).contains("1 of 2 files, 1 failed"))
    }
}
