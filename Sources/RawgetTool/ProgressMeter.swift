import Download
import System

/// What a person sees of one transfer, as text: a line that is drawn over and over, and a closing line.
///
/// It knows no clock and no terminal. Times count from the start of the run; the caller draws the line.
struct ProgressMeter: Sendable {
    /// How a transfer ended.
    enum Outcome: Hashable, Sendable { case finished, failed, cancelled }

    /// How much of it is drawn.
    enum Style: Hashable, Sendable {
        /// Everything that fits.
        case full
        /// The bar and the percentage alone (`-#`).
        case bar
    }

    /// What stands at the beginning of the line, safe for the terminal.
    private(set) var name: String
    /// Octets there so far, those of an earlier try included.
    private(set) var received: UInt64
    /// The octets of the whole; `nil` as long as nobody said.
    private(set) var expected: UInt64?
    private let style: Style
    private let start: Duration
    /// What was there before the transfer began, which counts for the percentage but for no rate.
    private var kept: UInt64
    private var now: Duration
    private var rate = TransferRate()

    /// A meter for a transfer that begins at `start`. `name` may be any text; `position` tells which of several
    /// files it is, `kept` how many octets an earlier try left.
    init(
        name: String, position: (number: Int, count: Int)? = nil, kept: UInt64 = 0, style: Style = .full,
        startingAt start: Duration
    ) {
        self.name = ProgressMeter.label(name, position)
        self.style = style
        self.start = start
        self.kept = kept
        received = kept
        now = start
        rate.note(kept, at: start)
    }

    /// Shows another name from now on: the server chose it, or the counts of a group changed.
    mutating func rename(_ name: String, position: (number: Int, count: Int)? = nil) {
        self.name = ProgressMeter.label(name, position)
    }

    private static func label(_ name: String, _ position: (number: Int, count: Int)?) -> String {
        guard let position, position.count > 1 else { return name.escapedForTerminal }
        return "\(position.number)/\(position.count) \(name.escapedForTerminal)"
    }

    /// So many octets were there before the first came.
    mutating func keep(_ octets: UInt64) {
        guard octets > 0, received == 0, kept == 0 else { return }
        (kept, received) = (octets, octets)
        rate = TransferRate()
        rate.note(octets, at: now)
    }

    /// `received` octets of `expected` are there. To be called with unchanged numbers, too, when nothing arrives:
    /// the rate has to fall.
    mutating func update(received: UInt64, expected: UInt64?, at now: Duration) {
        self.received = received
        // A peer that sends more than it said has told nothing about the whole.
        self.expected = expected.flatMap { received <= $0 ? $0 : nil }
        self.now = max(now, self.now)
        rate.note(received, at: self.now)
    }

    private var progress: TransferProgress { TransferProgress(received: received, expected: expected) }

    /// Received of expected, from 0 to 1; `nil` when the whole is unknown.
    var fraction: Double? { progress.fraction }

    /// How long it still takes at the rate of the last seconds; `nil` when that cannot be told.
    var timeLeft: Duration? {
        guard let expected, let rate = rate.octetsPerSecond, rate > 0 else { return nil }
        let seconds = (expected - received) / rate + ((expected - received) % rate > 0 ? 1 : 0)
        return .seconds(Int64(min(seconds, 1 << 40)))
    }

    /// The line for a terminal of so many columns. It takes at most `columns - 1`, since in some terminals a full
    /// line wraps.
    func line(columns: Int) -> String {
        let room = max(0, columns - 1)
        let percent = progress.percentText
        if style == .bar { return barLine(percent: percent, room: room) }
        // Parts in the order in which they stand; the number says what goes first when room is short.
        var parts: [(text: String, rank: Int)] = []
        if let percent, let expected {
            parts.append((MeterText.right(percent, 7), 0))
            parts.append(
                (MeterText.right("\(MeterText.octets(received))/\(MeterText.octets(expected))", 19), 3))
        } else {
            parts.append((MeterText.right(MeterText.octets(received), 10), 0))
        }
        if let rate = rate.octetsPerSecond {
            parts.append((MeterText.right("\(MeterText.octets(rate))/s", 12), 2))
        }
        if expected == nil {
            parts.append((MeterText.right(MeterText.time(now - start), 7), 1))
        } else if let left = timeLeft {
            parts.append((MeterText.right(MeterText.time(left), 7), 1))
        }
        let leastName = min(12, TerminalWidth.columns(of: name))
        while parts.count > 1, leastName + width(of: parts) > room {
            guard let highest = parts.max(by: { $0.rank < $1.rank }) else { break }
            parts.removeAll { $0.rank == highest.rank }
        }
        return assembled(parts.map(\.text), room: room)
    }

    /// The line while nothing arrives that could be measured: a mark that turns, ten steps a second, and what is waited
    /// for, which is safe for the terminal.
    func waitingLine(for what: String, columns: Int) -> String {
        let room = max(0, columns - 1)
        let mark = ["-", "\\", "|", "/"][Int(clamping: (now - start).wholeNanoseconds / 100_000_000) % 4]
        let sign = "\(mark) \(what)"
        guard style == .full else { return TerminalWidth.fitting(sign, into: room) }
        let octets = received > 0 ? "\(MeterText.octets(received))  " : ""
        // What goes first when room is short: the time, then the octets, then the name.
        for text in ["\(octets)\(sign)  \(MeterText.time(now - start))", octets + sign, sign] {
            let nameRoom = room - TerminalWidth.columns(of: text) - 2
            if nameRoom >= min(12, TerminalWidth.columns(of: name)) {
                return "\(TerminalWidth.fittingMiddle(name, into: nameRoom))  \(text)"
            }
        }
        return TerminalWidth.fitting(sign, into: room)
    }

    /// The line that stays when the transfer is over.
    func closingLine(_ outcome: Outcome = .finished, columns: Int) -> String {
        let room = max(0, columns - 1)
        let text: String
        switch outcome {
        case .finished:
            text = closingText()
        case .failed:
            text = received == expected ? "failed after \(MeterText.octets(received))" : "stopped at \(reach)"
        case .cancelled:
            text = "cancelled at \(reach)"
        }
        let width = TerminalWidth.columns(of: text)
        guard room >= width + 2 + 8 || room >= width + 2 + TerminalWidth.columns(of: name) else {
            return TerminalWidth.fitting(text, into: room)
        }
        return "\(TerminalWidth.fittingMiddle(name, into: room - width - 2))  \(text)"
    }

    private func closingText() -> String {
        let arrived = received - min(kept, received)
        var text = MeterText.octets(received)
        if kept > 0 { text += " (\(MeterText.octets(arrived)) of it now)" }
        text += " in \(MeterText.span(now - start))"
        if let rate = TransferRate.perSecond(arrived, in: now - start) {
            text += ", \(MeterText.octets(rate))/s"
        }
        return text
    }

    private var reach: String {
        guard let expected, let percent = progress.percentText else {
            return MeterText.octets(received)
        }
        return "\(percent), \(MeterText.octets(received)) of \(MeterText.octets(expected))"
    }

    /// The columns of `parts` with the two blanks before each.
    private func width(of parts: [(text: String, rank: Int)]) -> Int {
        parts.reduce(0) { $0 + $1.text.utf8.count + 2 }
    }

    /// Name, bar and parts. The bar takes what is left, from 10 columns on; the name is cut only when there is no
    /// bar any more.
    private func assembled(_ parts: [String], room: Int) -> String {
        let tail = parts.joined(separator: "  ")
        let tailWidth = tail.utf8.count
        let nameRoom = room - tailWidth - 2
        guard nameRoom >= 4 else {
            let trimmed = String(tail.drop(while: { $0 == " " }))
            return TerminalWidth.fitting(trimmed, into: room)
        }
        let nameWidth = TerminalWidth.columns(of: name)
        // A long name gives way to a bar, but keeps a third of the line.
        let shown = TerminalWidth.fittingMiddle(name, into: min(nameRoom, max(nameRoom - 14, room / 3)))
        let shownWidth = TerminalWidth.columns(of: shown)
        let barRoom = nameRoom - shownWidth - 2
        if barRoom >= 10 {
            return "\(shown)  \(bar(columns: min(barRoom, 52)))  \(tail)"
        }
        let whole = nameWidth <= nameRoom ? name : TerminalWidth.fittingMiddle(name, into: nameRoom)
        let blanks = nameRoom - TerminalWidth.columns(of: whole)
        return whole + String(repeating: " ", count: blanks + 2) + tail
    }

    private func barLine(percent: String?, room: Int) -> String {
        let text = percent.map { MeterText.right($0, 7) } ?? MeterText.octets(received)
        let barRoom = room - text.utf8.count - 1
        guard barRoom >= 5 else {
            return TerminalWidth.fitting(String(text.drop(while: { $0 == " " })), into: room)
        }
        return "\(bar(columns: barRoom)) \(text)"
    }

    /// A bar of exactly `columns`; without a fraction a mark that wanders, half a second a step.
    private func bar(columns: Int) -> String {
        let inner = columns - 2
        if let fraction {
            let filled = min(inner, Int(Double(inner) * fraction))
            let head = filled < inner ? ">" : ""
            let body = filled < inner ? max(0, filled) : inner
            return "[" + String(repeating: "=", count: body) + head
                + String(repeating: " ", count: inner - body - head.utf8.count) + "]"
        }
        let (seconds, attoseconds) = (now - start).components
        let steps = Int(clamping: seconds) &* 2 + (attoseconds >= 500_000_000_000_000_000 ? 1 : 0)
        let span = max(1, inner - 3)
        let phase = steps % (2 * span)
        let place = phase < span ? phase : 2 * span - phase
        return "[" + String(repeating: " ", count: min(place, inner - 3)) + "<=>"
            + String(repeating: " ", count: max(0, inner - 3 - place)) + "]"
    }
}
