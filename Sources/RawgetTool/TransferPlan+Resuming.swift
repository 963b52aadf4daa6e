import Download
import HTTPClient
import HTTPMessage
import System
import URLLoading

extension TransferPlan {
    /// Refuses what goes on in two ways at once, or cannot. Returns a warning where an option does nothing.
    static func checkResuming(_ options: GroupOptions, _ run: RunOptions) throws(UsageError) -> String? {
        let resuming = options.resuming
        if let continuation = resuming.continuation, continuation != .offset(0) {
            guard options.range == nil else {
                throw UsageError("-C and -r both say what is asked for: only one of them can be obeyed")
            }
            guard options.uploads.isEmpty else {
                throw UsageError("-C goes on with downloads alone: what -T sends is sent whole")
            }
            guard !resuming.isOff else {
                throw UsageError("-C and --no-resume contradict each other")
            }
        }
        if resuming.pieceSize != nil, options.range != nil {
            throw UsageError("--chunk-size and -r both say what is asked for: only one of them can be obeyed")
        }
        if resuming.continuation != nil, options.usesServerName {
            throw UsageError("-C needs a name that is known before: -J leaves that to the server")
        }
        let isIdle =
            resuming.retryDelay != nil || resuming.retryTime != nil || resuming.retriesAll
            || resuming.retriesRefused
        guard isIdle, resuming.retries == nil, !run.isCurl else { return nil }
        return
            "--retry-delay, --retry-max-time, --retry-all-errors and --retry-connrefused do nothing without --retry"
    }

    /// How it goes on with what is there, and is tried again.
    func setResumption(of plan: inout DownloadPlan) {
        let resuming = options.resuming
        plan.resumption = resuming.resumption(isCurl: run.isCurl)
        // What an earlier run left is nothing that a fixture could have before it.
        if run.recordFile != nil, plan.resumption == .automatic { plan.resumption = .none }
        plan.resumesAsCurl = run.isCurl
        plan.pieceSize = resuming.pieceSize
        plan.resumeOverlap = resuming.overlap
        plan.checksum = resuming.checksum
        // It is of what was wanted, which an error's text is not.
        if plan.checksum != nil { plan.savesErrorAnswers = false }
        plan.checksDigests = !run.isCurl
        plan.synchronizes = resuming.synchronizes
        plan.retries = resuming.retryPolicy(isCurl: run.isCurl) ?? usualRetries(plan)
        // Which way connections take that begin at a given place, the kernel is not asked.
        if !run.isCurl, plan.retries.maximumRetries > 0, options.sockets.interface == nil {
            plan.connectivity = NetworkConnectivity.shared
        }
    }

    /// What is done unasked: only a download to a file can go on where it stopped, and who sets limits of time means them.
    private func usualRetries(_ plan: DownloadPlan) -> RetryPolicy {
        guard !run.isCurl, plan.request.method == .get, plan.content == nil, plan.resumption != .none,
            options.maximumTime == nil, options.minimumSpeed == nil, options.speedTime == nil
        else { return .none }
        switch plan.destination {
        case .path, .requestedName, .suggestedName: return .standard
        case .descriptor, .nowhere: return .none
        }
    }

    // MARK: Entity tags

    /// Longest file that holds an entity tag.
    private static let longestTag = 64 << 10

    /// The condition that the file of `--etag-compare` makes; `nil` where there is none: everything is new then.
    static func knownTag(_ file: FileArgument, _ run: RunOptions, _ console: Console) throws(UsageError)
        -> String?
    {
        // As curl, which asks for what is different from nothing.
        let nothing = run.isCurl ? "\"\"" : nil
        if case .path(let path) = file {
            let status = try? File.status(of: path, in: console.invocation.directory, followsLinks: true)
            guard status != nil else { return nothing }
        }
        let octets = try console.contents(of: file, limit: longestTag)
        let line = octets.prefix { $0 != 0x0A && $0 != 0x0D }
        guard !line.isEmpty else { return nothing }
        let text = String(latin1: Array(line))
        guard run.isCurl || EntityTagList(parsing: text) != nil else {
            throw UsageError("--etag-compare: the file does not begin with an entity tag")
        }
        return text
    }

    /// Writes the entity tag of what was saved, where that is asked for. Throws `writeFailed`.
    func saveTag(of response: HTTPResponse, savedAs path: String?) throws(TransferError) {
        guard let file = options.resuming.tagFile, response.status.isSuccess else { return }
        guard file != path.map({ FileArgument.path($0) }) else {
            throw TransferError(
                .writeFailed, during: .store,
                "--etag-save names the file that was just saved: the entity tag was not written")
        }
        let tag = response.fields.values(of: .etag).last ?? ""
        // What is no tag can be asked for by nobody.
        guard run.isCurl || tag.isEmpty || EntityTag(parsing: tag) != nil else { return }
        var octets = tag.latin1Octets ?? []
        if !octets.isEmpty { octets.append(0x0A) }
        let invocation = console.invocation
        do throws(SystemError) {
            switch file {
            case .standard: try File.write(octets.span, to: invocation.standardOutput)
            case .path(let path): try File.replace(path, by: octets, in: invocation.directory)
            }
        } catch {
            throw TransferError(
                .writeFailed, during: .store,
                "could not write the entity tag: \(error.explanation)", errno: error.errno)
        }
    }
}
