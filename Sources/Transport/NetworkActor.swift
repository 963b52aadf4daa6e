/// Isolates every socket, timer and pool to one loop. Calls inside it are plain calls: no lock, no hop.
///
/// The actor holds no state: clients, pools and clocks are instances.
@globalActor
public actor NetworkActor {
    /// The one instance; isolation is all it is for.
    public static let shared = NetworkActor()
    /// The loop that runs everything isolated to this actor.
    public static let loop = EventLoop()

    /// The loop.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { Self.loop.asUnownedSerialExecutor() }

    /// Runs `body` on the loop with the loop as the task's executor, so that what it awaits resumes there without a
    /// hop between threads. Every public asynchronous entry goes through here.
    public static func run<Value: Sendable, Failure: Error>(
        _ body: @Sendable @NetworkActor () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        loop.startThreadIfNeeded()
        // `withTaskExecutorPreference` loses the thrown type: the result is carried across.
        let result = await withTaskExecutorPreference(loop) { await capture(body) }
        return try result.get()
    }

    @NetworkActor
    private static func capture<Value: Sendable, Failure: Error>(
        _ body: @Sendable @NetworkActor () async throws(Failure) -> Value
    ) async -> Result<Value, Failure> {
        do throws(Failure) { return .success(try await body()) } catch { return .failure(error) }
    }

    /// Calls `body` at once. Only the loop's own thread may, outside of a job: a global actor has no
    /// `assumeIsolated` of its own.
    package static func assumeIsolated(_ body: @NetworkActor () -> Void) {
        precondition(loop.isOnLoop, "called off the loop's thread")
        withoutActuallyEscaping(body) { body in
            // Safety: an isolated closure has the same representation as a plain one; being on the loop's thread
            // is all that isolation means here. `MainActor.assumeIsolated` does the same.
            unsafeBitCast(body, to: (() -> Void).self)()
        }
    }
}
