import Glibc
import HTTPClient
import Testing

@Suite("How long a network is waited for")
struct OutageTests {
    private static let cut = RetryAttempt(
        error: TransferError(.incompleteContent, during: .content, "x"), hasContent: true)
    private static let unreachable = RetryAttempt(
        error: TransferError(.couldNotConnect, during: .connect, "x", errno: ENETUNREACH))
    private static let unknown = RetryAttempt(error: TransferError(.notResolved, during: .resolve, "x"))
    private static let bad = RetryAttempt(error: TransferError(.badResponse, during: .content, "x"))

    private func patience(
        _ attempts: [RetryAttempt], _ policy: RetryPolicy, elapsed: Duration = .zero
    ) -> Duration? {
        var state = RetryState(policy)
        return attempts.map { state.patience(after: $0, elapsed: elapsed) }.last ?? nil
    }

    @Test("unasked only what goes on where it stopped, and failures that follow it")
    func unasked() {
        #expect(patience([Self.cut], .standard) == .seconds(600))
        #expect(patience([Self.unreachable], .standard) == nil)
        #expect(patience([Self.unknown], .standard) == nil)
        #expect(patience([Self.cut, Self.unreachable], .standard) == .seconds(600))
    }

    @Test("asked for retries, every failure that a network could mend")
    func asked() {
        let policy = RetryPolicy(.transient, maximumRetries: 1)
        #expect(patience([Self.unreachable], policy) == .seconds(600))
        #expect(patience([Self.unknown], policy) == .seconds(600))
        #expect(patience([Self.bad], policy) == nil)
    }

    @Test("not where there are no retries at all, nor beyond the policy's time")
    func limits() {
        #expect(patience([Self.cut], .none) == nil)
        var policy = RetryPolicy(.all, maximumRetries: 1)
        policy.maximumTime = .seconds(100)
        #expect(patience([Self.unknown], policy, elapsed: .seconds(30)) == .seconds(70))
        #expect(patience([Self.unknown], policy, elapsed: .seconds(100)) == nil)
    }

    @Test("it uses up no retries")
    func noRetries() {
        var state = RetryState(RetryPolicy(.all, maximumRetries: 1))
        for _ in 0..<10 { _ = state.patience(after: Self.unknown, elapsed: .zero) }
        #expect(state.retries == 0)
    }
}
