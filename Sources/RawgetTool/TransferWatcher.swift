import Download
import HTTPClient
import HTTPMessage
import System
import Transport

/// Watches one transfer: keeps its record, writes heads where they are wanted, traces.
@NetworkActor
final class TransferWatcher {
    var record: TransferRecord
    private let plan: TransferPlan
    private let heads: HeadFiles
    private let trace: Trace?
    private var headFailure: TransferError?
    /// What makes waiting for a reader of heads end.
    private let interruption: Int32?

    /// Whether `-D` has its trailer section from the writer of the content.
    private let leavesTrailersToWriter: Bool

    init(
        _ record: TransferRecord, _ plan: TransferPlan, _ heads: HeadFiles, for download: DownloadPlan,
        interruption: Int32?
    ) {
        leavesTrailersToWriter = plan.mixesHeadsWithContent(download)
        self.record = record
        self.plan = plan
        self.heads = heads
        self.interruption = interruption
        trace = plan.run.isVerbose ? Trace(plan.console) : nil
    }

    func observe(_ event: TransferEvent) {
        trace?.show(event)
        switch event {
        case .connected(let remote, let local, _):
            record.connectionsOpened += 1
            record.remote = remote
            record.local = local
        case .secured(let summary): record.verifyResult = summary.verifyResult
        case .notSecured(let failure): record.verifyResult = failure.verifyResult
        case .requestHead(let octets): record.requestOctets += UInt64(octets.count)
        case .sent(let count, _): record.sentOctets = count
        case .redirecting(_, let request, _): follow(request)
        case .interim(let response): take(response)
        case .unusedResponse(let response): record.countHead(response)
        case .response(let response):
            record.response = response
            take(response)
        case .contentReceived(let trailers):
            if !trailers.isEmpty, !leavesTrailersToWriter { write(trailers.trailerOctets) }
        case .retrying(let number, let wait, let reason):
            record.retryCount = UInt64(number)
            record.beginAgain()
            plan.console.warn(
                "\(reason.escapedForTerminal); trying again in \(wait.inSeconds.formattedSeconds)")
        case .waitingForNetwork(let reason, let limit):
            record.beginAgain()
            plan.console.warn(
                "\(reason.escapedForTerminal); there is no network: waiting for it, at most \(limit.inSeconds.formattedSeconds)"
            )
        case .notRetrying(let reason): plan.console.warn("no other try: \(reason)")
        case .startingOver(let reason):
            record.beginAgain()
            if !plan.run.isCurl { plan.console.warn("beginning anew: \(reason.escapedForTerminal)") }
        default: break
        }
    }

    private func follow(_ request: HTTPRequest) {
        if !plan.run.isCurl, record.lastRequest?.uri.scheme == .https, request.uri.scheme == .http {
            let isTold = request.fields.contains(.authorization) || request.fields.contains(.cookie)
            let what = isTold ? "in clear, and credentials are sent so" : "without encryption and credentials"
            plan.console.warn(
                "the server redirects from https to http: \(request.uri.authority) is asked \(what)")
        }
        record.redirect(to: request)
    }

    private func take(_ response: HTTPResponse) {
        record.countHead(response)
        write(response.headOctets)
    }

    private func write(_ lines: [UInt8]) {
        guard let file = plan.options.headFile, headFailure == nil else { return }
        do throws(TransferError) {
            try heads.write(lines, to: file, unless: interruption)
        } catch {
            headFailure = error
        }
    }

    /// Heads that could not be written make a transfer fail that did not fail otherwise.
    func noteHeadFailure() {
        guard let failure = headFailure, record.exit == 0 else { return }
        record.fail(failure)
    }
}
