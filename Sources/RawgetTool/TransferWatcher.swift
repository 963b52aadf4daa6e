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
    private let console: Console
    private let heads: HeadFiles
    private let trace: Trace?
    private var headFailure: SystemError?

    init(
        _ record: TransferRecord, _ plan: TransferPlan, _ console: Console, _ heads: HeadFiles,
        _ display: MeterDisplay?
    ) {
        self.record = record
        self.plan = plan
        self.console = console
        self.heads = heads
        trace = plan.run.isVerbose ? Trace(console) : nil
    }

    func observe(_ event: TransferEvent) {
        trace?.show(event)
        switch event {
        case .connected(let remote, let local, _):
            record.connectionsOpened += 1
            record.remote = remote
            record.local = local
        case .requestSent(let count): record.requestOctets += UInt64(count)
        case .interim(let response): dump(response)
        case .response(let response):
            record.response = response
            dump(response)
        default: break
        }
    }

    private func dump(_ response: HTTPResponse) {
        guard let file = plan.options.headFile else { return }
        do throws(SystemError) { try heads.write(response.headOctets, to: file) } catch {
            headFailure = error
        }
    }

    /// Heads that could not be written make a transfer fail that did not fail otherwise.
    func noteHeadFailure() {
        guard let failure = headFailure, record.exit == 0 else { return }
        record.fail(
            TransferError(
                .writeFailed, during: .store, "could not write the head: \(failure.explanation)",
                errno: failure.errno))
    }
}

/// The files of `-D`, each opened once in a run.
@NetworkActor
final class HeadFiles {
    private let invocation: Invocation
    private var open: [String: OpenFile] = [:]

    private final class OpenFile {
        let descriptor: FileDescriptor
        init(_ descriptor: consuming FileDescriptor) { self.descriptor = descriptor }
    }

    init(_ invocation: Invocation) { self.invocation = invocation }

    func write(_ octets: [UInt8], to file: FileArgument) throws(SystemError) {
        switch file {
        case .standard: try File.write(octets.span, to: invocation.standardOutput)
        case .path(let path):
            if open[path] == nil {
                open[path] = OpenFile(
                    try File.open(path, in: invocation.directory, flags: File.createsAndEmpties))
            }
            guard let file = open[path] else { return }
            try File.write(octets.span, to: file.descriptor.rawValue)
        }
    }
}
