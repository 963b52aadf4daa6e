import HTTPMessage
import Replay
import System
import Transport

extension Recorder {
    /// The run as a fixture. `exit` is its exit code.
    func fixture(exit: Int32) -> Fixture {
        var servers = RecordedServers(connections, command)
        if command.run.isParallel { servers.setAnyOrder(for: connections) }
        var recorded = RecordedCommand(command, console, log, circumstances(servers))
        let files = files(&recorded)
        var blobs = BlobTable()
        _ = run(recorded, servers, files, exit, &blobs)
        blobs.beginNaming()
        let run = run(recorded, servers, files, exit, &blobs)
        if recorded.hasPipeAsFile { servers.note("What came through a pipe with a name is in a file here.") }
        return Fixture(
            reason: reason(servers), blobs: blobs.blobs, servers: servers.servers, runs: [run])
    }

    private func run(
        _ recorded: RecordedCommand, _ servers: RecordedServers, _ files: [LeftFile], _ exit: Int32,
        _ blobs: inout BlobTable
    ) -> Fixture.Run {
        let preparations = preparations(recorded, &blobs)
        let scripts = scripts(servers, &blobs)
        var outcomes: [Fixture.Outcome] = [.exit(exit)]
        if let output = standardOutput, !output.isEmpty {
            outcomes.append(.output(.equals(blobs.content(output))))
        }
        for file in files {
            outcomes.append(.file(file.name, .equals(blobs.content(file.octets))))
            if let time = file.modified { outcomes.append(.fileTime(file.name, time)) }
        }
        for link in recorded.links { outcomes.append(.link(link.path, target: link.destination)) }
        if !servers.takesAnyConnection { outcomes.append(.connections(scripts.count, server: nil)) }
        return Fixture.Run(
            .command(recorded.arguments), preparations: preparations.map { .init($0) },
            connections: scripts, outcomes: outcomes.map { .init($0) })
    }

    private func reason(_ servers: RecordedServers) -> [String] {
        let hosts = servers.hosts.joined(separator: ", ")
        let from = hosts.isEmpty ? "Recorded" : "Recorded from \(hosts)"
        return [
            "\(from) by `rawget --record`.",
            "Say here why it is worth keeping, and which section of which RFC it shows.",
        ]
            + servers.notes
    }

    private func circumstances(_ servers: RecordedServers) -> RecordedCommand.Circumstances {
        var result = RecordedCommand.Circumstances()
        result.usesTLS = servers.usesTLS
        result.hasClientCertificate = command.groups.map {
            $0.options.tls.certificate != nil && !servers.failures.contains(.clientCertificate)
        }
        let isPinned = servers.tlsCount == 1 && !servers.failures.contains(.pinnedKey)
        result.hasPin = command.groups.map { $0.options.tls.pinnedKeys != nil && isPinned }
        if servers.failures.contains(.pinnedKey) { result.kept.insert("pinnedpubkey") }
        if servers.failures.contains(.cipher) { result.kept.formUnion(["ciphers", "tls13-ciphers"]) }
        if servers.failures.contains(.authorities) { result.kept.formUnion(["cacert", "capath"]) }
        if servers.failures.contains(.clientCertificate) {
            result.kept.formUnion(["cert", "cert-type", "key", "key-type"])
        }
        return result
    }

    // MARK: Files

    private struct LeftFile {
        var name: String
        var octets: [UInt8]
        var modified: Int64?
    }

    /// What the run left, by the names of the fixture.
    private func files(_ recorded: inout RecordedCommand) -> [LeftFile] {
        var files: [LeftFile] = []
        for chain in links { recorded.keepLinks(of: chain) }
        for file in saved {
            let folder = command.groups[file.group].options.outputFolder
            var name = recorded.names.name(ofFound: file.path, in: folder)
            if let given = file.given, let chain = chain(of: given, in: folder, to: file.path) {
                // A link that led out of the folder is a file of its name in the fixture.
                name = recorded.target(of: chain) ?? recorded.names.name(of: given, in: folder)
            }
            addEarlierFiles(file.path, folder, &recorded)
            files.append(LeftFile(name: name, octets: file.octets, modified: file.modified))
        }
        var heads: Set<String> = []
        for group in command.groups {
            guard case .path(let path) = group.options.headFile, heads.insert(path).inserted else { continue }
            guard OpenDescriptor.number(of: path) == nil, let octets = recorded.contents(of: path) else {
                continue
            }
            let chain = links.first { $0.links.first?.path == path }
            let name = chain.flatMap { recorded.target(of: $0) } ?? recorded.names.name(of: path)
            files.append(LeftFile(name: name, octets: Blanking.head(octets)))
        }
        return files
    }

    /// The links that the output `given` led through to `path`.
    private func chain(of given: String, in folder: String?, to path: String) -> LinkChain? {
        let start = folder.map { $0.isEmpty ? given : "\($0)/\(given)" } ?? given
        return links.first { $0.links.first?.path == start && $0.target == path }
    }

    /// A name with a number was given because others were taken: these must stand there again.
    private func addEarlierFiles(_ path: String, _ folder: String?, _ recorded: inout RecordedCommand) {
        guard let dot = path.utf8.lastIndex(of: UInt8(ascii: ".")),
            let number = Int(path[path.utf8.index(after: dot)...]), (1..<100).contains(number)
        else { return }
        let base = String(path[..<dot])
        for candidate in [base] + (1..<number).map({ "\(base).\($0)" }) {
            guard !saved.contains(where: { $0.path == candidate }),
                let status = try? File.status(
                    of: candidate, in: console.invocation.directory, followsLinks: true),
                status.kind == .regular
            else { continue }
            // Its content is nobody's business: that it is there is what counts.
            recorded.take(recorded.names.name(ofFound: candidate, in: folder), [])
        }
    }

    private func preparations(_ recorded: RecordedCommand, _ blobs: inout BlobTable) -> [Fixture.Preparation]
    {
        var result: [Fixture.Preparation] = recorded.folders.map { .folder($0) }
        for link in recorded.links { result.append(.link(link.path, target: link.destination)) }
        for file in recorded.files { result.append(.file(file.name, blobs.content(file.octets))) }
        for time in recorded.times { result.append(.time(time.name, time.seconds)) }
        if let input = recorded.input {
            result.append(.input(blobs.content(input), isFile: inputIsFile && !recorded.inputIsPipe))
        }
        let keepsAnswers = command.groups.contains { $0.options.cachePolicy != nil }
        if recorded.usesClock || keepsAnswers { result.append(.clock(start)) }
        return result
    }

    // MARK: Connections

    /// Field names that the person gave values for.
    private var givenFields: Set<String> {
        var names: Set<String> = []
        for group in command.groups {
            if group.options.userAgent != nil { names.insert("user-agent") }
            for field in group.options.fields {
                switch field {
                case .set(let name, _), .empty(let name), .remove(let name): names.insert(name.lowercased())
                case .file(let file):
                    for line in (log.reading(of: file) ?? []).split(separator: 0x0A) {
                        names.insert(String(decoding: line.prefix { $0 != 0x3A }, as: UTF8.self).lowercased())
                    }
                }
            }
        }
        return names
    }

    private func scripts(_ servers: RecordedServers, _ blobs: inout BlobTable) -> [Fixture.Connection] {
        let given = givenFields
        var scripts: [Fixture.Connection] = []
        var inUse: [Int] = []
        let stood = connections.filter { $0.number != nil }.sorted { $0.number ?? 0 < $1.number ?? 0 }
        for connection in stood {
            guard let server = servers.index(of: connection.origin), !servers.leavesOut(connection) else {
                continue
            }
            var steps: [Fixture.Step] = []
            if !connection.failedInTLS {
                steps =
                    ConnectionScript(connection.events, givenFields: given, targets: targets, blobs: &blobs)
                    .steps
            }
            if interrupted?.contains(ObjectIdentifier(connection)) ?? false {
                if steps.last == .stall { steps.removeLast() }
                inUse.append(scripts.count)
            }
            scripts.append(Fixture.Connection(to: server, steps.map { .init($0) }))
        }
        // All that was said before the interruption is said again before it.
        for (place, index) in inUse.enumerated() {
            if inUse.count > 1 { scripts[index].steps.append(.init(.meet("interruption"))) }
            if place == inUse.count - 1 { scripts[index].steps.append(.init(.interrupt)) }
            scripts[index].steps.append(.init(.stall))
        }
        return scripts
    }
}
