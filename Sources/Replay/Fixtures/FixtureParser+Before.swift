/// What stands before a run, and what is run.
extension FixtureParser {
    /// What is known of a path.
    enum KnownPath {
        case file, folder, link
    }

    /// `blob NAME = DATA`
    mutating func blob(_ scanner: inout FixtureScanner) throws(FixtureComplaint) {
        let name = try scanner.name("the name of the blob")
        try scanner.expect("=")
        let start = line
        let known = measuredData(&scanner)
        if let earlier = knownBlobs[name] {
            return complain(at: start, "the blob \"\(name)\" has been named in line \(earlier.line)")
        }
        if pendingLine == nil { pendingLine = start }
        knownBlobs[name] = known
        blobs.append(Fixture.Blob(name: name, content: known.content))
    }

    private mutating func prepare(_ preparation: Fixture.Preparation, at line: Int) {
        if pendingLine == nil { pendingLine = line }
        preparations.append(Fixture.Located(preparation, line: line))
    }

    /// Something new in the folder.
    private mutating func make(_ path: String, _ kind: KnownPath, at line: Int) throws(FixtureComplaint) {
        let octets = Array(path.utf8)
        if let earlier = preparedPaths[octets] {
            throw FixtureComplaint("\(FixtureComplaint.quoted(octets)) is made in line \(earlier) already")
        }
        preparedPaths[octets] = line
        // The folders on the way there.
        for index in octets.indices where octets[index] == UInt8(ascii: "/") {
            let parent = Array(octets[..<index])
            switch paths[parent] {
            case .file:
                throw FixtureComplaint(
                    "\(FixtureComplaint.quoted(parent)) is a file, so nothing can be in it")
            case .folder, .link: break
            case nil: paths[parent] = .folder
            }
        }
        if case .folder? = paths[octets], case .folder = kind {
        } else if case .folder? = paths[octets] {
            throw FixtureComplaint("\(FixtureComplaint.quoted(octets)) is a folder already")
        }
        paths[octets] = kind
    }

    private func mustBeThere(_ path: String) throws(FixtureComplaint) {
        if paths[Array(path.utf8)] == nil {
            throw FixtureComplaint(
                "nothing before this line makes \(FixtureComplaint.quoted(Array(path.utf8)))")
        }
    }

    /// `file PATH = DATA`
    mutating func file(_ scanner: inout FixtureScanner) throws(FixtureComplaint) {
        let path = try scanner.path()
        try scanner.expect("=")
        try make(path, .file, at: line)
        let start = line
        prepare(.file(path, data(&scanner)), at: start)
    }

    /// `folder PATH`
    mutating func folder(_ scanner: inout FixtureScanner) throws(FixtureComplaint) {
        let path = try scanner.path()
        try scanner.finish()
        try make(path, .folder, at: line)
        prepare(.folder(path), at: line)
    }

    /// `link PATH -> TARGET`
    mutating func link(_ scanner: inout FixtureScanner) throws(FixtureComplaint) {
        let path = try scanner.path()
        try scanner.expect("->")
        let target = try scanner.string("the target of the link")
        try scanner.finish()
        try make(path, .link, at: line)
        prepare(.link(path, target: target), at: line)
    }

    /// `mode PATH = OCTAL`
    mutating func mode(_ scanner: inout FixtureScanner) throws(FixtureComplaint) {
        let path = try scanner.path()
        try scanner.expect("=")
        let mode = try scanner.mode()
        try scanner.finish()
        try mustBeThere(path)
        prepare(.mode(path, mode), at: line)
    }

    /// `time PATH = HTTP-DATE`
    mutating func time(_ scanner: inout FixtureScanner) throws(FixtureComplaint) {
        let path = try scanner.path()
        try scanner.expect("=")
        let time = try scanner.date()
        try mustBeThere(path)
        prepare(.time(path, time), at: line)
    }

    /// `env NAME = DATA`
    mutating func environment(_ scanner: inout FixtureScanner) throws(FixtureComplaint) {
        let name = try scanner.name("the name of the variable")
        try scanner.expect("=")
        let start = line
        let known = measuredData(&scanner)
        if known.measure.most > 65_536 {
            return complain(at: start, "a variable of the environment has at most 64K octets")
        }
        if case .octets(let octets) = known.content, octets.contains(0) {
            return complain(at: start, "a variable of the environment holds no NUL")
        }
        prepare(.environment(name, known.content), at: start)
    }

    /// `input = DATA`, `input file = DATA`
    mutating func input(_ scanner: inout FixtureScanner) throws(FixtureComplaint) {
        var words = scanner
        let isFile = words.bareWord().elementsEqual("file".utf8)
        if isFile { scanner = words }
        try scanner.expect("=")
        let start = line
        let content = data(&scanner)
        if let inputLine {
            return complain(at: start, "line \(inputLine) has the standard input of this command already")
        }
        inputLine = start
        prepare(.input(content, isFile: isFile), at: start)
    }

    /// `clock HTTP-DATE`, `clock +SECONDS`
    mutating func clock(_ scanner: inout FixtureScanner) throws(FixtureComplaint) {
        scanner.skipBlanks()
        guard scanner.next == UInt8(ascii: "+") else { return prepare(.clock(try scanner.date()), at: line) }
        scanner.skip(1)
        // A hundred years.
        let seconds = try scanner.number("the seconds", 0...3_155_760_000 as ClosedRange<Int64>)
        try scanner.finish()
        prepare(.clockAdvance(seconds), at: line)
    }

    // MARK: What is run

    /// `$ rawget ARGUMENT...`
    mutating func command(_ scanner: inout FixtureScanner) throws(FixtureComplaint) {
        scanner.skip(1)
        // The run begins even where its words are wrong, so that what follows is not taken for another's.
        begin(.command(["rawget"]))
        guard scanner.next == nil || scanner.next == 0x20 else {
            throw FixtureComplaint("a blank is missing behind `$`")
        }
        let words = try FixtureCommandLine.words(&scanner)
        guard let name = words.first else { throw FixtureComplaint("the command is missing: `$ rawget …`") }
        guard name == "rawget" else {
            throw FixtureComplaint(
                "a command begins with rawget, not \(FixtureComplaint.quoted(Array(name.utf8)))")
        }
        run?.run.action = .command(words)
    }

    /// `load METHOD URI`
    mutating func load(_ scanner: inout FixtureScanner) throws(FixtureComplaint) {
        begin(.load(Fixture.Load(method: "GET", uri: "")))
        let method = try scanner.string("a method")
        let uri = try scanner.string("a URI")
        try scanner.finish()
        run?.run.action = .load(Fixture.Load(method: method, uri: uri))
    }

    private mutating func begin(_ action: Fixture.Action) {
        finishRun()
        forgetPending()
        run = OpenRun(Fixture.Run(action, line: line, preparations: preparations))
        preparations = []
    }

    private enum WithWord: String, CaseIterable {
        case field, content, policy
    }

    /// The cache policies that a request can have.
    enum PolicyWord: String, CaseIterable {
        case useProtocolCachePolicy
        case reloadIgnoringLocalCacheData
        /// Another name of it.
        case reloadIgnoringCacheData
        case returnCacheDataElseLoad, returnCacheDataDontLoad
        case reloadRevalidatingCacheData, reloadIgnoringLocalAndRemoteCacheData
    }

    /// `with field LINE`, `with content DATA`, `with policy NAME`
    mutating func with(_ scanner: inout FixtureScanner) throws(FixtureComplaint) {
        let start = line
        let word = try scanner.choice(WithWord.self)
        guard case .load(let load)? = run?.run.action else {
            throw FixtureComplaint("`with` belongs to a `load`, and none stands before it")
        }
        _ = isInRun(at: start)
        guard run?.hasBegun != true else {
            throw FixtureComplaint("`with` stands right behind its `load`, before what happens to it")
        }
        switch word {
        case .field:
            let field = try fieldLine(&scanner)
            run?.loadFields.append(field)
        case .content:
            let content = data(&scanner)
            guard load.content == nil else {
                return complain(at: start, "the request has its content already")
            }
            replaceLoad { $0.content = content }
        case .policy:
            scanner.skipBlanks()
            guard scanner.next != nil else {
                throw FixtureComplaint("the name of a cache policy is missing")
            }
            let name = try scanner.choice(PolicyWord.self, what: "cache policy").rawValue
            try scanner.finish()
            guard load.cachePolicy == nil else {
                throw FixtureComplaint("the request has its policy already")
            }
            replaceLoad { $0.cachePolicy = name }
        }
    }

    private mutating func replaceLoad(_ change: (inout Fixture.Load) -> Void) {
        guard case .load(var load)? = run?.run.action else { return }
        change(&load)
        run?.run.action = .load(load)
    }

    /// `Name: value`
    func fieldLine(_ scanner: inout FixtureScanner) throws(FixtureComplaint) -> String {
        let octets = try scanner.takeRest("a field line")
        guard FixtureParser.isFieldLine(octets) else {
            throw FixtureComplaint("\(FixtureComplaint.quoted(octets)) is no field line like \"Name: value\"")
        }
        return String(decoding: octets, as: UTF8.self)
    }

    /// Whether octets begin with a token (RFC 9110, section 5.6.2) and a colon. In patterns a token may hold `\*`.
    static func isFieldLine(_ octets: [UInt8], inPattern: Bool = false) -> Bool {
        guard let colon = octets.firstIndex(of: UInt8(ascii: ":")), colon > 0 else { return false }
        return octets[..<colon].allSatisfy { isTokenOctet($0) || inPattern && $0 == UInt8(ascii: "\\") }
    }

    static func isTokenOctet(_ octet: UInt8) -> Bool {
        FixtureScanner.isNameOctet(octet) || "!#$%&'*+^`|~".utf8.contains(octet)
    }
}
