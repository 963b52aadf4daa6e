import Rawget

/// The end of what calls back, for those who wait.
struct Ending: Sendable {
    private let ends: AsyncStream<Never>
    private let continuation: AsyncStream<Never>.Continuation

    init() { (ends, continuation) = AsyncStream.makeStream() }

    /// It is over. Said twice it counts once.
    func come() { continuation.finish() }

    /// Returns when it is over. A caller who is cancelled waits, too: nothing of a style is under way any more when this
    /// returns.
    func wait() async {
        await Task(executorPreference: NetworkActor.loop) { for await _ in ends {} }.value
    }
}
