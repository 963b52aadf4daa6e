import Glibc
import HTTPClient
import Replay
import Synchronization
import System
import Transport

/// What a fixture's commands know of the world: streams that are files, a clock that stands still, hosts that lead to the
/// fixture's servers, a person who may interrupt.
@NetworkActor
final class FixtureWorld {
    /// Where streams and certificates lie.
    let scratch: ScratchFolder
    /// Where the commands run.
    let folder: FixtureFolder
    let stage: FixtureStage
    /// Standard output and error of the present command.
    private(set) var output: FileDescriptor
    private(set) var errors: FileDescriptor
    private var input: FileDescriptor
    private var environment: [String: String] = [:]
    private let clock: FixtureClock
    /// Where the loads' answers are kept.
    private(set) lazy var cache = ResponseCache(capacity: 1 << 20, clock: clock.wallClock)
    let interruption: FixtureInterruption
    private let outer: Invocation
    private var commands = 0

    /// Most octets that a fixture may have made ready: 4 GiB.
    private static let mostOctets: UInt64 = 4 << 30

    /// How long another client may take to end once it is interrupted.
    private static let grace = Duration.seconds(2)

    /// When the fixture must have ended.
    let deadline: Instant
    private var octetsMade: UInt64 = 0
    /// Where the connections of the last command stood when its time was over.
    private(set) var standing: [FixtureProblem] = []

    /// Makes folders and servers; the servers listen, but do not answer yet.
    init(_ fixture: Fixture, limit patience: Duration, outer: Invocation) throws {
        self.outer = outer
        clock = FixtureClock(outer.clock)
        deadline = .now + patience
        scratch = try ScratchFolder(outer, for: "fixture")
        let scratch = scratch
        do {
            folder = try FixtureFolder("folder", in: scratch.descriptor.rawValue)
            let interruption = try FixtureInterruption()
            self.interruption = interruption
            stage = try FixtureStage(fixture, patience: patience, onInterrupt: { interruption.interrupt() })
            input = try FixtureInput.none()
            output = try FixtureWorld.stream("output-0", in: scratch)
            errors = try FixtureWorld.stream("errors-0", in: scratch)
            try scratch.write(stage.authorityPEM, to: "ca.pem")
            try scratch.write(stage.clientCertificatePEM, to: "client.pem")
            try scratch.write(stage.clientKeyPEM, to: "client.key")
        } catch {
            scratch.remove()
            throw error
        }
    }

    /// Ends the servers and removes the folders.
    func end() {
        stage.stop()
        scratch.remove()
    }

    private static func stream(_ name: String, in scratch: ScratchFolder) throws(SystemError)
        -> FileDescriptor
    {
        let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW
        return try File.open(name, in: scratch.descriptor.rawValue, flags: flags, permissions: 0o600)
    }

    // MARK: Before a command

    /// Fresh streams, and what the fixture makes ready.
    func prepare(_ run: Fixture.Run) throws {
        commands += 1
        interruption.takeBack()
        input = try FixtureInput.none()
        output = try FixtureWorld.stream("output-\(commands)", in: scratch)
        errors = try FixtureWorld.stream("errors-\(commands)", in: scratch)
        for preparation in run.preparations {
            do { try prepare(preparation.value) } catch let error as SystemError {
                let isLink = error.errno == ELOOP || error.errno == ENOTDIR
                let reason = isLink ? "the path leads through a link or a file" : "\(error)"
                throw FixtureProblem(line: preparation.line, "could not be made ready: \(reason)")
            } catch let error as TooMuch {
                throw FixtureProblem(line: preparation.line, "could not be made ready: \(error.reason)")
            }
        }
        try folder.remember()
    }

    private func prepare(_ preparation: Fixture.Preparation) throws {
        switch preparation {
        case .file(let path, let content):
            let file = try folder.makeFile(path)
            try write(content, to: file.rawValue)
        case .folder(let path): try folder.makeFolder(path)
        case .link(let path, let target): try folder.makeLink(path, to: target)
        case .mode(let path, let mode): try folder.setMode(path, mode)
        case .time(let path, let seconds): try folder.setTime(path, seconds)
        case .environment(let name, let content):
            environment[name] = String(decoding: content.octets(atMost: 1 << 20) ?? [], as: UTF8.self)
        case .input(let content, isFile: false): input = try FixtureInput.pipe(content)
        case .input(let content, isFile: true):
            input = try FixtureWorld.stream("input-\(commands)", in: scratch)
            try write(content, to: input.rawValue)
            lseek(input.rawValue, 0, SEEK_SET)
        case .clock(let seconds): clock.set(seconds)
        case .clockAdvance(let seconds): clock.advance(by: seconds)
        }
    }

    /// Writes data, unless it is too much or takes too long.
    private func write(_ content: FixtureContent, to file: Int32) throws {
        try content.forEachPart { (part) throws in
            octetsMade += UInt64(part.count)
            guard octetsMade <= FixtureWorld.mostOctets else {
                throw TooMuch(reason: "more than 4 GiB are to be made ready")
            }
            guard Instant.now < deadline else { throw TooMuch(reason: "it took too long") }
            try File.write(part.span, to: file)
        }
    }

    /// More than is made ready for a fixture.
    private struct TooMuch: Error { var reason: String }

    /// The arguments with what stands for paths and numbers filled in.
    func filledIn(_ arguments: [String]) -> [String] {
        let values = [
            ("{ca}", absolute("ca.pem")), ("{client-certificate}", absolute("client.pem")),
            ("{client-key}", absolute("client.key")), ("{pin}", stage.pin ?? "{pin}"),
            ("{folder}", absolute("folder")), ("{port}", "\(stage.port)"),
        ]
        return arguments.map { argument in
            values.reduce(argument) { $0.replacing($1.0, with: $1.1) }
        }
    }

    /// Commands run in another folder: only a path from the root leads from there to what is meant.
    private func absolute(_ name: String) -> String {
        let path = "/proc/self/fd/\(scratch.descriptor.rawValue)"
        let folder = (try? File.destination(ofLink: path, in: File.workingDirectory)) ?? scratch.path
        return "\(folder)/\(name)"
    }

    // MARK: A command

    /// Runs the command in this process.
    func run(_ arguments: [String]) async -> Int32 {
        var invocation = Invocation(
            arguments: filledIn(FixtureWorld.withoutRetries(arguments)),
            directory: folder.descriptor.rawValue,
            standardInput: input.rawValue, standardOutput: output.rawValue, standardError: errors.rawValue)
        let (environment, interruption) = (environment, interruption)
        invocation.environment = { environment[$0] }
        invocation.interruptions = { interruption.descriptor }
        invocation.clock = clock.wallClock
        invocation.addressMap = addressMap
        let call = invocation
        return await call.run()
    }

    /// Fixtures are about single tries, unless they say otherwise.
    private static func withoutRetries(_ arguments: [String]) -> [String] {
        guard arguments.count > 1, !Command.words.contains(arguments[1]), arguments[1] != "--as-curl",
            !arguments.contains("--retry")
        else { return arguments }
        return [arguments[0], "--retry", "0"] + arguments.dropFirst()
    }

    /// Runs another client, as `client` says. Returns its exit code; `nil`: it did not end in time, and was ended.
    func run(_ arguments: [String], by client: FixtureClient) async throws -> Int32? {
        var variables = ["HOME=\(absolute("folder"))", "LC_ALL=C"]
        if let path = outer.environment("PATH") { variables.append("PATH=\(path)") }
        variables += environment.map { "\($0.key)=\($0.value)" }
        let program = try client.start(
            filledIn(arguments), places: stage.places, environment: variables,
            folder: folder.descriptor.rawValue,
            input: input.rawValue, output: output.rawValue, errors: errors.rawValue)
        let watch = Task(executorPreference: NetworkActor.loop) {
            guard await DescriptorWatch.readable(self.interruption.descriptor) else { return }
            program.send(SIGINT)
            // Who does not listen is ended all the same.
            guard await NetworkActor.loop.sleep(until: .now + FixtureWorld.grace) else { return }
            program.send(SIGKILL)
        }
        defer { watch.cancel() }
        while true {
            if let exit = program.exitCode { return exit }
            guard Instant.now < deadline else {
                program.send(SIGKILL)
                return nil
            }
            try? await DescriptorWatch.readable(
                program.watch, until: Deadline(.total, at: deadline, duration: .zero))
        }
    }

    /// What a command that has ended did.
    func observation(
        of arguments: [String], exit: Int32?, run: Int
    ) throws(SystemError) -> FixtureObservation {
        FixtureObservation(
            arguments: arguments, exit: exit, requests: stage.requests(ofRun: run),
            output: try File.readSome(FixtureObservation.File.mostContent, at: 0, from: output.rawValue),
            entries: try folder.observed(), folder: absolute("folder"),
            ports: stage.places.flatMap { $0.addresses.map(\.port) })
    }

    /// A client of the library whose hosts are the fixture's.
    func client() -> Client {
        var configuration = ClientConfiguration()
        configuration.addressMap = addressMap
        configuration.cache = cache
        configuration.tls.trust = .authorities(
            files: [TLSFile(octets: stage.authorityPEM)], folders: [])
        return Client(configuration)
    }

    /// Interrupts a command that has taken too long, and notes where its connections stood.
    func giveUp(run: Int) {
        standing = stage.standing(run: run)
        interruption.interruptForGood()
    }

    /// The person interrupts.
    func interrupt() { interruption.interrupt() }

    private var addressMap: AddressMap {
        var map = AddressMap()
        map.entries = stage.places.map { place in
            .init(
                host: place.host.withoutBrackets, port: place.port,
                addresses: place.addresses.compactMap { SocketAddress(literal: $0.host, port: $0.port) })
        }
        // No name but the fixture's is known, and nobody outside is asked.
        map.entries.append(.init(host: nil, port: nil, addresses: []))
        return map
    }
}

extension String {
    /// An IPv6 address without the brackets that a URI puts around it.
    var withoutBrackets: String { hasPrefix("[") && hasSuffix("]") ? String(dropFirst().dropLast()) : self }
}

/// A descriptor that becomes readable when a person interrupts.
final class FixtureInterruption: Sendable {
    /// Readable once somebody has interrupted.
    let descriptor: Int32
    private let other: Int32
    private let isForGood = Atomic(false)

    init() throws(SystemError) {
        var ends: [Int32] = [-1, -1]
        _ = try retrying("pipe") { pipe(&ends) }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        (descriptor, other) = (ends[0], ends[1])
    }

    deinit {
        close(descriptor)
        close(other)
    }

    /// Makes the descriptor silent again: the next command has not been interrupted.
    func takeBack() {
        guard !isForGood.load(ordering: .relaxed) else { return }
        var octets = [UInt8](repeating: 0, count: 64)
        while read(descriptor, &octets, octets.count) > 0 {}
    }

    /// Interrupts this command and all that would follow it.
    func interruptForGood() {
        isForGood.store(true, ordering: .relaxed)
        interrupt()
    }

    /// Interrupts; may be called from any thread, and again.
    func interrupt() {
        var octet: UInt8 = 0
        _ = write(other, &octet, 1)
    }
}
