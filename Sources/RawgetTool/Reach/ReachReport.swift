import HTTPClient
import HTTPMessage
import Reachability
import System
import Transport
import URLLoading

/// What a probe has found, for a person or a program.
struct ReachReport {
    private let result: ProbeResult
    private let uri: URI?

    init(_ result: ProbeResult, of uri: URI?) {
        self.result = result
        self.uri = uri
    }

    // MARK: For a person

    /// A line for each step.
    var text: String {
        let lines = result.findings.filter(isShown).map(line).joined()
        // Without a URL the network itself is the question.
        return uri == nil ? lines + "\(result.status)\n" : lines
    }

    /// Without a URL there are only three steps.
    private func isShown(_ finding: ProbeResult.Finding) -> Bool {
        uri != nil || [.interface, .address, .route].contains(finding.step)
    }

    private func line(_ finding: ProbeResult.Finding) -> String {
        let outcome =
            switch finding.outcome {
            case .passed: "ok"
            case .failed: "failed"
            case .skipped: "-"
            }
        let time = finding.duration.map { "\(ReachReport.milliseconds($0)) ms" } ?? ""
        let words = [
            ReachReport.padded(ReachReport.name(of: finding.step), 9), ReachReport.padded(outcome, 6),
            String(repeating: " ", count: max(0, 10 - time.utf8.count)) + time,
            finding.words.escapedForTerminal,
        ]
        let line = words.joined(separator: "  ")
        return (line.lastIndex { $0 != " " }.map { String(line[...$0]) } ?? "") + "\n"
    }

    private static func name(of step: ProbeStep) -> String {
        switch step {
        case .dns, .tcp, .tls, .http: step.rawValue.uppercased()
        case .interface, .address, .route, .meaning: step.rawValue
        }
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.utf8.count))
    }

    /// With one digit behind the point.
    private static func milliseconds(_ duration: Duration) -> String {
        let tenths = max(0, duration.wholeNanoseconds / 100_000)
        return "\(tenths / 10).\(tenths % 10)"
    }

    // MARK: For a program

    /// One JSON object.
    var json: String { JSONPrinter.text(of: .object(members)) }

    private var members: [JSONValue.Member] {
        var members: [JSONValue.Member] = []
        if let uri {
            members.append(.init(name: "url", value: .string(uri.withoutUserinfoAndFragment.description)))
        }
        members += [
            .init(name: "ok", value: .bool(result.error == nil)),
            .init(name: "reachability", value: .number("\(result.status.rawValue)")),
            .init(name: "reachabilityName", value: .string("\(result.status)")),
            .init(
                name: "failedStep", value: result.failedStep.map { .string($0.rawValue) } ?? .null),
            .init(name: "exit", value: .number("\(result.exit)")),
            .init(name: "message", value: result.error.map { .string($0.detail) } ?? .null),
            .init(name: "steps", value: .array(result.findings.filter(isShown).map(ReachReport.value))),
        ]
        if let network = result.network {
            members += [
                .init(name: "interfaces", value: .array(network.interfaces.map(ReachReport.value))),
                .init(name: "ipv4", value: ReachReport.value(network.ipv4)),
                .init(name: "ipv6", value: ReachReport.value(network.ipv6)),
            ]
        }
        if let response = result.response {
            members += [
                .init(name: "httpStatus", value: .number("\(response.status.code)")),
                .init(name: "location", value: response.fields[.location].map { .string($0) } ?? .null),
            ]
        }
        if let meaning = result.meaning {
            members.append(.init(name: "meaning", value: .string(ReachReport.name(of: meaning))))
        }
        return members
    }

    private static func name(of meaning: AnswerMeaning) -> String {
        switch meaning {
        case .expected: "expected"
        case .refused: "refused"
        case .portal: "portal"
        }
    }

    private static func value(_ finding: ProbeResult.Finding) -> JSONValue {
        .object([
            .init(name: "name", value: .string(finding.step.rawValue)),
            .init(name: "outcome", value: .string(finding.outcome.rawValue)),
            .init(name: "seconds", value: finding.duration.map { .number("\(microseconds($0))") } ?? .null),
            .init(name: "detail", value: .string(finding.words)),
        ])
    }

    /// Seconds with six digits behind the point.
    private static func microseconds(_ duration: Duration) -> String {
        let total = max(0, duration.wholeNanoseconds / 1000)
        let digits = String(total % 1_000_000)
        return "\(total / 1_000_000)." + String(repeating: "0", count: 6 - digits.utf8.count) + digits
    }

    private static func value(_ interface: NetworkInterface) -> JSONValue {
        .object([
            .init(name: "name", value: .string(interface.name)),
            .init(name: "medium", value: .string(interface.medium.rawValue)),
            .init(name: "carriers", value: .array(interface.carriers.map { .string($0) })),
            .init(name: "up", value: .bool(interface.isUp)),
            .init(name: "running", value: .bool(interface.isRunning)),
            .init(name: "addresses", value: .array(interface.addresses.map { .string($0.host) })),
        ])
    }

    private static func value(_ route: NetworkRoute?) -> JSONValue {
        guard let route else { return .null }
        return .object([
            .init(name: "interface", value: .string(route.interface.name)),
            .init(name: "gateway", value: route.gateway.map { .string($0.host) } ?? .null),
            .init(name: "source", value: route.source.map { .string($0.host) } ?? .null),
            .init(name: "isUsable", value: .bool(route.obstacle == nil)),
        ])
    }
}

extension ProbeResult {
    /// What the command exits with.
    var exit: Int32 { error.map(\.exit) ?? 0 }
}

extension TransferError {
    /// What the command exits with for it.
    var exit: Int32 { ExitCode.row(named: code.name)?.status ?? 1 }
}
