import HTTPMessage
import HTTPWire
import System
import Transport

/// `rawget explain`: says what a response head means, for a download and for a cache.
@NetworkActor
final class ExplainCommand {
    /// What its options say.
    struct Settings: Sendable {
        /// `--at`, in order.
        var moments: [String] = []
        /// `--date`.
        var received: String?
        /// `--as-json`.
        var isJSON = false
    }

    nonisolated static let options: [WordOption<Settings>] = [
        .init(
            "at", argument: "+SECONDS|DATE",
            "Tell what the same request comes to then; may stand several times",
            .text { $0.moments.append($1) }),
        .init(
            "date", argument: "DATE", "When the response came; without it its own Date, else now",
            .text { $0.received = $1 }),
        .init("as-json", "Print one JSON object", .flag { $0.isJSON = true }),
    ]

    /// Largest input: 1 MiB, four times the largest head that a transfer takes.
    nonisolated static let longestInput = 1 << 20

    private let invocation: Invocation
    private let console: Console

    init(_ invocation: Invocation) {
        self.invocation = invocation
        console = Console(invocation)
    }

    /// Explains what the arguments name. Returns the exit code.
    func run(_ arguments: [String]) -> Int32 {
        let text: String
        do throws(UsageError) {
            let words = try WordArguments(
                arguments, options: ExplainCommand.options, defaults: Settings())
            if words.asksForHelp {
                text = ExplainCommand.help
            } else {
                guard words.operands.count == 1 else {
                    throw UsageError("explain needs one file, or - for standard input")
                }
                let input = try contents(of: FileArgument(words.operands[0]))
                let explanation = try explanation(of: ExplainedExchange(input), words.settings)
                text = words.settings.isJSON ? explanation.json + "\n" : explanation.text
            }
        } catch {
            console.report(
                error.message, exit: error.exit,
                advice: error.exit == 2 ? "rawget explain --help lists the options" : nil)
            return error.exit
        }
        do throws(SystemError) { try console.print(text) } catch { return 23 }
        return 0
    }

    private func contents(of file: FileArgument) throws(UsageError) -> [UInt8] {
        // One octet more is read than may be there, so that too much is told from a failure to read.
        let octets = try console.contents(of: file, limit: Command.longestFile)
        guard octets.count <= ExplainCommand.longestInput else {
            throw UsageError(
                "the input has \(octets.count) octets, and at most \(ExplainCommand.longestInput) are read",
                exit: 26)
        }
        return octets
    }

    private func explanation(
        of exchange: ExplainedExchange, _ settings: Settings
    ) throws(UsageError) -> Explanation {
        let now = HTTPDate(secondsSinceEpoch: invocation.clock.secondsSinceEpoch)
        var received = exchange.response.fields[.date].flatMap { HTTPDate(parsing: $0, now: now) } ?? now
        if let text = settings.received {
            guard let date = DateArgument.date(text, now: now) else {
                throw UsageError("--date: \"\(text.escapedForTerminal)\" is no date")
            }
            received = date
        }
        var offsets: [Int64] = []
        for text in settings.moments {
            offsets.append(try ExplainCommand.seconds(text, since: received))
        }
        return Explanation(exchange, received: received, offsets: offsets)
    }

    private static func seconds(_ text: String, since received: HTTPDate) throws(UsageError) -> Int64 {
        let shown = text.escapedForTerminal
        if text.hasPrefix("+") {
            guard let number = FieldGrammar.number(String(text.dropFirst())),
                let seconds = Int64(exactly: number)
            else { throw UsageError("--at: \"\(shown)\" is no number of seconds") }
            return seconds
        }
        guard let date = DateArgument.date(text, now: received) else {
            throw UsageError("--at: \"\(shown)\" is neither +SECONDS nor a date")
        }
        guard date >= received else {
            throw UsageError("--at: \"\(shown)\" is before the response came, \(received)")
        }
        return date.secondsSinceEpoch - received.secondsSinceEpoch
    }

    nonisolated private static var help: String {
        let limits = WireLimits()
        return """
            Usage: rawget explain [options] FILE|-

            Reads the head of a response as it came, and before it the head of its request
            where that is known. Says for each field what it means for a download and for a
            cache, whether the response would be stored and for how long it is fresh, and
            what the same request comes to later. Nothing is sent. Limits: the input
            \(longestInput >> 20) MiB; a head as in a transfer \(limits.maximumHeadOctets >> 10) KiB, a line in it \(limits.maximumLineOctets >> 10) KiB, field lines \(limits.maximumFieldLines).

            \(WordArguments.help(options))
            """
    }
}
