import Glibc
import Replay
import System

/// Another client that takes curl's options, in place of `rawget --as-curl`.
struct FixtureClient: Sendable {
    /// The path of the program.
    let path: String
    /// What comes before a fixture's own arguments.
    let arguments: [String]

    /// The client that `command` names: a program, looked for in PATH, and arguments, separated by blanks.
    init(_ command: String, _ invocation: Invocation) throws(UsageError) {
        var words = command.split(separator: " ").map(String.init)
        guard let name = words.first else { throw UsageError("--client needs a command") }
        words.removeFirst()
        arguments = words
        if name.contains("/") {
            path = name
            return
        }
        let folders = (invocation.environment("PATH") ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":")
        let candidates = folders.map { "\($0)/\(name)" }
        guard let found = candidates.first(where: { access($0, X_OK) == 0 }) else {
            throw UsageError("--client: there is no program \"\(name.escapedForTerminal)\" in PATH")
        }
        path = found
    }

    /// Why a fixture is not for other clients; `nil`: it is.
    func refusal(of fixture: Fixture) -> String? {
        if fixture.servers.contains(where: { $0.earlierAddress != nil }) {
            return "a host has several addresses, which no option of curl's can give it"
        }
        for run in fixture.runs {
            guard case .command(let arguments) = run.action, arguments.dropFirst().first == "--as-curl" else {
                return "another client needs a command that begins with `rawget --as-curl`"
            }
            for preparation in run.preparations {
                switch preparation.value {
                case .clock, .clockAdvance: return "the clock cannot be set"
                default: break
                }
            }
        }
        return nil
    }

    /// Starts the client for the command `words`, which begin with `rawget --as-curl`. Hosts lead to `places`.
    func start(
        _ words: [String], places: [FixtureStage.Place], environment: [String], folder: Int32, input: Int32,
        output: Int32, errors: Int32
    ) throws(SystemError) -> Program {
        var ways: [String] = []
        for place in places {
            guard let address = place.addresses.first else { continue }
            let host = address.host.contains(":") ? "[\(address.host)]" : address.host
            ways += [
                "--connect-to", "\(place.host):\(place.port.map(String.init) ?? ""):\(host):\(address.port)",
            ]
        }
        // No file of the person's own options counts; curl looks for that in the first place alone.
        var arguments = ["-q"] + arguments + ways
        for word in words.dropFirst(2) {
            arguments.append(word)
            // What follows begins with no option set.
            if word == "--next" || word == "-:" { arguments += ways }
        }
        return try Program(
            path, arguments, environment: environment, folder: folder, input: input, output: output,
            errors: errors)
    }
}
