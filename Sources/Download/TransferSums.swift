import HTTPClient
import System

/// What several transfers of one download add up to.
struct TransferSums {
    private var heads: UInt64 = 0
    private var requests: UInt64 = 0
    private var content: UInt64 = 0
    private var connections = 0
    private var start: Instant?

    mutating func add(_ report: TransferReport) {
        heads += report.headOctets
        requests += report.requestOctets
        content += report.contentOctets
        connections += report.connectionsOpened
        start = start ?? report.timings.start
    }

    /// The last report, with what came before it.
    func added(to report: TransferReport) -> TransferReport {
        guard let start else { return report }
        var report = report
        report.headOctets += heads
        report.requestOctets += requests
        report.contentOctets += content
        report.connectionsOpened += connections
        report.timings.start = start
        return report
    }
}
