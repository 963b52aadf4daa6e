import System

extension RecordedCommand {
    /// Names a file that the command reads, and takes its content along. `changing` takes secrets out of it.
    mutating func reading(of path: String, changing change: ([UInt8]) -> [UInt8] = { $0 }) -> String {
        guard path != "-" else {
            input = input.map(change)
            return path
        }
        let name = names.name(of: path)
        guard let octets = log.reading(of: .path(path)) ?? contents(of: path) else { return name }
        take(name, change(octets))
        return name
    }

    /// Takes a file along.
    mutating func take(_ name: String, _ octets: [UInt8]) {
        if let index = files.firstIndex(where: { $0.name == name }) {
            files[index].octets = octets
        } else {
            files.append((name, octets))
        }
    }

    /// The octets of a regular file; `nil`: there is none, or it is too large for a recording.
    func contents(of path: String) -> [UInt8]? {
        let directory = console.invocation.directory
        guard (try? File.status(of: path, in: directory, followsLinks: true))?.kind == .regular,
            let descriptor = try? File.open(path, in: directory, flags: 0)
        else { return nil }
        return try? File.contents(of: descriptor.rawValue, limit: Recorder.mostOctets)
    }

    /// Names a file that the command writes; its folder is there, where the command does not make it.
    mutating func output(_ path: String, in folder: String?) -> String {
        if OpenDescriptor.number(of: path) != nil, folder?.isEmpty ?? true { return path }
        let status = try? File.status(of: path, in: console.invocation.directory, followsLinks: true)
        if status?.kind == .special { return path }
        let name = names.name(of: path, in: folder)
        if !command.groups[groupIndex].options.createsFolders, let parent = LocalNames.parent(of: name) {
            addFolder(parent)
        }
        guard let folder, !folder.isEmpty else { return name }
        let parent = names.name(of: folder)
        return name.hasPrefix(parent + "/") ? String(name.dropFirst(parent.count + 1)) : name
    }

    /// Takes the links along that an output leads through, where all of them lie in the folder of the run.
    mutating func keepLinks(of chain: LinkChain) {
        guard target(of: chain) != nil else { return }
        for link in chain.links {
            let path = LocalNames.plain(link.path)
            let copy = LinkChain.Link(path: path, destination: link.destination)
            if !links.contains(copy) { links.append(copy) }
            if let parent = LocalNames.parent(of: path) { addFolder(parent) }
        }
    }

    /// The name of the file that the links of an output lead to; `nil` where they leave the folder of the run.
    mutating func target(of chain: LinkChain) -> String? {
        guard chain.links.allSatisfy({ LocalNames.isInside(LocalNames.plain($0.path)) }) else { return nil }
        if chain.target == "/dev/null" { return chain.target }
        guard let target = LocalNames.resolved(chain.target), names.name(of: target) == target else {
            return nil
        }
        if let parent = LocalNames.parent(of: target) { addFolder(parent) }
        return target
    }

    mutating func addFolder(_ name: String) {
        if !folders.contains(name) { folders.append(name) }
    }

    /// The file of options is copied word for word; where placeholders must stand in it, its words take its place.
    mutating func copyConfig(_ option: CommandOption, _ path: String) -> [CommandWord] {
        configs += 1
        guard let octets = command.text.source(configs) else { return [] }
        let words = CommandWord.words(ofConfig: octets)
        var copies: [CommandWord] = []
        for word in words { copies += self.copies(of: word) }
        guard command.groups.count == 1 || !circumstances.usesTLS else { return copies }
        let text = Array(copies.map(\.configLine).joined().utf8)
        guard path != "-" else {
            input = text
            return [.option(option, isOn: true, argument: path)]
        }
        let name = names.name(of: path)
        take(name, text)
        return [.option(option, isOn: true, argument: name)]
    }
}
