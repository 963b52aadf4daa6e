extension FixtureStage {
    public convenience init(
        _ fixture: Fixture, patience: Duration = .seconds(30),
        onInterrupt: @escaping @Sendable () -> Void = {},
        log: (@Sendable (String) -> Void)? = nil
    ) throws(ReplayError) { fatalError() }
    public func start() throws(ReplayError) {}
    public func begin(run: Int) {}
    public var isIdle: Bool { true }
    public func end(run: Int) -> RunRecord { RunRecord() }
    public func stop() {}
    public var places: [Place] { [] }
    public var authorityPEM: [UInt8] { [] }
    public var clientCertificatePEM: [UInt8] { [] }
    public var clientKeyPEM: [UInt8] { [] }
    public var pin: String? { nil }
    public var port: UInt16 { 0 }
}
public enum FixtureParser {
    public static func parse(_ octets: [UInt8]) throws(FixtureSyntaxError) -> Fixture {
        throw FixtureSyntaxError([])
    }
}
extension FixtureContent {
    public func forEachPart<E>(_ body: ([UInt8]) throws(E) -> Void) throws(E) {}
    public func octets(atMost: Int) -> [UInt8]? { nil }
}
public enum FixtureDifference {
    public static func text(expected: [UInt8], got: [UInt8]) -> String { "" }
    public static func got(_ octets: [UInt8]) -> String { "" }
}
public final class FixtureService: Sendable {
    public init(
        _ fixtures: [(name: String, fixture: Fixture)], port: UInt16, usesTLS: Bool?, repeats: Bool,
        log: @escaping @Sendable (String) -> Void
    ) throws(ReplayError) {}
    public func start() throws(ReplayError) {}
    public func stop() {}
    public var port: UInt16 { 0 }
    public var authorityPEM: [UInt8] { [] }
    public var isUsedUp: Bool { false }
    public var isAsExpected: Bool { false }
}
