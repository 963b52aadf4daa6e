import Glibc
import System
import Transport

/// How much slower a sanitizer may make what is measured.
public let patience = isSanitized ? 20 : 1

/// Whether the thread or the address sanitizer is part of the program.
public let isSanitized = dlsym(nil, "__tsan_init") != nil || dlsym(nil, "__asan_init") != nil

/// The deadline of a test passed.
public struct DeadlinePassed: Error, Hashable, Sendable {
    /// How much time it was.
    public var limit: Duration

    /// So much time was it.
    public init(limit: Duration) { self.limit = limit }
}

/// Runs `body`; past `limit` it is cancelled and `DeadlinePassed` is thrown. For tests: `.timeLimit` counts minutes.
public func within<Value: Sendable>(
    _ limit: Duration = .seconds(10), _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    let limit = isSanitized ? max(limit, .seconds(40)) : limit
    return try await withThrowingTaskGroup(of: Value?.self) { group in
        group.addTask { try await body() }
        group.addTask {
            try await Task.sleep(for: limit)
            return nil
        }
        defer { group.cancelAll() }
        guard let value = try await group.next() ?? nil else { throw DeadlinePassed(limit: limit) }
        return value
    }
}

/// The same on the network loop.
public func onLoop<Value: Sendable>(
    within limit: Duration = .seconds(10),
    _ body: @escaping @Sendable @NetworkActor () async throws -> Value
) async throws -> Value {
    try await within(limit) { try await NetworkActor.run { try await body() } }
}

/// The median of three measurements, divided by `patience`. A machine with other work on it gets three tries to stay
/// under `limit`: what is slow by itself stays slow.
public func medianOfThree(
    under limit: Duration, _ measure: () async throws -> Duration
) async throws -> Duration {
    var best = Duration.seconds(1 << 30)
    for _ in 0..<3 {
        var times: [Duration] = []
        for _ in 0..<3 { times.append(try await measure()) }
        best = min(best, times.sorted()[1] / patience)
        if best < limit { break }
    }
    return best
}

/// Lets other tasks of the loop run until `condition` holds, for at most `limit`; whether it holds.
@NetworkActor
public func eventually(
    within limit: Duration = .seconds(5), _ condition: () -> Bool
) async -> Bool {
    let end = Instant.now + limit
    while !condition() {
        guard Instant.now < end else { return false }
        _ = await NetworkActor.loop.sleep(until: .now + .milliseconds(1))
    }
    return true
}
