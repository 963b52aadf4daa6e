import Replay
import System

/// What `rawget check` says of one fixture.
struct CheckReport {
    /// How it went.
    enum Verdict: String {
        case passed
        case failed
        case skipped
        /// It failed, as it was known to.
        case known
    }

    let name: String
    let verdict: Verdict
    /// Why it was skipped, or why it was known to fail.
    let reason: String?
    let problems: [FixtureProblem]
    let duration: Duration

    /// A report; `known` is why the fixture was expected to fail.
    init(name: String, _ result: FixtureRunner.Result, _ known: String?) {
        self.name = name
        duration = result.duration
        var problems = result.problems
        if let skipped = result.skipped {
            verdict = .skipped
            reason = skipped
        } else if let known {
            verdict = problems.isEmpty ? .failed : .known
            reason = known
            if problems.isEmpty {
                problems = [FixtureProblem(line: 0, "is listed as known to fail (\(known)), but passes")]
            }
        } else {
            verdict = problems.isEmpty ? .passed : .failed
            reason = nil
        }
        self.problems = problems
    }

    /// A line, and the problems of what failed below it.
    var text: String {
        var text = "\(CheckReport.word(verdict)) \(name.escapedForTerminal)"
        if verdict == .passed || verdict == .failed { text += " (\(FixtureText.seconds(duration)) s)" }
        if verdict == .skipped || verdict == .known, let reason { text += ": \(reason.escapedForTerminal)" }
        guard verdict == .failed else { return text }
        for problem in problems {
            let place = problem.line > 0 ? "\(name.escapedForTerminal):\(problem.line): " : ""
            let lines = problem.message.split(separator: "\n", omittingEmptySubsequences: false)
            text += "\n    \(place)\(String(lines.first ?? "").escapedForTerminal)"
            for line in lines.dropFirst() { text += "\n    \(String(line).escapedForTerminal)" }
        }
        return text
    }

    private static func word(_ verdict: Verdict) -> String {
        switch verdict {
        case .passed: "ok     "
        case .failed: "FAILED "
        case .skipped: "skipped"
        case .known: "known  "
        }
    }

    /// A JSON object.
    var json: String {
        var members = [
            "\"file\":\(JSONPrinter.quoted(name))", "\"result\":\"\(verdict.rawValue)\"",
            "\"seconds\":\(FixtureText.seconds(duration))",
        ]
        if let reason { members.append("\"reason\":\(JSONPrinter.quoted(reason))") }
        if !problems.isEmpty {
            let list = problems.map { "{\"line\":\($0.line),\"message\":\(JSONPrinter.quoted($0.message))}" }
            members.append("\"problems\":[\(list.joined(separator: ","))]")
        }
        return "{\(members.joined(separator: ","))}"
    }
}

/// How many fixtures went how.
struct CheckTally {
    private var passed = 0
    private(set) var failed = 0
    private var skipped = 0
    private var known = 0

    /// Whether any fixture was run.
    var hasRunAny: Bool { passed + failed + known > 0 }

    /// Counts one.
    mutating func count(_ verdict: CheckReport.Verdict) {
        switch verdict {
        case .passed: passed += 1
        case .failed: failed += 1
        case .skipped: skipped += 1
        case .known: known += 1
        }
    }

    /// A line for a person.
    func text(_ duration: Duration) -> String {
        var text = "\(passed) passed, \(failed) failed"
        if skipped > 0 { text += ", \(skipped) skipped" }
        if known > 0 { text += ", \(known) failed as known" }
        return "\(text), in \(FixtureText.seconds(duration)) s"
    }

    /// A JSON object.
    func json(_ duration: Duration) -> String {
        "{\"passed\":\(passed),\"failed\":\(failed),\"skipped\":\(skipped),\"known\":\(known),"
            + "\"seconds\":\(FixtureText.seconds(duration))}"
    }
}
