extension FixturePrinter {
    mutating func write(_ connection: Fixture.Connection, isFirst: Bool) {
        if connection.server != 0 {
            line("connection to \(name(ofServer: connection.server))")
        } else if !isFirst || connection.steps.isEmpty {
            line("connection")
        }
        for step in connection.steps { write(step.value) }
    }

    private mutating func write(_ step: Fixture.Step) {
        switch step {
        case .request(.exactly(let parts)): for part in parts { writeExact(part.value) }
        case .request(.matching(let conditions)): for condition in conditions { write(condition.value) }
        case .requestContent(let content): writeData(">>", content)
        case .requestBody(let content): writeData(">>>", content)
        case .sendLine(let octets):
            if FixtureText.isPlain(octets) {
                line(FixturePrinter.marked("<", octets))
            } else {
                line(Array("<| ".utf8) + FixtureText.escaped(octets + [0x0D, 0x0A]))
            }
        case .sendText(let octets):
            if !octets.isEmpty { line(Array("<| ".utf8) + FixtureText.escaped(octets)) }
        case .send(let content): writeData("<<", content)
        case .pause(let duration): line("! pause \(FixturePrinter.words(for: duration))")
        case .quiet(let duration): line("! quiet \(FixturePrinter.words(for: duration))")
        case .pieces(let count?):
            line("! pieces of \(FixturePrinter.words(forCount: UInt64(clamping: count)))")
        case .pieces(nil): line("! whole")
        case .close: line("! close")
        case .halfClose: line("! half-close")
        case .reset: line("! reset")
        case .stall: line("! stall")
        case .cut: line("! cut")
        case .awaitClose: line("! await close")
        case .unread: line("! unread")
        case .meet(let name): line("! meet \(name)")
        case .tls(let tls): line("! tls \(FixturePrinter.words(for: tls))")
        case .updateKeys: line("! update-keys")
        case .unprotected(let content): writeData("! unprotected", content)
        case .interrupt: line("! interrupt")
        }
    }

    /// Signs, and what stands behind them if it is something.
    private static func marked(_ sign: String, _ octets: [UInt8]) -> [UInt8] {
        octets.isEmpty ? Array(sign.utf8) : Array("\(sign) ".utf8) + octets
    }

    private mutating func writeExact(_ octets: [UInt8]) {
        let content = Array(octets.dropLast(2))
        if octets.suffix(2).elementsEqual([0x0D, 0x0A]), FixtureText.isPlain(content) {
            line(FixturePrinter.marked(">=", content))
        } else if !octets.isEmpty {
            line(Array(">| ".utf8) + FixtureText.escaped(octets))
        }
    }

    private mutating func write(_ condition: Fixture.Condition) {
        switch condition {
        case .line(let octets):
            if FixtureText.isPlain(octets), !octets.isEmpty {
                line(Array("> ".utf8) + octets)
            } else {
                line(">~ \(FixturePrinter.source(of: FixturePattern(exactly: octets)))")
            }
        case .pattern(let pattern): line(">~ \(FixturePrinter.source(of: pattern))")
        case .absent(let name): line(">! \(name)")
        }
    }

    /// The pattern as it can stand at the end of a line.
    static func source(of pattern: FixturePattern) -> String {
        let octets = Array(pattern.source.utf8)
        let text = FixtureText.isPlain(octets) && !octets.isEmpty ? pattern.source : pattern.canonical.source
        return FixtureParser.isQuoted(Array(text.utf8)) ? "\\" + text : text
    }
}
