import HTTPClient
import HTTPMessage
import System
import Transport

/// Makes a task's metrics of what happens in its transfers.
@NetworkActor
struct MetricsCollector {
    private var metrics: SessionTaskMetrics
    /// Most transactions that are kept: a chain without a limit must not fill the memory.
    private static let mostKept = 100

    nonisolated init(start: Instant) { metrics = SessionTaskMetrics(taskStart: start, taskEnd: start) }

    /// A request is about to be sent.
    mutating func begin(_ request: HTTPRequest) {
        endTransaction()
        if metrics.transactionMetrics.count == MetricsCollector.mostKept {
            metrics.transactionMetrics.remove(at: MetricsCollector.mostKept / 2)
        }
        metrics.transactionMetrics.append(SessionTaskMetrics.Transaction(request: request, fetchStart: .now))
    }

    /// Takes one event into account.
    mutating func note(_ event: TransferEvent) {
        if case .redirecting(let response, let next, _) = event {
            change { $0.response = response }
            metrics.redirectCount += 1
            return begin(next)
        }
        change { transaction in MetricsCollector.note(event, in: &transaction) }
    }

    private static func note(_ event: TransferEvent, in transaction: inout SessionTaskMetrics.Transaction) {
        let now = Instant.now
        switch event {
        case .resolving: transaction.domainLookupStart = now
        case .resolved: transaction.domainLookupEnd = now
        case .connecting: transaction.connectStart = transaction.connectStart ?? now
        case .connected(let remote, let local, _):
            transaction.connectEnd = now
            if transaction.request.uri.scheme == .https { transaction.secureConnectionStart = now }
            (transaction.remoteAddress, transaction.localAddress) = (remote, local)
        case .secured(let summary):
            (transaction.secureConnectionEnd, transaction.connectEnd) = (now, now)
            transaction.negotiatedTLSProtocolVersion = summary.version
            transaction.negotiatedTLSCipherSuite = summary.cipher
        case .reusing: transaction.isReusedConnection = true
        case .requestHead: transaction.requestStart = now
        case .requestSent(let octets):
            transaction.requestEnd = now
            transaction.countOfRequestBytesSent = UInt64(octets)
        case .response(let response):
            transaction.response = response
            transaction.responseStart = now
            if transaction.resourceFetchType == .unknown { transaction.resourceFetchType = .networkLoad }
        case .answeredFromCache: transaction.resourceFetchType = .localCache
        case .content(_, let total): transaction.countOfResponseBodyBytesReceived = total
        case .contentReceived: transaction.responseEnd = now
        default: break
        }
    }

    private mutating func change(_ body: (inout SessionTaskMetrics.Transaction) -> Void) {
        guard let last = metrics.transactionMetrics.indices.last else { return }
        body(&metrics.transactionMetrics[last])
    }

    private mutating func endTransaction() {
        change { if $0.responseEnd == nil { $0.responseEnd = .now } }
    }

    /// What is known of the last exchange once it is over: a connection that was kept has its addresses from before.
    mutating func note(_ report: TransferReport) {
        change { transaction in
            transaction.remoteAddress = transaction.remoteAddress ?? report.remoteAddress
            transaction.localAddress = transaction.localAddress ?? report.localAddress
        }
    }

    /// The metrics of a task that is over.
    mutating func finish() -> SessionTaskMetrics {
        endTransaction()
        metrics.taskEnd = .now
        return metrics
    }
}
