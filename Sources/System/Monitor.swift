import Glibc

/// A value that threads share, as `Lock` has it, for which a thread can wait.
///
/// Whoever changes what others wait for calls `notifyOne` or `notifyAll`: a change alone wakes nobody.
package final class Monitor<Value>: @unchecked Sendable {
    // Safety: `condition` stays where it is until deinit; the value is touched under the lock's mutex only.
    private let lock: Lock<Value>
    private let condition: UnsafeMutablePointer<pthread_cond_t>

    /// Guards `value`.
    package init(_ value: sending Value) {
        lock = Lock(value)
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
        condition.deallocate()
    }

    /// Runs `body` with the value, alone. `body` must be short and must not lock again.
    package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result { try lock.withLock(body) }

    /// Lets one of the threads that wait look again.
    package func notifyOne() { pthread_cond_signal(condition) }

    /// Lets all threads that wait look again.
    package func notifyAll() { pthread_cond_broadcast(condition) }

    /// Blocks the thread until `body` finds a result in the value. `body` runs alone, as in `withLock`: at once, and
    /// again after each notice.
    package func wait<Result>(for body: (inout Value) -> Result?) -> Result {
        pthread_mutex_lock(lock.mutex)
        defer { pthread_mutex_unlock(lock.mutex) }
        while true {
            if let result = body(&lock.value) { return result }
            pthread_cond_wait(condition, lock.mutex)
        }
    }

    /// The same, at most until `deadline`: `nil` where `body` found nothing even then.
    package func wait<Result>(until deadline: Instant, for body: (inout Value) -> Result?) -> Result? {
        let nanoseconds = max(0, deadline.nanoseconds)
        var limit = timespec(
            tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        pthread_mutex_lock(lock.mutex)
        defer { pthread_mutex_unlock(lock.mutex) }
        while true {
            if let result = body(&lock.value) { return result }
            if pthread_cond_timedwait(condition, lock.mutex, &limit) == ETIMEDOUT { return body(&lock.value) }
        }
    }
}
