/// The command line, understood but not yet obeyed.
struct ParsedCommand: Sendable {
    /// What the command is run for.
    enum Purpose: Hashable, Sendable {
        case transfer
        /// `--help`, with the topic that may follow it.
        case help(topic: String?)
        case version
    }

    /// The name a URL is saved under.
    enum OutputName: Hashable, Sendable {
        /// Neither `-o` nor `-O`.
        case unspecified
        /// `-O`.
        case remoteName
        /// `-o`; `-` is standard output.
        case file(String)
    }

    /// URLs that share their options: what stands between two `--next`.
    struct Group: Sendable {
        /// Their options.
        var options = GroupOptions()
        fileprivate(set) var urls: [CommandText.Piece] = []
        // Absent for `-O`, refused for `--no-remote-name`.
        fileprivate(set) var outputs: [CommandText.Piece] = []
        // Of each URL the argument that it comes from; empty where each is one of its own.
        fileprivate var arguments: [Int] = []
        // Of each URL, whether `--remote-name-all` stood before it: 1 or 0, for an array of another type would cost
        // every start.
        fileprivate var areNamed: [UInt8] = []

        /// How many URLs there are.
        var count: Int { urls.count }
        /// How many arguments they come from: one may stand for several URLs.
        var argumentCount: Int { arguments.last.map { $0 + 1 } ?? count }

        /// The number of the argument that the URL `index` comes from, from 0.
        func argument(_ index: Int) -> Int { arguments.isEmpty ? index : arguments[index] }
    }

    /// What the command is run for.
    var purpose = Purpose.transfer
    /// At least one, each with at least one URL, when the purpose is to transfer.
    var groups: [Group] = []
    /// What holds for all groups.
    var run = RunOptions()
    /// Sentences for a person about what was odd but harmless.
    var warnings: [String] = []
    /// Files of options that were read.
    var configFiles: [FileArgument] = []
    private(set) var text = CommandText()

    /// The URL `index` of the group `group`, as given.
    func url(_ index: Int, inGroup group: Int) -> String {
        text.string(groups[group].urls[index])
    }

    /// The output of that URL: the n-th `-o` or `-O` of a group belongs to its n-th URL.
    func output(_ index: Int, inGroup group: Int) -> OutputName {
        let group = groups[group]
        guard index < group.outputs.count else {
            return group.areNamed[index] == 1 ? .remoteName : .unspecified
        }
        let piece = group.outputs[index]
        guard !piece.isText else { return .file(text.string(piece)) }
        return piece == .absent ? .remoteName : .unspecified
    }
}

extension ParsedCommand {
    /// Changes the texts that URLs and outputs are parts of.
    mutating func withText<Result>(_ body: (inout CommandText) -> Result) -> Result { body(&text) }

    /// Adds a URL to the last group; `isNamed`: where it has no output of its own it is saved as by `-O`.
    mutating func appendURL(_ piece: CommandText.Piece, isNamed: Bool) {
        groups[groups.count - 1].urls.append(piece)
        groups[groups.count - 1].areNamed.append(isNamed ? 1 : 0)
    }

    /// Adds an output to the last group.
    mutating func appendOutput(_ piece: CommandText.Piece) {
        groups[groups.count - 1].outputs.append(piece)
    }

    /// Puts the URLs that braces and brackets of the last group stand for in their place, with an output and an upload
    /// for each. Throws where they stand for none.
    mutating func expandURLs(_ uploads: inout [String]) throws(URLGlob.Malformed) {
        let group = groups[groups.count - 1]
        guard group.urls.contains(where: { URLGlob.isNeeded(for: text.octets($0)) }) else { return }
        var expanded = Group()
        var files: [String] = []
        var size = 0
        for (number, piece) in group.urls.enumerated() {
            let glob = try URLGlob(text.octets(piece))
            for index in 0..<glob.count {
                let url = glob.url(index)
                size += url.count
                if number < group.outputs.count {
                    let output = group.outputs[number]
                    if !output.isText {
                        expanded.outputs.append(output)
                    } else {
                        let rest = URLGlob.mostOctets - size
                        let name = try glob.name(text.octets(output), index, limit: rest)
                        size += name.count
                        expanded.outputs.append(withText { $0.add(name) })
                    }
                }
                guard size <= min(URLGlob.mostOctets, CommandText.maximumSize - text.size) else {
                    throw URLGlob.tooLong
                }
                expanded.urls.append(withText { $0.add(url) })
                expanded.arguments.append(number)
                expanded.areNamed.append(group.areNamed[number])
                if number < uploads.count { files.append(uploads[number]) }
            }
        }
        groups[groups.count - 1] = expanded
        uploads = files
    }
}
