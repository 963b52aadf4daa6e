/// What a `TransferQueue` runs that takes its place until it says that it is over; no thread is held meanwhile.
public protocol TransferOperation: AnyObject, Sendable {
    /// Begins, and returns soon; the queue calls it once at most. `whenFinished` is to be called when the operation is
    /// over, however it ends, from any thread, even before this returns; the queue waits for that. One that was cancelled
    /// before calls it at once.
    func begin(whenFinished: @escaping @Sendable () -> Void)

    /// Ends what has begun; an operation that has not begun makes its ending known and never begins. May come from any
    /// thread at any time: before `begin`, while it runs, after the end, twice.
    func cancel()
}
