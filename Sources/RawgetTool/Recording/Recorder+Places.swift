import Download
import HTTPClient
import HTTPMessage
import System

extension Recorder {
    /// Takes note of what must be known before the run. Throws where the recording would replace a file that the run
    /// reads, or is known to write.
    func prepare(_ plans: [TransferPlan]) throws(UsageError) {
        noteLinks()
        noteTargets(plans)
        // A device may serve many.
        guard let place = FilePlace(path, in: directory), place.status?.kind != .special else { return }
        try checkSources(place)
        try checkStreams(place)
        try checkKeyLog(place)
        for (number, plan) in plans.enumerated() { try checkOutputs(place, plan, inGroup: number) }
        try checkFolder()
    }

    /// What can be known before: that there is no place for the recording.
    private func checkFolder() throws(UsageError) {
        let above = path.utf8.lastIndex(of: UInt8(ascii: "/")).map {
            $0 == path.startIndex ? "/" : String(path[..<$0])
        }
        let folder = above ?? "."
        let name = path.escapedForTerminal
        let (present, place): (File.Status?, File.Status?)
        do throws(SystemError) {
            present = try File.status(of: path, in: directory, followsLinks: true)
            place = try File.status(of: folder, in: directory, followsLinks: true)
        } catch {
            throw UsageError("--record: could not write \(name): \(error.explanation)", exit: 23)
        }
        if present?.kind == .folder { throw UsageError("--record: \(name) is a folder", exit: 23) }
        // The run may make it.
        let makesFolders = command.groups.contains { $0.options.createsFolders }
        guard makesFolders || place?.kind == .folder else {
            throw UsageError("--record: there is no folder for \(name)", exit: 23)
        }
    }

    private var directory: Int32 { console.invocation.directory }

    private func refusal(_ reason: String) -> UsageError {
        UsageError("--record: \(path.escapedForTerminal) \(reason): the recording would replace it", exit: 23)
    }

    // MARK: What is read

    private func checkSources(_ place: FilePlace) throws(UsageError) {
        var contents: [FileArgument] = []
        for group in command.groups {
            contents += group.options.data.compactMap(\.source)
            contents += group.options.uploads.map { FileArgument($0) }
        }
        if contents.contains(where: { leads($0, to: place) }) {
            throw refusal("holds content of a request")
        }
        let sockets = command.groups.compactMap(\.options.unixSocket)
        let files = command.configFiles + log.files + (tlsFiles + sockets).map { .path($0) }
        let isInFolder =
            place.status != nil
            && tlsFolders.contains { FilePlace($0, in: directory)?.isAbove(place) ?? false }
        if isInFolder || files.contains(where: { leads($0, to: place) }) {
            throw refusal("is a file that this command reads")
        }
    }

    /// Certificates and keys, which are read when they are needed.
    private var tlsFiles: [String] {
        let variables = ["CURL_CA_BUNDLE", "SSL_CERT_FILE"].compactMap { console.invocation.environment($0) }
        return command.groups.reduce(into: variables) { files, group in
            let options = group.options.tls
            files += [options.authorityFile, options.certificate?.path, options.key, options.pinnedKeys]
                .compactMap { $0 }
        }
    }

    private var tlsFolders: [String] {
        let lists =
            [console.invocation.environment("SSL_CERT_DIR")]
            + command.groups.map(\.options.tls.authorityFolder)
        return lists.compactMap { $0 }.flatMap { $0.split(separator: ":").map(String.init) }
    }

    private func leads(_ file: FileArgument, to place: FilePlace) -> Bool {
        guard case .path(let path) = file, !path.isEmpty else { return false }
        return FilePlace(path, in: directory)?.isSame(as: place) ?? false
    }

    private func checkStreams(_ place: FilePlace) throws(UsageError) {
        guard let identity = place.identity else { return }
        let invocation = console.invocation
        let streams = [
            (invocation.standardInput, "is standard input"),
            (invocation.standardOutput, "is standard output"),
            (invocation.standardError, "is standard error"),
        ]
        for (descriptor, reason) in streams {
            guard let status = try? File.status(of: descriptor), FileIdentity(status) == identity else {
                continue
            }
            throw refusal(reason)
        }
    }

    // MARK: What is written

    private func checkKeyLog(_ place: FilePlace) throws(UsageError) {
        guard let path = console.invocation.environment("SSLKEYLOGFILE"), !path.isEmpty else { return }
        try check(place, path, "is named by SSLKEYLOGFILE for keys")
    }

    private func checkOutputs(
        _ place: FilePlace, _ plan: TransferPlan, inGroup number: Int
    ) throws(UsageError) {
        let group = command.groups[number]
        if case .path(let path) = group.options.headFile {
            try check(place, path, "is named by -D for heads")
        }
        if let folder = group.options.outputFolder, !folder.isEmpty {
            try check(place, folder, "is named by --output-dir as a folder")
        }
        for index in 0..<group.count {
            switch command.output(index, inGroup: number) {
            case .file(let path) where path != "-":
                try check(place, plan.inOutputFolder(path), "is named by -o for content")
            case .remoteName where !plan.options.usesServerName:
                guard let uri = try? plan.uri(command.url(index, inGroup: number)) else { continue }
                let response = HTTPResponse(version: .http11, status: .ok)
                let name = response.suggestedFilename(for: plan.uri(uri, number: index))
                try check(place, plan.inOutputFolder(name), "is named by -O for content")
            case .file, .remoteName, .unspecified: break
            }
        }
    }

    private func check(_ place: FilePlace, _ path: String, _ reason: String) throws(UsageError) {
        if let number = OpenDescriptor.number(of: path) {
            let status = try? File.status(of: number)
            guard number > 2, let status, FileIdentity(status) == place.identity else { return }
            throw refusal(reason)
        }
        guard let other = FilePlace(path, in: directory), other.status?.kind != .special else { return }
        if other.isSame(as: place) { throw refusal(reason) }
        // It would be a file where a folder must be, or has one.
        if place.isAbove(other), place.status?.kind == .folder || place.status == nil {
            throw refusal("is a folder that outputs go to")
        }
    }

    // MARK: Links and targets

    private func noteLinks() {
        for (number, group) in command.groups.enumerated() {
            var paths = (0..<group.count).compactMap { index -> String? in
                guard case .file(let path) = command.output(index, inGroup: number), path != "-" else {
                    return nil
                }
                guard let folder = group.options.outputFolder, !folder.isEmpty else { return path }
                return "\(folder)/\(path)"
            }
            if case .path(let path) = group.options.headFile { paths.append(path) }
            for path in paths where OpenDescriptor.number(of: path) == nil {
                guard let chain = try? LinkChain(path, in: directory), !chain.links.isEmpty else { continue }
                links.append(chain)
            }
        }
    }

    private func noteTargets(_ plans: [TransferPlan]) {
        for (number, plan) in plans.enumerated() {
            for index in 0..<command.groups[number].count {
                let url = command.url(index, inGroup: number)
                let blanked = Blanking.url(url)
                guard blanked != url, let uri = try? plan.uri(url) else { continue }
                let target = plan.uri(uri, number: index).requestTarget
                let other = (try? plan.uri(blanked)).map { plan.uri($0, number: index).requestTarget }
                if target != other { targets[Array(target.utf8)] = .some(other.map { Array($0.utf8) }) }
            }
        }
    }
}

extension TransferPlan {
    /// The path of an output in the folder of outputs.
    fileprivate func inOutputFolder(_ path: String) -> String {
        guard let folder = options.outputFolder, !folder.isEmpty else { return path }
        return "\(folder)/\(path)"
    }
}
