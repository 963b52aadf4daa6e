import HTTPCache
import HTTPClient
import System
import Transport

/// `rawget batch`: requests as lines of JSON on standard input, their answers as lines on standard output.
@NetworkActor
final class BatchCommand {
    /// What its options say.
    struct Settings: Sendable {
        /// Those that the command has for all its URLs, too.
        var command = CommandSettings()
        /// `--cache-size`, in octets; 0 is no cache.
        var cacheSize = UInt64(ResponseCache.defaultCapacity)
    }

    nonisolated static let options: [WordOption<Settings>] =
        [
            WordOption(
                "cache-size", argument: "SIZE", "Octets that the cache may have (64m); 0: there is none",
                .size { $0.cacheSize = $1 })
        ]
        + OptionTable.options(
            in: [.connection, .tls],
            named: ["user-agent", "compressed", "max-time", "connect-timeout", "max-redirs", "verbose"]
        ).map { WordOption($0, at: \.command) }

    private let invocation: Invocation
    private let console: Console

    init(_ invocation: Invocation) {
        self.invocation = invocation
        console = Console(invocation)
    }

    /// Answers all lines of standard input. Returns the exit code.
    func run(_ arguments: [String]) async -> Int32 {
        do throws(UsageError) {
            let words = try WordArguments(arguments, options: BatchCommand.options, defaults: Settings())
            if words.asksForHelp { return showHelp() }
            guard words.operands.isEmpty else {
                throw UsageError("batch takes no files: its lines come on standard input")
            }
            let settings = words.settings.command
            if settings.transfer.tls.isInsecure { console.warn(TLSOptions.insecureWarning) }
            let clock = BatchClock(invocation.clock)
            let size = words.settings.cacheSize
            let cache =
                size > 0 ? ResponseCache(capacity: Int(clamping: size), clock: clock.wallClock) : nil
            let batch = try BatchRun(settings, cache, clock, console)
            return await batch.run()
        } catch {
            console.report(
                error.message, exit: error.exit,
                advice: error.exit == 2 ? "rawget batch --help lists the options" : nil)
            return error.exit
        }
    }

    private func showHelp() -> Int32 {
        do throws(SystemError) { try console.print(BatchCommand.help) } catch { return 23 }
        return 0
    }

    nonisolated private static var help: String {
        """
        Usage: rawget batch [options]

        Reads requests from standard input, a JSON object a line, and writes for each a
        JSON object in a line, in order, before it reads the next one. All of them
        share one cache and the connections. Exits with 0 at the end of input, however
        the requests went.

        A line is {"url":URL} and, as needed:
          "id"                  Any value; the answer has it, too
          "method"              GET without it, also where there is a body
          "headers"             [["Name","value"],...]: fields to send, in this order
          "body", "bodyBase64"  The content to send, as text or as base64
          "cachePolicy"         \(CachePolicy.allCases[0].rawValue) without it
          "timeout"             Seconds without an octet that are too many (60)
          "redirect"            "follow", or "manual" to have redirects as answers
          "output"              A file for the content, when it is whole: nothing is
                                left of what fails, and what has no content (HEAD,
                                204, 205, 304) makes no file
        or has no answer: {"pause":SECONDS} waits, {"advance":SECONDS} lets so much
        time pass for the cache (a negative number sets its wall clock back),
        {"clearCache":true} empties it. What is null is not there; blank
        lines are passed over. A character of a field's value is one octet, at most
        U+00FF, both ways.

        An answer of whatever status is {"id":...,"ok":true,"status":200,"reason":"OK",
        "version":"HTTP/1.1","headers":[["Name","value"],...],"body":"..." (or
        "bodyBase64", where the content is no UTF-8; neither with "output"),
        "url":"where it came from","redirects":[{"status":302,"url":"what led on"}],
        "interim":[{"status":103,"headers":[...]}],"trailers":[["Name","value"],...],
        "source":"network" ("cache", "revalidated"),"cacheStatus":"...","timings":
        {"dns":...,"connect":...,"tls":...,"firstByte":...,"total":...}}, times being
        seconds from the start until that was done. A failure is {"id":...,"ok":false,
        "error":{"code":"timedOut","exit":28,"message":"..."}}, exit being what the
        command would exit with: 2 for a line that makes no sense, 3 or 1 for its URL.
        Limits: a line 16 MiB, values in it \(JSONReader.maximumCount) and \(JSONReader.maximumDepth) deep, content 64 MiB without
        "output".

        \(WordArguments.help(options))
        """
    }
}
