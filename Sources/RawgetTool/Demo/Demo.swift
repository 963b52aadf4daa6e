import Examples
import Glibc
import HTTPClient
import Replay
import System
import Transport

/// `rawget demo`: a tour through the examples in the documents' order, and then the command at work, all against a server
/// of its own on the loopback; every octet is checked.
@NetworkActor
final class Demo {
    var invocation: Invocation
    let report: DemoReport
    private let console: Console

    init(_ invocation: Invocation) {
        self.invocation = invocation
        console = Console(invocation)
        report = DemoReport(console)
    }

    /// Runs the tour. Returns 0 only when everything held.
    func run(_ arguments: [String]) async -> Int32 {
        guard arguments.isEmpty else {
            console.report("demo takes no arguments", exit: 2, advice: nil)
            return 2
        }
        // From here on there is a folder to remove.
        let interruptions = invocation.interruptions()
        invocation.interruptions = { interruptions }
        do {
            let folder = try ScratchFolder(invocation, for: "demo")
            defer { folder.remove() }
            let server = try ReplayServer { DemoServer.answer($0) }
            try server.start()
            defer { server.stop() }
            try report.say(
                "A server of this program's own listens on \(server.authority); its files live in memory.\n")
            try await showExamples(server, folder)
            try await showCommand(server, folder)
            try report.close()
        } catch is Interrupted {
            return invocation.interruptionStatus()
        } catch let error as SystemError where error.errno == EPIPE {
            // Whoever reads has enough.
            return 23
        } catch {
            console.report("the demo could not run: \(error)", exit: 1, advice: nil)
            return 1
        }
        return report.failures == 0 ? 0 : 1
    }

    // MARK: The examples

    /// Runs the examples, one after the other. Throws `Interrupted`.
    private func showExamples(_ server: ReplayServer, _ folder: ScratchFolder) async throws {
        // By way of the open folder: what its path is relative to may be another folder than the process's own.
        let path = try File.destination(
            ofLink: "/proc/self/fd/\(folder.descriptor.rawValue)", in: folder.descriptor.rawValue)
        let stage = try ExampleStage(server, in: path, report)
        let report = report
        let tour = Task(executorPreference: NetworkActor.loop) {
            for example in Example.all where !Task.isCancelled {
                report.offer("\(example.numbers)  \(example.documentStyle) → \(example.name)")
                await example.run(on: stage)
            }
        }
        let watch = invocation.interruptions().map { descriptor in
            Task(executorPreference: NetworkActor.loop) {
                guard await DescriptorWatch.readable(descriptor) else { return false }
                // What was begun ends at once: nobody answers any more.
                report.mute()
                server.stop()
                tour.cancel()
                return true
            }
        }
        await tour.value
        watch?.cancel()
        if await watch?.value ?? false { throw Interrupted() }
        try report.checkHeard()
    }

    // MARK: The command

    /// Runs the command as a person would, in the demo's folder. Throws `Interrupted`.
    func command(_ arguments: [String], in folder: ScratchFolder) async throws -> Int32 {
        try report.say("   $ rawget \(arguments.joined(separator: " "))")
        var inner = invocation
        inner.arguments = ["rawget"] + arguments
        inner.directory = folder.descriptor.rawValue
        inner.addressMap = AddressMap()
        let exit = await Command(inner).run()
        guard exit < 128 else { throw Interrupted() }
        return exit
    }
}

/// A person has had enough of the tour.
private struct Interrupted: Error {}
