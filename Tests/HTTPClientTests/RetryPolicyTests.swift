import Glibc
import HTTPMessage
import System
import Testing

@testable import HTTPClient

@Suite("When a failed transfer is tried again")
struct RetryPolicyTests {
    /// A failure with what tells it from others of its code.
    private static func error(
        _ code: TransferError.Code, _ phase: TransferError.Phase = .content,
        cause: TransferError.Cause? = nil, errno: Int32? = nil
    ) -> TransferError {
        var error = TransferError(code, during: phase, "it failed", errno: errno)
        error.cause = cause
        return error
    }

    private static func cut(newOctets: UInt64 = 1) -> RetryAttempt {
        RetryAttempt(
            error: error(.incompleteContent), status: .ok, hasContent: true, newOctets: newOctets)
    }

    private static func refused() -> RetryAttempt {
        RetryAttempt(error: error(.couldNotConnect, .connect, errno: ECONNREFUSED))
    }

    private static func status(
        _ code: Int, after seconds: UInt64? = nil, isError: Bool = false
    ) -> RetryAttempt {
        RetryAttempt(
            error: isError ? error(.httpFailure) : nil, status: HTTPStatus(code), retryAfter: seconds)
    }

    private static func waits(_ verdict: RetryState.Verdict) -> Bool {
        if case .wait = verdict { true } else { false }
    }

    // MARK: What is worth another try

    struct Row: Sendable, CustomTestStringConvertible {
        var attempt: RetryAttempt
        var resumable: Bool
        var transient: Bool
        var all: Bool

        init(_ attempt: RetryAttempt, _ resumable: Bool, _ transient: Bool, _ all: Bool) {
            self.attempt = attempt
            (self.resumable, self.transient, self.all) = (resumable, transient, all)
        }

        init(_ error: TransferError, _ resumable: Bool, _ transient: Bool, _ all: Bool) {
            self.init(RetryAttempt(error: error), resumable, transient, all)
        }

        var testDescription: String {
            let error = attempt.error.map { "\($0.code.name) during \($0.phase)" } ?? "no error"
            return "\(error), status \(attempt.status.map { "\($0)" } ?? "none")"
        }
    }

    private static func content(_ error: TransferError) -> RetryAttempt {
        RetryAttempt(error: error, status: .ok, hasContent: true)
    }

    /// Failure, then whether a policy of each scope tries again: resumable, transient, all.
    static let rows: [Row] = [
        // Cut or stalled content.
        Row(content(error(.incompleteContent)), true, false, true),
        Row(content(error(.receiveFailed, errno: ECONNRESET)), true, false, true),
        Row(content(error(.timedOut, cause: .silence)), true, true, true),
        Row(content(error(.timedOut, cause: .speed)), true, true, true),
        Row(content(error(.timedOut, cause: .totalTime)), false, true, true),
        // The same before any content came.
        Row(error(.incompleteContent), true, false, true),
        Row(error(.receiveFailed, .firstByte), false, false, true),
        Row(error(.timedOut, .firstByte, cause: .silence), false, true, true),
        Row(error(.timedOut, .connect, cause: .connectTime), false, true, true),
        Row(error(.timedOut, .resolve, cause: .resolveTime), false, true, true),
        Row(error(.timedOut, .firstByte, cause: .totalTime), false, true, true),
        // No connection, or one that breaks.
        Row(error(.notResolved, .resolve), false, true, true),
        Row(refused(), false, false, true),
        Row(error(.couldNotConnect, .connect, errno: EHOSTUNREACH), false, false, true),
        Row(error(.emptyReply, .firstByte), false, false, true),
        Row(error(.sendFailed, .send), false, false, true),
        // The other side's fault.
        Row(error(.badResponse, .firstByte), false, false, true),
        Row(error(.headMissing, .firstByte), false, false, true),
        Row(content(error(.badContentCoding)), false, false, true),
        Row(content(error(.digestMismatch)), false, false, true),
        Row(error(.rangeNotServed), false, false, true),
        Row(error(.tooManyRedirects, .firstByte), false, false, true),
        Row(error(.tlsFailed, .tls), false, false, true),
        Row(error(.peerCertificate, .tls), false, false, true),
        Row(error(.pinnedKey, .tls), false, false, true),
        Row(error(TransferError.Code("news")), false, false, true),
        // The caller's will.
        Row(error(.cancelled), false, false, false),
        Row(content(error(.tooLarge)), false, false, false),
        Row(error(.conditionNotMet), false, false, false),
        Row(error(.notInCache, .firstByte), false, false, false),
        // Local trouble.
        Row(content(error(.writeFailed, .store, errno: ENOSPC)), false, false, false),
        Row(content(error(.writeFailed, .content)), false, false, false),
        Row(content(error(.timedOut, .store)), false, false, false),
        Row(error(.readFailed, .send), false, false, false),
        Row(error(.outOfMemory), false, false, false),
        Row(error(.interfaceFailed, .connect), false, false, false),
        Row(error(.clientCertificate, .tls), false, false, false),
        Row(error(.cipher, .tls), false, false, false),
        Row(error(.caFile, .tls), false, false, false),
        // What was asked for makes no sense.
        Row(error(.badURI, .prepare), false, false, false),
        Row(error(.badURI, .firstByte), false, false, false),
        Row(error(.unsupportedScheme, .firstByte), false, false, false),
        Row(error(.badRequest, .prepare), false, false, false),
        Row(error(.uploadFailed, .firstByte), false, false, false),
        Row(error(.contentNotRewound, .send), false, false, false),
        Row(error(.timedOut, .prepare), false, false, false),
        // Statuses, taken as answers and as errors.
        Row(status(429, after: 1), true, true, true), Row(status(503, after: 0), true, true, true),
        Row(status(429), false, true, true), Row(status(503), false, true, true),
        Row(status(408, after: 1), false, true, true), Row(status(500), false, true, true),
        Row(status(502), false, true, true), Row(status(504), false, true, true),
        Row(status(503, after: 1, isError: true), true, true, true),
        Row(status(503, isError: true), false, true, true),
        Row(status(404), false, false, false), Row(status(404, isError: true), false, false, true),
        Row(status(501, isError: true), false, false, true), Row(status(200), false, false, false),
        Row(status(304), false, false, false), Row(error(.httpFailure), false, false, false),
        Row(RetryAttempt(), false, false, false),
    ]

    @Test("each failure by the policy's scope", arguments: rows)
    func scope(row: Row) {
        for (scope, expected) in [
            (RetryPolicy.Scope.resumable, row.resumable), (.transient, row.transient), (.all, row.all),
        ] {
            var state = RetryState(RetryPolicy(scope, maximumRetries: 1))
            let verdict = state.verdict(after: row.attempt, elapsed: .zero, random: 0)
            #expect(Self.waits(verdict) == expected, "\(scope)")
            if !expected { #expect(verdict == .giveUp(.notTransient), "\(scope)") }
            var none = RetryState(.none)
            #expect(!Self.waits(none.verdict(after: row.attempt, elapsed: .zero, random: 0)))
        }
    }

    @Test("a refused connection is transient where that is asked for, an unreachable host is not")
    func refusedConnections() {
        var policy = RetryPolicy(.transient, maximumRetries: 9)
        policy.retriesRefused = true
        var state = RetryState(policy)
        #expect(Self.waits(state.verdict(after: Self.refused(), elapsed: .zero, random: 0)))
        let unreachable = RetryAttempt(error: Self.error(.couldNotConnect, .connect, errno: EHOSTUNREACH))
        #expect(state.verdict(after: unreachable, elapsed: .zero, random: 0) == .giveUp(.notTransient))
    }

    @Test(
        "once content was cut, not reaching the server is the same outage",
        arguments: [
            refused(), RetryAttempt(error: error(.notResolved, .resolve)),
            RetryAttempt(error: error(.timedOut, .connect, cause: .connectTime)),
            RetryAttempt(error: error(.emptyReply, .firstByte)),
            RetryAttempt(error: error(.receiveFailed, .firstByte)), status(502, isError: true), status(503),
        ])
    func outage(attempt: RetryAttempt) {
        var state = RetryState(.standard)
        #expect(state.verdict(after: attempt, elapsed: .zero, random: 0) == .giveUp(.notTransient))
        #expect(Self.waits(state.verdict(after: Self.cut(), elapsed: .zero, random: 0)))
        #expect(Self.waits(state.verdict(after: attempt, elapsed: .zero, random: 0)))
        let digest = Self.content(Self.error(.digestMismatch))
        #expect(state.verdict(after: digest, elapsed: .zero, random: 0) == .giveUp(.notTransient))
    }

    @Test("an error status with Retry-After is no cut")
    func busyIsNoOutage() {
        var state = RetryState(.standard)
        let busy = RetryAttempt(
            error: Self.error(.httpFailure), status: .serviceUnavailable, retryAfter: 1, hasContent: true)
        #expect(Self.waits(state.verdict(after: busy, elapsed: .zero, random: 0)))
        #expect(state.verdict(after: Self.refused(), elapsed: .zero, random: 0) == .giveUp(.notTransient))
    }

    // MARK: How long

    @Test("waits double from one second to ten minutes")
    func doubles() {
        var state = RetryState(RetryPolicy(.transient, maximumRetries: .max))
        let waits = (0..<13).map { _ in state.verdict(after: Self.status(500), elapsed: .zero, random: .max) }
        let expected = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600, 600]
        #expect(waits == expected.map { .wait(.seconds($0)) })
    }

    @Test("the standard waits 31 seconds at most in a row, then stops")
    func standardRow() {
        var state = RetryState(.standard)
        var total = Duration.zero
        for _ in 0..<5 {
            guard case .wait(let wait) = state.verdict(after: Self.cut(), elapsed: .zero, random: 0) else {
                Issue.record("stopped early")
                return
            }
            total += wait
        }
        #expect(total == .seconds(31))
        #expect(state.verdict(after: Self.cut(), elapsed: .zero, random: 0) == .giveUp(.triesUsedUp))
    }

    @Test("jitter takes up to a quarter, evenly")
    func jitter() {
        var policy = RetryPolicy(.all, maximumRetries: 1)
        policy.hasJitter = true
        #expect(policy.wait(afterRetries: 2, random: 0) == .seconds(4))
        #expect(policy.wait(afterRetries: 2, random: .max) == .seconds(3))
        #expect(policy.wait(afterRetries: .max, random: .max) == .seconds(450))
        var generator = SystemRandomNumberGenerator()
        let waits = (0..<20_000).map { _ in policy.wait(afterRetries: 2, random: generator.next()).inSeconds }
        #expect(waits.allSatisfy { (3.0...4.0).contains($0) })
        for quarter in 0..<4 {
            let low = 3 + Double(quarter) / 4
            let share = Double(waits.count { $0 >= low && $0 < low + 0.25 }) / 20_000
            // Ten times the standard deviation.
            #expect(abs(share - 0.25) < 0.031)
        }
    }

    @Test("a delay that was given is kept", arguments: [Duration.zero, .seconds(5), .seconds(Int64.max)])
    func fixedDelay(delay: Duration) {
        var policy = RetryPolicy(.transient, maximumRetries: 2)
        policy.delay = delay
        policy.hasJitter = true
        var state = RetryState(policy)
        #expect(state.verdict(after: Self.status(500), elapsed: .zero, random: 7) == .wait(delay))
        #expect(state.verdict(after: Self.status(500), elapsed: .zero, random: 9) == .wait(delay))
    }

    @Test(
        "what the server asks for is waited, neither more nor less", arguments: [0, 1, 77, 120] as [UInt64])
    func serversWait(seconds: UInt64) {
        var state = RetryState(.standard)
        let verdict = state.verdict(after: Self.status(429, after: seconds), elapsed: .zero, random: .max)
        #expect(verdict == .wait(.seconds(seconds)))
    }

    @Test("a server that asks for too much is not waited for")
    func serverAsksTooLong() {
        var state = RetryState(.standard)
        let verdict = state.verdict(after: Self.status(503, after: 121), elapsed: .zero, random: 0)
        #expect(verdict == .giveUp(.serverAsksTooLong(.seconds(121))))
        guard case .giveUp(let reason) = verdict else { return }
        #expect(reason.description == "the server asks to wait 121 s, which is too long")
        #expect(state.retries == 0)
    }

    @Test("with --retry any wait is taken, whatever its length", arguments: [121, 1 << 40, .max] as [UInt64])
    func longWaits(seconds: UInt64) {
        var state = RetryState(RetryPolicy(.transient, maximumRetries: 1))
        let verdict = state.verdict(after: Self.status(503, after: seconds), elapsed: .zero, random: 0)
        #expect(verdict == .wait(.seconds(Int64(clamping: seconds))))
    }

    @Test("Retry-After of an answer whose content was cut is not waited for")
    func cutAnswer() {
        var state = RetryState(RetryPolicy(.all, maximumRetries: 1))
        var attempt = Self.cut()
        attempt.retryAfter = 1000
        #expect(state.verdict(after: attempt, elapsed: .zero, random: 0) == .wait(.seconds(1)))
    }

    // MARK: When it ends

    @Test(
        "a wait that would end behind the time is not begun",
        arguments: [
            (0, 10, nil, true), (8, 10, nil, true), (9, 10, nil, true), (10, 10, nil, false),
            (11, 10, nil, false),
            (5, 10, 5, true), (5, 10, 6, false), (10, 10, 0, false), (9, 10, 0, true), (-5, 10, 10, true),
            (-5, 10, 11, false), (0, .max, .max, true), (1, .max, .max, false), (.max, .max, 0, false),
            (.max, 1, .max, false), (.min, .max, .max, true),
        ] as [(Int64, Int64, UInt64?, Bool)])
    func budget(elapsed: Int64, limit: Int64, asked: UInt64?, goesOn: Bool) {
        var policy = RetryPolicy(.transient, maximumRetries: 5)
        policy.maximumTime = .seconds(limit)
        var state = RetryState(policy)
        let verdict = state.verdict(
            after: Self.status(503, after: asked), elapsed: .seconds(elapsed), random: 0)
        #expect(Self.waits(verdict) == goesOn)
        if !goesOn { #expect(verdict == .giveUp(.timeUsedUp)) }
    }

    @Test("counts retries, and stops at the number allowed")
    func counts() {
        var state = RetryState(RetryPolicy(.transient, maximumRetries: 2))
        #expect(Self.waits(state.verdict(after: Self.status(500), elapsed: .zero, random: 0)))
        #expect(Self.waits(state.verdict(after: Self.status(500), elapsed: .zero, random: 0)))
        #expect(state.retries == 2)
        #expect(state.verdict(after: Self.status(500), elapsed: .zero, random: 0) == .giveUp(.triesUsedUp))
        #expect(state.retries == 2)
        var none = RetryState(RetryPolicy(.all, maximumRetries: -1))
        #expect(none.verdict(after: Self.status(500), elapsed: .zero, random: 0) == .giveUp(.triesUsedUp))
    }

    @Test("a megabyte that is new begins the row again, one octet less does not")
    func progress() {
        var state = RetryState(.standard)
        for _ in 0..<5 { _ = state.verdict(after: Self.cut(), elapsed: .zero, random: 0) }
        var short = state
        let least = UInt64(1) << 20
        #expect(
            short.verdict(after: Self.cut(newOctets: least - 1), elapsed: .zero, random: 0)
                == .giveUp(.triesUsedUp))
        #expect(
            state.verdict(after: Self.cut(newOctets: least), elapsed: .zero, random: 0) == .wait(.seconds(1)))
        #expect(state.retries == 1)
        #expect(state.verdict(after: Self.cut(), elapsed: .zero, random: 0) == .wait(.seconds(2)))
    }

    @Test("with --retry all tries count, whatever they brought")
    func noProgress() {
        var state = RetryState(RetryPolicy(.all, maximumRetries: 1))
        #expect(Self.waits(state.verdict(after: Self.cut(newOctets: .max), elapsed: .zero, random: 0)))
        #expect(
            state.verdict(after: Self.cut(newOctets: .max), elapsed: .zero, random: 0)
                == .giveUp(.triesUsedUp))
    }
}
