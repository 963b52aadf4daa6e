import Glibc
import RawgetTool
import Replay
import System
import Transport

// Changes one octet of every line of every fixture that expects or frames something, and runs each mutant: where it still
// passes, the fixture does not prove what it says.
//
//     swift run Mutants Fixtures Tests/Mutants/survivors.txt [SHARE SEED]
//
// With SHARE only so many percent of the mutants are run, chosen by SEED. Those that may survive stand in the list, with
// their reasons.

@main
struct Main {
    static func main() {
        signal(SIGPIPE, SIG_IGN)
        let arguments = CommandLine.arguments
        guard arguments.count == 3 || arguments.count == 5 else {
            print("usage: Mutants FOLDER SURVIVORS [SHARE SEED]")
            exit(2)
        }
        let share = arguments.count == 5 ? Int(arguments[3]) ?? 100 : 100
        let seed = arguments.count == 5 ? UInt64(arguments[4]) ?? 0 : 0
        exit(
            NetworkActor.loop.run {
                await MutantRun(folder: arguments[1], survivors: arguments[2], share: share, seed: seed).run()
            })
    }
}

/// Runs the mutants of a folder.
@NetworkActor
final class MutantRun {
    /// How many run at once.
    private static let jobs = 32
    /// Longest time for one.
    private static let limit = Duration.seconds(5)
    /// The largest part of all that may survive.
    private static let bar = 0.02

    private struct Mutant {
        var file: String
        var mutation: Mutation
    }

    private let folder: String
    private let survivorsFile: String
    private let share: Int
    private let seed: UInt64
    private var mutants: [Mutant] = []
    private var next = 0
    private var survivors: [Mutant] = []

    nonisolated init(folder: String, survivors: String, share: Int, seed: UInt64) {
        self.folder = folder
        survivorsFile = survivors
        self.share = share
        self.seed = seed
    }

    func run() async -> Int32 {
        let allowed: [AllowedSurvivor]
        do throws(SystemError) {
            try collect(folder, prefix: "")
            allowed = AllowedSurvivor.list(try contents(survivorsFile))
        } catch {
            print("could not be read: \(error)")
            return 2
        }
        let all = mutants.count
        var generator = SplitMix64(seed: seed)
        if share < 100 {
            mutants = mutants.filter { _ in generator.next() % 100 < UInt64(share) }
        }
        let start = Instant.now
        let workers = (0..<MutantRun.jobs).map { _ in
            Task(executorPreference: NetworkActor.loop) { await self.work() }
        }
        for worker in workers { await worker.value }
        var failures = 0
        for survivor in survivors {
            guard !allowed.contains(where: { $0.means(survivor.file, survivor.mutation) }) else { continue }
            failures += 1
            print("survived: \(survivor.file):\(survivor.mutation.line)")
            print("    \(survivor.mutation.original)\n    \(survivor.mutation.changed)")
        }
        for entry in allowed where share == 100 {
            guard !survivors.contains(where: { entry.means($0.file, $0.mutation) }) else { continue }
            failures += 1
            print("listed, but does not survive: \(entry.file): \(entry.line)")
        }
        let part = Double(survivors.count) / Double(max(1, mutants.count))
        let percent = (part * 1000).rounded() / 10
        print(
            "\(mutants.count) of \(all) mutants run in \(Int((Instant.now - start).inSeconds)) s, "
                + "\(survivors.count) survived (\(percent) %), \(failures) of them not as listed")
        // Of few mutants one says nothing of the whole.
        if share == 100, part >= MutantRun.bar {
            print("too many survived")
            return 1
        }
        return failures == 0 && !mutants.isEmpty ? 0 : 1
    }

    private func work() async {
        let world = Invocation(
            arguments: [], directory: File.workingDirectory, standardInput: 0, standardOutput: 1,
            standardError: 2)
        let runner = FixtureRunner(world, limit: MutantRun.limit)
        while next < mutants.count {
            let mutant = mutants[next]
            next += 1
            guard let fixture = try? FixtureParser.parse(mutant.mutation.octets) else { continue }
            if await runner.run(fixture).hasPassed { survivors.append(mutant) }
        }
    }

    private func collect(_ path: String, prefix: String) throws(SystemError) {
        let names: [String]
        do {
            let open = try File.open(path, in: File.workingDirectory, flags: O_RDONLY | O_DIRECTORY)
            names = try File.names(in: open.rawValue)
        }
        for name in names {
            let inner = "\(path)/\(name)"
            let status = try File.status(of: inner, in: File.workingDirectory, followsLinks: false)
            if status?.kind == .folder {
                try collect(inner, prefix: "\(prefix)\(name)/")
            } else if name.hasSuffix(".wire") {
                let mutator = Mutator(try contents(inner))
                mutants += mutator.mutations { (try? FixtureParser.parse($0)) != nil }
                    .map { Mutant(file: prefix + name, mutation: $0) }
            }
        }
    }

    private func contents(_ path: String) throws(SystemError) -> [UInt8] {
        let file = try File.open(path, in: File.workingDirectory, flags: O_RDONLY)
        return try File.contents(of: file.rawValue, limit: 16 << 20)
    }
}

/// A mutant that may survive: `FILE: LINE` and, on the next line, indented, why.
private struct AllowedSurvivor {
    var file: String
    var line: String

    static func list(_ octets: [UInt8]) -> [AllowedSurvivor] {
        String(decoding: octets, as: UTF8.self).split(separator: "\n").compactMap { entry in
            guard !entry.hasPrefix("#"), !entry.hasPrefix(" "), let colon = entry.firstIndex(of: ":") else {
                return nil
            }
            return AllowedSurvivor(
                file: String(entry[..<colon]), line: String(entry[entry.index(after: colon)...].dropFirst()))
        }
    }

    func means(_ file: String, _ mutation: Mutation) -> Bool {
        self.file == file && line == mutation.original
    }
}
