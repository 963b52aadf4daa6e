import Glibc

/// A value that threads share, under a `pthread_mutex_t`.
///
/// `Synchronization.Mutex` is not used: the thread sanitizer does not see that lock on Linux and reports false races.
public final class Lock<Value>: @unchecked Sendable {
    // Safety: `value` is touched only while `mutex` is held, here and by `Monitor`; the mutex lives at a fixed address until deinit.
    let mutex: UnsafeMutablePointer<pthread_mutex_t>
    var value: Value

    /// Guards `value`.
    public init(_ value: sending Value) {
        self.value = value
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Runs `body` with the value, alone. `body` must be short and must not lock again.
    public func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value)
    }
}
