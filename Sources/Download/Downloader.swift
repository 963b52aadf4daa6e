import HTTPCache
public import HTTPClient
import HTTPMessage
import System
public import Transport

/// Brings resources to files.
@NetworkActor
public final class Downloader {
    private let client: Client

    /// A downloader whose requests go through `client`.
    public nonisolated init(_ client: Client) { self.client = client }

    /// Receives the content of one resource. The file is there when the result's `finish` has run: between the two the
    /// next request of a list can go out.
    ///
    /// Throws why the transfer failed; what was received of a file is then kept in `NAME.part`, which the error names.
    public func receive(
        _ plan: DownloadPlan, started: (Transfer) -> Void = { _ in }
    ) async throws(TransferError) -> ReceivedContent {
        let writer = FileWriter(plan)
        var hooks = plan.hooks
        if plan.includesHeads {
            let observe = hooks.observe
            hooks.observe = { event in
                switch event {
                // A redirect that is followed is shown like an interim response: its content is nobody's.
                case .interim(let response), .redirecting(let response, _, _): writer.addInterim(response)
                default: break
                }
                observe?(event)
            }
        }
        var options = plan.options
        // A download in parts judges validators by itself. Where nobody else may be asked, the cache is all there is; and
        // what an unsafe method does, it must know.
        let fields = plan.request.fields
        if fields.contains(.range) || fields.contains(.ifRange), plan.request.method.isSafe,
            options.cachePolicy != .returnCacheDataDontLoad,
            !CacheControl(in: fields).contains(.onlyIfCached)
        {
            options.cachePolicy = nil
        }
        let transfer = client.transfer(
            plan.request, content: plan.content, into: writer, options: options, hooks: hooks)
        writer.transfer = transfer
        writer.makeRoom = { [client] in client.closeIdleConnections() }
        started(transfer)
        do throws(TransferError) {
            let report = try await transfer.run()
            try await writer.drain(until: deadline(of: plan, report.timings.start))
            return ReceivedContent(report: report, writer: writer)
        } catch {
            if let report = transfer.answer {
                try await writer.drain(until: deadline(of: plan, report.timings.start))
                return ReceivedContent(report: report, writer: writer, failure: error)
            }
            // Heads may be on their way to a reader, of an answer whose content is not wanted.
            if plan.includesHeads, error.code == .httpFailure || error.code == .conditionNotMet {
                do throws(TransferError) {
                    try await writer.drain(until: deadline(of: plan, transfer.timings.start))
                } catch {}  // the first failure is the one to tell
            }
            var failure = writer.explained(error)
            if let part = writer.abandon() {
                let what = failure.code == .writeFailed ? "what was written" : "what was received"
                failure.part = part
                failure.detail += "; \(what) is kept in \(part)"
            }
            throw failure
        }
    }

    private func deadline(of plan: DownloadPlan, _ start: Instant) -> Deadline {
        plan.options.totalTimeout.map { Deadline(.total, at: start + $0, duration: $0) } ?? .never
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
            return DownloadResult(report: received.report, path: path)
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
    private let writer: FileWriter

    init(report: TransferReport, writer: FileWriter, failure: TransferError? = nil) {
        self.report = report
        self.writer = writer
        self.failure = failure
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
}
