import Synchronization
import System

/// The three standard streams of an invocation. What a person reads goes to standard error, results to standard
/// output.
final class Console: Sendable {
    /// What the command calls itself in messages.
    static let name = "rawget"

    let invocation: Invocation
    /// `-s`: warnings and errors are not shown.
    let isSilent: Bool
    /// `-s` without `-S`.
    let hidesErrors: Bool
    /// Where what is read and printed is noted, for a recorder.
    let log: RunLog?
    /// Whether standard error did not take the last message: the next one is not waited for.
    private let isStuck = Atomic<Bool>(false)

    init(
        _ invocation: Invocation, isSilent: Bool = false, hidesErrors: Bool = false, log: RunLog? = nil
    ) {
        self.invocation = invocation
        self.isSilent = isSilent
        self.hidesErrors = hidesErrors
        self.log = log
    }

    /// Whether standard error is a terminal.
    var hasTerminal: Bool { invocation.isTerminal(invocation.standardError) }

    /// A line about something odd that does no harm.
    func warn(_ text: String) {
        guard !isSilent else { return }
        say("\(Console.name): warning: \(text)")
    }

    /// A line about what failed, with its exit code and what to do next; shown in spite of `-s` where `always`.
    func report(_ text: String, exit: Int32, advice: String?, always: Bool = false) {
        guard always || !hidesErrors else { return }
        let ending = text.hasSuffix("?") || text.hasSuffix(".") ? " " : ". "
        let rest = advice.map { ending + $0 } ?? ""
        say("\(Console.name): (\(exit)) \(text)\(rest)")
    }

    /// A line for a person.
    func say(_ line: String) { draw(line + "\n") }

    /// Text for a person, as it is. A reader who does not read is waited for a second, once; what he does not take
    /// is lost: downloads matter more than what is said of them.
    func draw(_ text: String) {
        let wait: Duration = isStuck.load(ordering: .relaxed) ? .zero : .seconds(1)
        let isTaken = File.offer(Array(text.utf8).span, to: invocation.standardError, within: wait)
        isStuck.store(!isTaken, ordering: .relaxed)
    }

    /// A result. Throws when standard output takes no more.
    func print(_ text: String) throws(SystemError) { try print(Array(text.utf8)) }

    /// Octets of a result.
    func print(_ octets: [UInt8]) throws(SystemError) {
        log?.notePrinted(octets.span)
        try File.write(octets.span, to: invocation.standardOutput)
    }

    /// Asks the person at standard input for the password of `what`, which is not shown.
    func askPassword(for what: String) throws(UsageError) -> [UInt8] {
        draw("password for \(what.escapedForTerminal): ")
        do throws(SystemError) {
            let password = try Terminal.readSecret(from: invocation.standardInput)
            draw("\n")
            return password
        } catch {
            throw UsageError("could not read the password: \(error.explanation)", exit: 26)
        }
    }

    /// A file that an option names, as text.
    func text(of file: FileArgument, for option: String) throws(UsageError) -> String {
        let octets = try contents(of: file, limit: Command.longestFile)
        guard let text = String(validating: octets, as: UTF8.self) else {
            throw UsageError("\(option): \(Console.name(of: file)) is not valid UTF-8")
        }
        return text
    }

    private static func name(of file: FileArgument) -> String {
        if case .path(let path) = file { path.escapedForTerminal } else { "standard input" }
    }

    /// The octets of a file that an option names.
    func contents(of file: FileArgument, limit: Int) throws(UsageError) -> [UInt8] {
        do throws(SystemError) {
            let octets: [UInt8]
            switch file {
            case .standard: octets = try File.contents(of: invocation.standardInput, limit: limit)
            case .path(let path):
                let descriptor = try File.open(path, in: invocation.directory, flags: 0)
                octets = try File.contents(of: descriptor.rawValue, limit: limit)
            }
            log?.noteReading(octets, of: file)
            return octets
        } catch {
            throw UsageError("could not read \(Console.name(of: file)): \(error.explanation)", exit: 26)
        }
    }
}
