public import HTTPClient
public import System
public import Transport

/// Everything the command knows of the world: the only entry to it. Hundreds of invocations can run in one process.
public struct Invocation: Sendable {
    /// The name the command was called by, then its arguments.
    public var arguments: [String]
    /// The index of the first argument that is not UTF-8, and so does not stand in `arguments` as it was given.
    public var malformedArgument: Int?
    /// The value of a variable of the environment.
    public var environment: @Sendable (String) -> String?
    /// The folder that paths are relative to: an open descriptor, or `File.workingDirectory`.
    public var directory: Int32
    /// Where `-` is read from: an open descriptor.
    public var standardInput: Int32
    /// Where results go: an open descriptor.
    public var standardOutput: Int32
    /// Where messages for a person go: an open descriptor.
    public var standardError: Int32
    /// Called when transfers begin: from then on a person who interrupts, for the first time, makes the descriptor
    /// returned readable, for good. Before, and for the second time, it is not the command's affair.
    public var interruptions: @Sendable () -> Int32?
    /// The exit code of a run that was interrupted.
    public var interruptionStatus: @Sendable () -> Int32
    /// The wall clock.
    public var clock: WallClock
    /// Whether a descriptor is a terminal.
    public var isTerminal: @Sendable (Int32) -> Bool
    /// The terminal's width now.
    public var columns: @Sendable () -> Int
    /// Where hosts are to be found, before anything the command line says.
    public var addressMap: AddressMap

    /// An invocation with no environment, no terminal and no interruptions.
    public init(
        arguments: [String], directory: Int32, standardInput: Int32, standardOutput: Int32,
        standardError: Int32
    ) {
        self.arguments = arguments
        environment = { _ in nil }
        self.directory = directory
        self.standardInput = standardInput
        self.standardOutput = standardOutput
        self.standardError = standardError
        interruptions = { nil }
        interruptionStatus = { 130 }
        clock = .system
        isTerminal = { _ in false }
        columns = { 80 }
        addressMap = AddressMap()
    }

    /// The loop that `run()` does its work on; somebody must run it.
    public static var loop: EventLoop { NetworkActor.loop }

    /// Tells that the system has given no descriptors to wait with (`Invocation.loop.isUsable`), so that nothing can
    /// be run. Returns the exit code.
    public func tellUnusable() -> Int32 {
        Console(self).report(
            "the system gave no descriptor to wait for the network with", exit: 27,
            advice: "Allow more open files with `ulimit -n`.")
        return 27
    }

    /// Does what the arguments ask for. Returns the exit code.
    @NetworkActor
    public func run() async -> Int32 { await Command(self).run() }
}
