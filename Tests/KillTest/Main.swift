import Glibc
import NetworkProbes
import Replay
import System

// Kills a client at random moments, again and again, while the server breaks off, changes the file and lies, and shows that
// the file it saves is always one version of the server's, whole.
//
//     swift run -c release KillTest RAWGET [--rounds N] [--seed S] [--round K] [--verbose]
//
// RAWGET is a program that takes rawget's options; it gets `-o f` and a URL. What fails is told with its seed and round:
// `--seed S --round K` tries that one again, as far as its timing can be had again; `--verbose` tells of all rounds.
// `--command 'curl -s -C - -o f'` in place of RAWGET tries another client, which gets the URL and `--cacert` only and must
// save to `f`. curl's `-C -` writes into the file itself and asks without a condition: that shows what is found.
// A full disk is a small tmpfs, which root may mount; where that cannot be, such rounds are skipped.

@main
struct Main {
    static func main() {
        signal(SIGPIPE, SIG_IGN)
        guard let options = Options(Array(CommandLine.arguments.dropFirst())) else {
            print(
                "usage: KillTest RAWGET|--command 'WORDS' [--rounds N] [--seed S] [--round K] [--verbose]")
            exit(2)
        }
        MountSpace.enter()
        exit(code(of: options))
    }

    /// Carries all out; the series and its folder are gone when that is done.
    private static func code(of options: Options) -> Int32 {
        do {
            return try Series(options).run() ? 0 : 1
        } catch {
            print("cannot begin: \(error)")
            return 2
        }
    }
}

/// What the command line asks for.
struct Options: Sendable {
    var words: [String] = []
    var isRawget = true
    var rounds = 50
    var seed: UInt64 = 0
    var round: Int?
    var isVerbose = false

    /// `nil` where it cannot be understood.
    init?(_ arguments: [String]) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--verbose": isVerbose = true
            case "--rounds":
                guard let number = rest.popFirst().flatMap({ Int($0) }), number > 0 else { return nil }
                rounds = number
            case "--seed":
                guard let number = rest.popFirst().flatMap({ UInt64($0) }) else { return nil }
                seed = number
            case "--round":
                guard let number = rest.popFirst().flatMap({ Int($0) }), number >= 0 else { return nil }
                round = number
            case "--command":
                guard let command = rest.popFirst() else { return nil }
                words = command.split(separator: " ").map(String.init)
                isRawget = false
            default:
                // The client runs in folders of its own.
                guard words.isEmpty, let path = realpath(argument, nil) else { return nil }
                defer { free(path) }
                words = [String(cString: path)]
            }
        }
        if words.isEmpty { return nil }
    }
}

/// Mounts that nobody else sees and that are gone with the process, however it ends.
enum MountSpace {
    private static let mark = "KILL_TEST_MOUNTS"

    /// Starts the program anew in a mount space of its own, where that is permitted.
    static func enter() {
        guard getenv(mark) == nil, WorkFolder.run("unshare", ["--mount", "true"]),
            let program = realpath("/proc/self/exe", nil)
        else { return }
        setenv(mark, "own", 1)
        let words = ["unshare", "--mount", String(cString: program)] + CommandLine.arguments.dropFirst()
        var pointers = words.map { strdup($0) } + [nil]
        execvp("unshare", &pointers)
    }
}
