/// What must be true after a run.
extension FixtureParser {
    /// What an outcome says about a path.
    struct PathClaim {
        enum Kind {
            case file, link, folder, none
            /// A file or folder.
            case something

            var words: String {
                switch self {
                case .file: "a file"
                case .link: "a link"
                case .folder: "a folder"
                case .none: "nothing"
                case .something: "something"
                }
            }
        }

        var kind: Kind
        var line: Int
    }

    private enum OutcomeWord: String, CaseIterable {
        case exit, output, error, file, link, folder, no, connections, requests, time, status, field, trailer
        case content, url, redirects, failure, source, resumed, retries
        case cacheStatus = "cache-status"
    }

    private enum ExpectationWord: String, CaseIterable {
        case `is`, matches
    }

    private enum FileWord: String, CaseIterable {
        case `is`, matches, time, mode
    }

    private enum NoWord: String, CaseIterable {
        case file, field
    }

    private enum TimeWord: String, CaseIterable {
        case over, under
    }

    private static let mostCounted = 1_000_000

    /// `= WORD ...`
    mutating func outcome(_ scanner: inout FixtureScanner) throws(FixtureComplaint) {
        let start = line
        let word = try scanner.choice(OutcomeWord.self)
        guard isInRun(at: start) else { return }
        finishHead()
        try checkKind(of: word, scanner)
        let outcome = try self.outcome(word, &scanner)
        try scanner.finish()
        run?.run.outcomes.append(Fixture.Located(outcome, line: start))
    }

    private func checkKind(of word: OutcomeWord, _ scanner: FixtureScanner) throws(FixtureComplaint) {
        var isForCommand = true
        var isForLoad = true
        switch word {
        case .exit, .output, .error: isForLoad = false
        case .file, .link, .folder, .connections, .requests, .time: break
        case .no:
            var scanner = scanner
            isForCommand = !scanner.bareWord().elementsEqual("field".utf8)
        default: isForCommand = false
        }
        switch run?.run.action {
        case .command? where !isForCommand:
            throw FixtureComplaint("`= \(word.rawValue)` is about a `load`, and this belongs to a command")
        case .load? where !isForLoad:
            throw FixtureComplaint("`= \(word.rawValue)` is about a command, and this belongs to a `load`")
        default: break
        }
    }

    private mutating func outcome(
        _ word: OutcomeWord, _ scanner: inout FixtureScanner
    ) throws(FixtureComplaint) -> Fixture.Outcome {
        switch word {
        case .exit:
            let code = try scanner.number("the exit code", 0...255 as ClosedRange<Int32>)
            try once("exit")
            return .exit(code)
        case .output: return .output(try expectation("output", &scanner))
        case .error: return .error(try expectation("error", &scanner))
        case .content: return .content(try expectation("content", &scanner))
        case .file: return try file(in: &scanner)
        case .link:
            let path = try scanner.path()
            try scanner.expect("->")
            let target = try scanner.string("the target of the link")
            try claim(path, .link)
            try once("link \(path)")
            return .link(path, target: target)
        case .folder:
            let path = try scanner.path()
            try claim(path, .folder)
            try once("folder \(path)")
            return .folder(path)
        case .no:
            if case .file = try scanner.choice(NoWord.self) {
                let path = try scanner.path()
                try claim(path, .none)
                try once("no file \(path)")
                return .noFile(path)
            }
            let name = scanner.bareWord()
            guard !name.isEmpty, name.allSatisfy(FixtureParser.isTokenOctet) else {
                throw FixtureComplaint("\(FixtureComplaint.quoted(name)) is no name of a field")
            }
            try claim(field: name, isThere: false)
            return .noField(String(decoding: name, as: UTF8.self))
        case .connections, .requests:
            let count = try scanner.number("how many", 0...FixtureParser.mostCounted)
            let server = try toServer(&scanner)
            try once(word.rawValue + (server.map { " to \(name(ofServer: $0))" } ?? ""))
            return word == .connections
                ? .connections(count, server: server) : .requests(count, server: server)
        case .time: return try time(of: &scanner)
        case .status:
            try once("status")
            return .status(try scanner.number("the status", 100...999))
        case .field:
            let line = try fieldLine(&scanner)
            try claim(field: Array(line.utf8.prefix { $0 != UInt8(ascii: ":") }), isThere: true)
            return .field(line)
        case .trailer: return .trailer(try fieldLine(&scanner))
        case .url:
            try once("url")
            return .url(try scanner.string("a URI"))
        case .redirects:
            try once("redirects")
            return .redirects(try scanner.number("how many", 0...FixtureParser.mostCounted))
        case .failure:
            try once("failure")
            let code = try scanner.name("the code of the error")
            scanner.skipBlanks()
            guard scanner.next != nil else { return .failure(code: code, phase: nil) }
            try scanner.expect("during")
            return .failure(code: code, phase: try scanner.name("a phase"))
        case .source:
            try once("source")
            return .source(try scanner.choice())
        case .cacheStatus:
            try once("cache-status")
            return .cacheStatus(try scanner.string("what the cache says"))
        case .resumed:
            try once("resumed")
            try scanner.expect("at")
            return .resumed(at: try scanner.number("an octet", 0...FixtureScanner.mostOctets))
        case .retries:
            try once("retries")
            return .retries(try scanner.number("how many", 0...FixtureParser.mostCounted))
        }
    }

    private func name(ofServer index: Int) -> String {
        servers.indices.contains(index) ? servers[index].name : Fixture.Server().name
    }

    /// The outcome may stand once only.
    private mutating func once(_ key: String) throws(FixtureComplaint) {
        if let earlier = run?.single[key] {
            throw FixtureComplaint("`= \(key)` stands in line \(earlier) already")
        }
        run?.single[key] = line
    }

    /// `is DATA`, `matches PATTERN`
    private mutating func expectation(
        _ subject: String, _ scanner: inout FixtureScanner
    ) throws(FixtureComplaint) -> Fixture.Expectation {
        switch try scanner.choice(ExpectationWord.self) {
        case .is: return try equals(subject, &scanner)
        case .matches: return .matches(try matched(&scanner))
        }
    }

    private mutating func equals(
        _ subject: String, _ scanner: inout FixtureScanner
    ) throws(FixtureComplaint) -> Fixture.Expectation {
        let start = line
        let content = data(&scanner)
        let key = "\(subject) is"
        if let earlier = run?.single[key] {
            complain(at: start, "`= \(key)` stands in line \(earlier) already")
        }
        run?.single[key] = start
        return .equals(content)
    }

    private mutating func matched(_ scanner: inout FixtureScanner) throws(FixtureComplaint) -> FixturePattern
    {
        scanner.skipBlanks()
        return try pattern(&scanner)
    }

    private mutating func file(in scanner: inout FixtureScanner) throws(FixtureComplaint) -> Fixture.Outcome {
        let path = try scanner.path()
        let word = try scanner.choice(FileWord.self)
        switch word {
        case .is:
            try claim(path, .file)
            return .file(path, try equals("file \(path)", &scanner))
        case .matches:
            try claim(path, .file)
            return .file(path, .matches(try matched(&scanner)))
        case .time:
            try claim(path, .something)
            try once("file \(path) time")
            return .fileTime(path, try scanner.date())
        case .mode:
            try claim(path, .something)
            try once("file \(path) mode")
            return .fileMode(path, try scanner.mode())
        }
    }

    private mutating func time(of scanner: inout FixtureScanner) throws(FixtureComplaint) -> Fixture.Outcome {
        let word = try scanner.choice(TimeWord.self)
        let duration = try scanner.duration()
        try once("time \(word.rawValue)")
        if word == .over { run?.timeOver = duration } else { run?.timeUnder = duration }
        if let over = run?.timeOver, let under = run?.timeUnder, over >= under {
            throw FixtureComplaint("no time is over \(over) and under \(under)")
        }
        return word == .over ? .timeOver(duration) : .timeUnder(duration)
    }

    /// `[to HOST[:PORT]]`
    private mutating func toServer(_ scanner: inout FixtureScanner) throws(FixtureComplaint) -> Int? {
        scanner.skipBlanks()
        guard scanner.next != nil else { return nil }
        try scanner.expect("to")
        return try serverIndex(&scanner)
    }

    // MARK: What cannot be true together

    private mutating func claim(_ path: String, _ kind: PathClaim.Kind) throws(FixtureComplaint) {
        let octets = Array(path.utf8)
        guard let earlier = run?.claims[octets] else {
            run?.claims[octets] = PathClaim(kind: kind, line: line)
            return
        }
        switch (earlier.kind, kind) {
        case (.something, .file), (.something, .folder), (.something, .link):
            run?.claims[octets]?.kind = kind
        case (.file, .something), (.folder, .something), (.link, .something): break
        case let (old, new) where old != new:
            throw FixtureComplaint(
                "\(FixtureComplaint.quoted(octets)) cannot be \(kind.words): in line \(earlier.line) it is \(old.words)"
            )
        default: break
        }
    }

    private mutating func claim(field name: [UInt8], isThere: Bool) throws(FixtureComplaint) {
        let lower = name.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        if let earlier = run?.fields[lower], earlier.isThere != isThere {
            throw FixtureComplaint(
                "in line \(earlier.line) the field \(FixtureComplaint.quoted(name)) is \(earlier.isThere ? "" : "not ")there"
            )
        }
        run?.fields[lower] = (isThere, line)
    }

    /// What must be said, and what the next run finds in the folder.
    mutating func finishOutcomes(_ open: OpenRun) {
        switch open.run.action {
        case .command where open.single["exit"] == nil:
            complain(at: open.run.line, "`= exit NUMBER` is missing for this command")
        case .load where open.single["status"] == nil && open.single["failure"] == nil:
            complain(at: open.run.line, "`= status NUMBER` or `= failure CODE` is missing for this `load`")
        default: break
        }
        for (path, claim) in open.claims {
            switch claim.kind {
            case .none: paths[path] = nil
            case .link: paths[path] = .link
            case .folder: paths[path] = .folder
            case .file: paths[path] = .file
            case .something: paths[path] = paths[path] ?? .file
            }
            guard claim.kind != .none else { continue }
            for index in path.indices where path[index] == UInt8(ascii: "/") {
                let parent = Array(path[..<index])
                paths[parent] = paths[parent] ?? .folder
            }
        }
    }
}
