import HTTPClient
package import Replay
import System
import Transport

/// Runs one fixture after another: starts its servers, runs its commands, compares what they came to.
///
/// Commands run in this process, unless another client takes their place; several fixtures may run at once.
package struct FixtureRunner: Sendable {
    /// What a fixture came to.
    package struct Result: Sendable {
        /// What was not as it says: how the command or the load ended, then the rest in the order of its lines; empty: it
        /// passed.
        package var problems: [FixtureProblem] = []
        /// Why it was not run; `nil`: it was.
        package var skipped: String?
        /// What its commands did, as far as they were run; only of a runner that observes.
        package var observations: [FixtureObservation] = []
        /// How long it took.
        package var duration = Duration.zero

        /// Whether it ran and all was as it says.
        package var hasPassed: Bool { problems.isEmpty && skipped == nil }
    }

    /// How long a client's connections may stay open behind its end.
    private static let grace = Duration.seconds(2)

    private let invocation: Invocation
    private let limit: Duration
    private let client: FixtureClient?
    private let observes: Bool

    /// A runner whose fixtures may take `limit` each. `invocation` lends its folder for temporary files.
    package init(_ invocation: Invocation, limit: Duration = .seconds(30)) {
        self.init(invocation, limit: limit, client: nil)
    }

    /// A runner that also keeps what each command did. Fixtures run by `client` when there is one: see `--client`.
    init(
        observing invocation: Invocation, limit: Duration = .seconds(30), client: String?
    ) throws(UsageError) {
        let other = try client.map { (command) throws(UsageError) in try FixtureClient(command, invocation) }
        self.init(invocation, limit: limit, client: other, observes: true)
    }

    init(_ invocation: Invocation, limit: Duration, client: FixtureClient?, observes: Bool = false) {
        self.invocation = invocation
        self.limit = limit
        self.client = client
        self.observes = observes
    }

    /// Runs a fixture.
    package func run(_ fixture: Fixture) async -> Result { await run(fixture) { _ in } }

    /// Runs a fixture. `began` is given what interrupts its commands.
    func run(
        _ fixture: Fixture, began: @escaping @NetworkActor @Sendable (FixtureInterruption) -> Void
    ) async -> Result {
        // A task of its own, on the loop from beginning to end: the caller's may be anywhere.
        await Task(executorPreference: NetworkActor.loop) { await perform(fixture, began) }.value
    }

    @NetworkActor
    private func perform(
        _ fixture: Fixture, _ began: @NetworkActor (FixtureInterruption) -> Void
    ) async -> Result {
        var result = Result()
        if let refusal = client?.refusal(of: fixture) {
            result.skipped = refusal
            return result
        }
        let start = Instant.now
        let world: FixtureWorld
        do {
            world = try FixtureWorld(fixture, limit: limit, outer: invocation)
        } catch {
            result.problems = [FixtureProblem(line: 0, "could not be made ready: \(error)")]
            return result
        }
        defer { world.end() }
        began(world.interruption)
        do throws(ReplayError) { try world.stage.start() } catch {
            result.problems = [FixtureProblem(line: 0, "could not be made ready: \(error)")]
            return result
        }
        for (index, run) in fixture.runs.enumerated() {
            do {
                result.problems += try await problems(run, index, in: world) {
                    result.observations.append($0)
                }
            } catch let problem as FixtureProblem {
                result.problems.append(FixtureProblem(line: max(problem.line, run.line), problem.message))
            } catch {
                result.problems.append(FixtureProblem(line: run.line, "could not be run: \(error)"))
            }
            // What follows would fail for the same reason; but who observes wants to see what two clients do all the same.
            if !result.problems.isEmpty, !observes { break }
        }
        let ends = Set(fixture.runs.flatMap { $0.outcomes.filter { $0.value.isEnd }.map(\.line) })
        // How the command ended, and what it said of that, is the cause of much else.
        result.problems.sort {
            (ends.contains($0.line) ? 0 : 1, $0.line) < (ends.contains($1.line) ? 0 : 1, $1.line)
        }
        result.duration = .now - start
        return result
    }

    @NetworkActor
    private func problems(
        _ run: Fixture.Run, _ index: Int, in world: FixtureWorld, observed: (FixtureObservation) -> Void
    ) async throws -> [FixtureProblem] {
        try world.prepare(run)
        world.stage.begin(run: index)
        let start = Instant.now
        let watch = Task(executorPreference: NetworkActor.loop) {
            guard await NetworkActor.loop.sleep(until: world.deadline) else { return }
            await world.giveUp(run: index)
        }
        defer { watch.cancel() }
        var exit: Int32?
        var load: FixtureLoad.Result?
        switch run.action {
        case .command(let arguments):
            if let client {
                exit = try await world.run(arguments, by: client)
            } else {
                exit = await world.run(arguments)
            }
        case .load(let request): load = try await self.load(request, in: world)
        }
        let duration = .now - start
        await settle(world)
        let record = world.stage.end(run: index)
        if observes, case .command(let arguments) = run.action {
            observed(try world.observation(of: arguments, exit: exit, run: index))
        }
        if Instant.now >= world.deadline {
            return record.problems + world.standing + [
                FixtureProblem(line: run.line, "had not ended after \(limit.inSeconds) s")
            ]
        }
        let judge = FixtureJudge(world: world, isOwnCommand: client == nil)
        return record.problems
            + judge.problems(run, .init(exit: exit, load: load, duration: duration, record: record))
    }

    /// Sends a request by the library, until the person interrupts.
    @NetworkActor
    private func load(
        _ request: Fixture.Load, in world: FixtureWorld
    ) async throws(FixtureProblem) -> FixtureLoad.Result {
        let client = world.client()
        let loading = Task(executorPreference: NetworkActor.loop) {
            () -> Swift.Result<FixtureLoad.Result, FixtureProblem> in
            do throws(FixtureProblem) {
                return .success(try await FixtureLoad.run(request, by: client))
            } catch {
                return .failure(error)
            }
        }
        let watch = Task(executorPreference: NetworkActor.loop) {
            guard await DescriptorWatch.readable(world.interruption.descriptor) else { return }
            loading.cancel()
        }
        defer {
            watch.cancel()
            client.closeIdleConnections()
        }
        return try await loading.value.get()
    }

    /// Waits until nothing is validated in the background, and the servers have seen the ends of the client's connections.
    @NetworkActor
    private func settle(_ world: FixtureWorld) async {
        let end = Instant.now + FixtureRunner.grace
        var step = Duration.microseconds(100)
        while world.cache.isValidating || !world.stage.isIdle, .now < end {
            guard await NetworkActor.loop.sleep(until: .now + step) else { return }
            step = min(step * 2, .milliseconds(5))
        }
    }
}

extension Fixture.Outcome {
    /// Whether it is about how a command or a load ended.
    fileprivate var isEnd: Bool {
        switch self {
        case .exit, .status, .failure: true
        default: false
        }
    }
}
