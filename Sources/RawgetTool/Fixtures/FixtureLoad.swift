import HTTPCache
import HTTPClient
import HTTPMessage
import Replay
import Transport

/// A request by the library in place of the command.
enum FixtureLoad {
    /// What it came to.
    enum Result: Sendable {
        case answered(TransferReport, content: [UInt8])
        case failed(TransferError)
    }

    /// Largest content that is collected: 64 MiB.
    static let maximumLength: UInt64 = 64 << 20

    /// Sends the request and collects the answer. Throws when the request cannot be written.
    @NetworkActor
    static func run(_ load: Fixture.Load, by client: Client) async throws(FixtureProblem) -> Result {
        guard let method = HTTPMethod(load.method) else {
            throw FixtureProblem(line: 0, "\(load.method) is no method")
        }
        let sink = CollectedContent(maximumLength: maximumLength)
        do throws(TransferError) {
            let uri: URI
            do throws(URIError) { uri = try URI(parsing: load.uri) } catch { throw TransferError(error) }
            var request = HTTPRequest(method, uri)
            for line in load.fields {
                guard let field = FixtureLoad.field(line) else {
                    return .failed(TransferError(.badRequest, during: .prepare, "no field line: \(line)"))
                }
                request.fields.append(field.name, field.value)
            }
            if let content = load.content { request.content = content.octets(atMost: Int(maximumLength)) }
            var options = TransferOptions()
            options.cachePolicy =
                load.cachePolicy.flatMap { CachePolicy(name: $0) } ?? .useProtocolCachePolicy
            let transfer = client.transfer(request, into: sink, options: options)
            return .answered(try await transfer.run(), content: sink.octets)
        } catch {
            return .failed(error)
        }
    }

    /// Whether errors have such a code and such a phase.
    static func isKnown(_ code: String, _ phase: String?) -> Bool {
        ExitCode.row(named: code) != nil && phase.map { TransferError.Phase(rawValue: $0) != nil } ?? true
    }

    private static func field(_ line: String) -> (name: FieldName, value: String)? {
        guard let colon = line.firstIndex(of: ":"), let name = FieldName(String(line[..<colon])) else {
            return nil
        }
        return (name, String(line[line.index(after: colon)...].drop(while: { $0 == " " })).asFieldValue)
    }
}

extension FixtureLoad.Result {
    /// What is not as `outcome` says; `nil` when it is.
    func difference(_ outcome: Fixture.Outcome) -> String? {
        switch (self, outcome) {
        case (_, .failure(let code, let phase)) where !FixtureLoad.isKnown(code, phase):
            let phases = TransferError.Phase.allCases.map(\.rawValue).joined(separator: ", ")
            return "no failure is called \(code)\(phase.map { " during \($0)" } ?? ""); phases are \(phases)"
        case (.failed(let error), .failure(let code, let phase)):
            guard error.code.name == code, phase ?? error.phase.rawValue == error.phase.rawValue else {
                let wanted = phase.map { " during \($0)" } ?? ""
                return "expected the failure \(code)\(wanted), got \(described(error))"
            }
            return nil
        case (.failed(let error), _): return "the load failed: \(described(error))"
        case (.answered(let report, _), .failure(let code, _)):
            return "expected the failure \(code), got the status \(report.response.status.code)"
        case (.answered(let report, let content), _): return difference(outcome, report, content)
        }
    }

    private func described(_ error: TransferError) -> String {
        "\(error.code.name) during \(error.phase.rawValue): \(error.detail.escapedForTerminal)"
    }

    private func difference(
        _ outcome: Fixture.Outcome, _ report: TransferReport, _ content: [UInt8]
    ) -> String? {
        switch outcome {
        case .status(let status): return compare("the status", status, Int(report.response.status.code))
        case .field(let line): return missing(line, in: report.response.fields, "header")
        case .trailer(let line): return missing(line, in: report.trailers, "trailer")
        case .noField(let name):
            guard let name = FieldName(name), report.response.fields.contains(name) else { return nil }
            return "there is a field \(name) and should not be"
        case .content(.equals(let expected)):
            return FixtureDifference.between(expected, content).map {
                "the content is not as expected: \($0)"
            }
        case .content(.matches(let pattern)):
            guard !pattern.matches(content) else { return nil }
            return "the content does not match \(pattern.source)\n\(VisibleOctets.lines(content))"
        case .url(let url): return compare("the URI", url, "\(report.request.uri)")
        case .redirects(let count): return compare("the number of redirects", count, report.redirectCount)
        case .source(let source): return compare("the source", source.rawValue, report.source.rawValue)
        case .cacheStatus(let text):
            return compare("the cache's status", text, report.cacheStatus?.description ?? "nothing")
        // No resuming and no retries stand between the caller and the network yet: these are the facts.
        case .resumed(let offset): return compare("where it went on", offset, 0)
        case .retries(let count): return compare("the number of retries", count, 0)
        default: return "cannot be judged of a load"
        }
    }

    private func compare<Value: Equatable>(_ what: String, _ expected: Value, _ got: Value) -> String? {
        expected == got ? nil : "expected \(expected) as \(what), got \(got)"
    }

    private func missing(_ line: String, in fields: HTTPFields, _ section: String) -> String? {
        let lines = fields.map { "\($0.name): \($0.value)" }
        guard !lines.contains(line) else { return nil }
        let got = lines.map { "\n  got      \($0.escapedForTerminal)" }.joined()
        return "the \(section) section has no field line \(line)\(got)"
    }
}
