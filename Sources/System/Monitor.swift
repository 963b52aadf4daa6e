import Glibc

/// A value that threads share, as `Lock` has it, for which a thread can wait.
///
/// Whoever changes what others wait for calls `notifyOne` or `notifyAll`: a change alone wakes nobody.
package final class Monitor<Value>: @unchecked Sendable {
    // Safety: `value` is touched only while `mutex` is held; both pointers stay where they are until deinit.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private var value: Value

    /// Guards `value`.
    package init(_ value: sending Value) {
        self.value = value
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
        condition = .allocate(capacity: 1)
        condition.initialize(to: pthread_cond_t())
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Runs `body` with the value, alone. `body` must be short and must not lock again.
    package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value)
    }

    /// Lets one of the threads that wait look again.
    package func notifyOne() { pthread_cond_signal(condition) }

    /// Lets all threads that wait look again.
    package func notifyAll() { pthread_cond_broadcast(condition) }

    /// Blocks the thread until `body` finds a result in the value. `body` runs alone, as in `withLock`: at once, and
    /// again after each notice.
    package func wait<Result>(for body: (inout Value) -> Result?) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let result = body(&value) { return result }
            pthread_cond_wait(condition, mutex)
        }
    }

    /// The same, at most until `deadline`: `nil` where `body` found nothing even then.
    package func wait<Result>(until deadline: Instant, for body: (inout Value) -> Result?) -> Result? {
        let nanoseconds = max(0, deadline.nanoseconds)
        var limit = timespec(
            tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let result = body(&value) { return result }
            if pthread_cond_timedwait(condition, mutex, &limit) == ETIMEDOUT { return body(&value) }
        }
    }
}
