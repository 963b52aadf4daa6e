import Glibc
import HTTPClient
import System
import Transport

/// The command: reads its arguments and does what they ask for.
@NetworkActor
final class Command {
    /// The version that `--version` and User-Agent name.
    nonisolated static let version = "0.1"
    /// Largest file of options, patterns or fields that is read: 64 MiB.
    nonisolated static let longestFile = 64 << 20
    /// Words that stand for another way to run.
    static let words = ["batch", "demo", "check", "explain", "reach", "serve"]

    private var invocation: Invocation
    /// The file of `--stderr`.
    private var messages: FileDescriptor?
    private var console: Console

    init(_ invocation: Invocation) {
        self.invocation = invocation
        console = Console(invocation)
    }

    func run() async -> Int32 {
        if let index = invocation.malformedArgument, invocation.arguments.indices.contains(index) {
            return usage(
                UsageError(
                    "argument \(index), \"\(invocation.arguments[index].escapedForTerminal)\", is not valid UTF-8"
                ))
        }
        if let word = invocation.arguments.dropFirst().first, !isCalledCurl {
            let rest = Array(invocation.arguments.dropFirst(2))
            switch word {
            case "batch": return await BatchCommand(invocation).run(rest)
            case "demo": return await Demo(invocation).run(rest)
            case "check": return await CheckCommand(invocation).run(rest)
            case "explain": return ExplainCommand(invocation).run(rest)
            case "reach": return await ReachCommand(invocation).run(rest)
            case "serve": return await ServeCommand(invocation).run(rest)
            default: break
            }
        }
        let command: ParsedCommand
        do throws(UsageError) {
            let console = console
            command = try CommandParser.parse(invocation.arguments) { (file) throws(UsageError) in
                try console.contents(of: file, limit: Command.longestFile)
            }
        } catch {
            return usage(error)
        }
        switch command.purpose {
        case .version: return show("rawget \(Command.version)\n")
        case .help(let topic):
            guard let text = HelpText.text(topic: topic) else {
                let topics = HelpText.topics.joined(separator: ", ")
                return usage(
                    UsageError(
                        "no help on \"\((topic ?? "").escapedForTerminal)\"; there is help on options and on: \(topics)"
                    ))
            }
            return show(text)
        case .transfer: break
        }
        if let file = command.run.messageFile {
            do throws(UsageError) { try sendMessages(to: file) } catch { return usage(error) }
        }
        console = Console(
            invocation, isSilent: command.run.isSilent,
            hidesErrors: command.run.isSilent && !command.run.showsErrors,
            log: command.run.recordFile == nil ? nil : RunLog())
        for warning in command.warnings { console.warn(warning) }
        do throws(UsageError) {
            return try await TransferRun(command, invocation, console).run()
        } catch {
            return usage(error)
        }
    }

    /// `--stderr`: from here on messages go to that file.
    private func sendMessages(to file: FileArgument) throws(UsageError) {
        guard case .path(let path) = file else {
            invocation.standardError = invocation.standardOutput
            return
        }
        do throws(TransferError) {
            if let descriptor = try invocation.openDescriptor(named: path) {
                invocation.standardError = descriptor
                return
            }
        } catch {
            throw UsageError("--stderr: \(error.detail)")
        }
        do throws(SystemError) {
            let flags = O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_NOCTTY
            let descriptor = try File.open(path, in: invocation.directory, flags: flags)
            invocation.standardError = descriptor.rawValue
            messages = consume descriptor
        } catch {
            throw UsageError("--stderr: could not write \(path.escapedForTerminal): \(error.explanation)")
        }
    }

    private var isCalledCurl: Bool {
        guard let name = invocation.arguments.first else { return false }
        return name == "curl" || name.hasSuffix("/curl")
    }

    private func show(_ text: String) -> Int32 {
        do throws(SystemError) { try console.print(text) } catch { return 23 }
        return 0
    }

    private func usage(_ error: UsageError) -> Int32 {
        console.report(
            error.message, exit: error.exit,
            advice: error.exit == 2 ? "rawget --help lists the options" : nil,
            always: true)
        return error.exit
    }
}
