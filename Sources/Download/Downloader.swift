import HTTPMessage
public import HTTPClient
public import Transport

/// Brings resources to files.
@NetworkActor
public final class Downloader {
    private let client: Client

    /// A downloader whose requests go through `client`.
    public nonisolated init(_ client: Client) { self.client = client }

    /// Receives the content of one resource, in as many requests as that takes. The file is there when the result's `finish`
    /// has run: between the two the next request of a list can go out. `started` is called with each transfer.
    ///
    /// Throws why the transfer failed; what was received of a file is then kept in a part, which the error names. Throws
    /// `partInUse` where another process is writing that.
    public func receive(
        _ plan: DownloadPlan, started: (Transfer) -> Void = { _ in }
    ) async throws(TransferError) -> ReceivedContent {
        try await DownloadRun(plan, client).run(started)
    }

    /// Downloads one resource, going on with what an earlier download of it left, in this process or another (D8); and
    /// leaves, where it fails, what a later one goes on with. Throws as `receive`.
    public nonisolated func resume(_ plan: sending DownloadPlan) async throws(TransferError) -> DownloadResult
    {
        var plan = plan
        if plan.resumption == .none { plan.resumption = .automatic }
        return try await download(plan)
    }

    /// Downloads one resource: content received, file written and named.
    public nonisolated func download(_ plan: sending DownloadPlan) async throws(TransferError)
        -> DownloadResult
    {
        let plan = Handover(plan)
        return try await NetworkActor.run { () throws(TransferError) in
            let received = try await self.receive(plan.value)
            let path = try received.finish()
            if let failure = received.failure { throw failure }
            return DownloadResult(
                report: received.report, path: path, retries: received.retries, resumedAt: received.resumedAt)
        }
    }
}

/// Carries a plan, which nobody else holds any more, to the loop.
private struct Handover: @unchecked Sendable {
    // Safety: made from a `sending` parameter: the one who made it gave it away.
    let value: DownloadPlan

    init(_ value: sending DownloadPlan) { self.value = value }
}

/// Content that is there, and a file that is not yet.
@NetworkActor
public final class ReceivedContent {
    /// What the transfer has to tell.
    public let report: TransferReport
    /// Why the transfer failed all the same: the answer is whole, but what it answers could not be sent whole.
    public let failure: TransferError?
    /// How often the transfer was tried again.
    public let retries: Int
    /// From which octet on what was there was gone on with, the first time; `nil` where the content came from its first.
    public let resumedAt: UInt64?
    private let writer: DownloadWriter

    init(
        report: TransferReport, writer: DownloadWriter, retries: Int, resumedAt: UInt64?,
        failure: TransferError? = nil
    ) {
        self.report = report
        self.writer = writer
        self.retries = retries
        self.resumedAt = resumedAt
        self.failure = failure
    }

    /// The last request was for what was missing, or for a piece: what its answer is like is no news to anybody.
    public var isRest: Bool {
        writer.asked != nil && (writer.verdict == .isComplete || !report.response.status.isFailure)
    }

    /// The answer was an error that is not saved.
    public var isRefused: Bool { writer.refusesAnswer }

    /// The beginning of the text of an answer that is not saved.
    public var excerpt: [UInt8] { writer.excerpt }

    /// Writes, dates and names the file. Returns its path; `nil` where the destination is none.
    /// Throws `writeFailed`; what was received is then kept in the part, which the error names.
    public func finish() throws(TransferError) -> String? { try writer.finish() }
}

/// A finished download.
public struct DownloadResult: Sendable {
    /// What the transfer has to tell.
    public var report: TransferReport
    /// The file; `nil` where the destination is none.
    public var path: String?
    /// How often the transfer was tried again.
    public var retries = 0
    /// From which octet on what was there was gone on with, the first time; `nil` where the content came from its first.
    public var resumedAt: UInt64?
}
