import System

/// What a delegate is asked, and waits to be answered: once, by whoever is first.
final class Question<Value: Sendable>: OpenQuestion {
    private struct State {
        var value: Value?
        var continuation: UnsafeContinuation<Value, Never>?
    }

    private let state = Lock(State())
    private let fallback: Value

    /// A question to which `fallback` is the answer where nobody gives another.
    init(_ fallback: Value) { self.fallback = fallback }

    /// The answer, as soon as there is one.
    func answer() async -> Value {
        await withUnsafeContinuation { continuation in
            let early = state.withLock { state -> Value? in
                if state.value == nil { state.continuation = continuation }
                return state.value
            }
            if let early { continuation.resume(returning: early) }
        }
    }

    /// Answers it, unless that was done.
    func resolve(_ value: Value) {
        let waiting = state.withLock { state -> UnsafeContinuation<Value, Never>? in
            guard state.value == nil else { return nil }
            state.value = value
            return state.continuation.take()
        }
        waiting?.resume(returning: value)
    }

    /// Answers it by the fallback, unless it was answered.
    func giveUp() { resolve(fallback) }
}

/// A question whose answer is of no matter to who gives up on it.
protocol OpenQuestion: AnyObject, Sendable {
    func giveUp()
}

/// What a delegate is handed to answer by. A delegate that lets go of it without an answer leaves the fallback.
final class Reply<Value: Sendable>: Sendable {
    private let question: Question<Value>

    init(to question: Question<Value>) { self.question = question }

    deinit { question.giveUp() }

    /// Answers; only the first answer counts.
    func send(_ value: Value) { question.resolve(value) }
}

extension CallOrder {
    /// Asks the receiver, in its turn.
    func ask<Value: Sendable>(
        _ question: Question<Value>, _ call: @escaping @Sendable (Reply<Value>) -> Void
    ) async -> Value {
        append { call(Reply(to: question)) }
        return await question.answer()
    }
}
