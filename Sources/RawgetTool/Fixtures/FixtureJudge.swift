import Glibc
import Replay
import System
import Transport

/// Compares what a run of a fixture came to with what its outcomes say.
@NetworkActor
struct FixtureJudge {
    /// What a command, or a load, came to.
    struct Result {
        /// The exit code of a command.
        var exit: Int32?
        /// What became of a load.
        var load: FixtureLoad.Result?
        /// How long it took.
        var duration: Duration
        /// What the servers noted.
        var record: FixtureStage.RunRecord
    }

    /// Largest file that is compared with a pattern: 64 MiB.
    static let largestMatched = 64 << 20

    /// Comparing takes more time than the fixture has.
    private struct Late: Error, CustomStringConvertible {
        var description: String { "it takes too long" }
    }

    let world: FixtureWorld
    /// Whether the command was this one: another client's messages are its own affair.
    let isOwnCommand: Bool

    /// What is not as it should be.
    func problems(_ run: Fixture.Run, _ result: Result) -> [FixtureProblem] {
        var problems: [FixtureProblem] = []
        var named: Set<String> = []
        for outcome in run.outcomes {
            if let path = FixtureJudge.path(of: outcome.value) { named.insert(path) }
            do {
                if let message = try difference(outcome.value, result) {
                    problems.append(FixtureProblem(line: outcome.line, message))
                }
            } catch {
                problems.append(FixtureProblem(line: outcome.line, "could not be looked at: \(error)"))
            }
        }
        do {
            for surprise in try world.folder.surprises(besides: named) {
                problems.append(FixtureProblem(line: run.line, surprise))
            }
        } catch {
            problems.append(FixtureProblem(line: run.line, "the folder could not be looked at: \(error)"))
        }
        return problems
    }

    private static func path(of outcome: Fixture.Outcome) -> String? {
        switch outcome {
        case .file(let path, _), .fileTime(let path, _), .fileMode(let path, _), .link(let path, _),
            .folder(let path), .noFile(let path):
            path
        default: nil
        }
    }

    // MARK: One outcome

    private func difference(_ outcome: Fixture.Outcome, _ result: Result) throws -> String? {
        switch outcome {
        case .exit(let code):
            guard let exit = result.exit, exit != code else { return nil }
            return "expected exit \(code), got \(exit)\(lastWords)"
        case .output(let expectation):
            return try difference(expectation, world.output.rawValue, "standard output")
        case .error(let expectation):
            guard isOwnCommand else { return nil }
            return try difference(expectation, world.errors.rawValue, "standard error")
        case .file(let path, let expectation):
            return try withFile(path) { (file) throws in
                try difference(expectation, file, "the file \(path)")
            }
        case .fileTime(let path, let seconds):
            guard let status = try status(of: path) else { return missing(path) }
            return status.modified == seconds
                ? nil
                : "expected \(FixtureText.date(seconds)) as the time of \(path), got \(FixtureText.date(status.modified))"
        case .fileMode(let path, let mode):
            guard let status = try status(of: path) else { return missing(path) }
            return status.permissions == mode
                ? nil
                : "expected the permissions \(String(mode, radix: 8)) of \(path), got \(String(status.permissions, radix: 8))"
        case .link(let path, let target):
            guard let status = try status(of: path) else { return missing(path) }
            guard status.kind == .symbolicLink else { return "\(path) is no symbolic link" }
            let got = try File.destination(ofLink: path, in: world.folder.descriptor.rawValue)
            return got == target
                ? nil : "expected \(path) to lead to \(target), got \(got.escapedForTerminal)"
        case .folder(let path):
            guard let status = try status(of: path) else { return missing(path) }
            return status.kind == .folder ? nil : "\(path) is no folder"
        case .noFile(let path):
            return try status(of: path) == nil ? nil : "\(path) is there and should not be"
        case .connections(let count, let server):
            return FixtureJudge.difference(count, result.record.connections, server, "connection")
        case .requests(let count, let server):
            return FixtureJudge.difference(count, result.record.requests, server, "request")
        case .timeOver(let limit):
            return result.duration >= limit
                ? nil
                : "took \(FixtureText.seconds(result.duration)) s, which is not over \(FixtureText.seconds(limit)) s"
        case .timeUnder(let limit):
            return result.duration <= limit
                ? nil
                : "took \(FixtureText.seconds(result.duration)) s, which is not under \(FixtureText.seconds(limit)) s"
        default: return result.load?.difference(outcome)
        }
    }

    private static func difference(
        _ expected: Int, _ counts: [Int], _ server: Int?, _ what: String
    ) -> String? {
        let got = server.map { $0 < counts.count ? counts[$0] : 0 } ?? counts.reduce(0, +)
        return got == expected ? nil : "expected \(expected) \(what)\(expected == 1 ? "" : "s"), got \(got)"
    }

    /// What the command said, for those who wonder why it failed.
    private var lastWords: String {
        let octets = (try? File.readSome(2000, at: 0, from: world.errors.rawValue)) ?? []
        guard !octets.isEmpty else { return "" }
        let lines = String(decoding: octets, as: UTF8.self).split(separator: "\n").suffix(6)
        return lines.map { "\n  standard error: \(String($0).escapedForTerminal)" }.joined()
    }

    // MARK: Files

    private func missing(_ path: String) -> String { "there is no \(path)" }

    private func status(of path: String) throws -> File.Status? {
        do throws(SystemError) {
            return try File.status(of: path, in: world.folder.descriptor.rawValue, followsLinks: false)
        } catch {
            guard error.errno == ENOTDIR else { throw error }
            return nil
        }
    }

    private func withFile(
        _ path: String, _ body: (Int32) throws -> String?
    ) throws -> String? {
        var above = ""
        for part in path.split(separator: "/").dropLast() {
            above += above.isEmpty ? part : "/\(part)"
            // Where a link leads is no affair of the fixture's.
            if try self.status(of: above)?.kind == .symbolicLink { return "\(path) leads through a link" }
        }
        guard let status = try status(of: path) else { return missing(path) }
        guard status.kind == .regular || status.kind == .symbolicLink else { return "\(path) is no file" }
        let file = try File.open(path, in: world.folder.descriptor.rawValue, flags: O_RDONLY | O_NONBLOCK)
        // A link may lead to what never ends.
        guard try File.status(of: file.rawValue).kind == .regular else { return "\(path) is no file" }
        return try body(file.rawValue)
    }

    private func difference(
        _ expectation: Fixture.Expectation, _ file: Int32, _ what: String
    ) throws -> String? {
        switch expectation {
        case .equals(let content):
            var offset: UInt64 = 0
            let difference = try FixtureDifference.between(content) { (wanted) throws in
                guard Instant.now < world.deadline else { throw Late() }
                let octets = try File.readSome(wanted, at: offset, from: file)
                offset += UInt64(octets.count)
                return octets
            }
            return difference.map { "\(what) is not as expected: \($0)" }
        case .matches(let pattern):
            var octets: [UInt8] = []
            while octets.count <= FixtureJudge.largestMatched {
                let part = try File.readSome(1 << 20, at: UInt64(octets.count), from: file)
                if part.isEmpty { break }
                octets += part
            }
            guard !pattern.matches(octets) else { return nil }
            return "\(what) does not match \(pattern.source)\n\(VisibleOctets.lines(octets))"
        }
    }
}
