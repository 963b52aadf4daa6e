/// What a client must send.
extension FixtureParser {
    /// The head of a request that may still get lines.
    struct OpenHead {
        /// Where it begins.
        var line: Int
        /// Its conditions, unless it is exact.
        var conditions: [Fixture.Located<Fixture.Condition>] = []
        /// Its octets, if it is exact.
        var parts: [Fixture.Located<[UInt8]>] = []
        var isExact: Bool
        /// The exact head has its blank line.
        var isComplete = false
        /// Octets of the present line of the exact head, and the last of them.
        private var lineLength = 0
        private var last: UInt8 = 0
        private var hasLine = false

        init(line: Int, isExact: Bool) {
            self.line = line
            self.isExact = isExact
        }

        /// More octets of an exact head. False where they go on behind its blank line.
        mutating func append(_ octets: [UInt8], line: Int) -> Bool {
            parts.append(Fixture.Located(octets, line: line))
            for octet in octets {
                guard !isComplete else { return false }
                if octet == 0x0A {
                    let isEmpty = lineLength == 0 || lineLength == 1 && last == 0x0D
                    // Empty lines before the request line are not the end (RFC 9112, section 2.2).
                    isComplete = isEmpty && hasLine
                    hasLine = hasLine || !isEmpty
                    lineLength = 0
                } else {
                    lineLength = min(lineLength + 1, 2)
                }
                last = octet
            }
            return true
        }
    }

    /// `> LINE`, `>~ PATTERN`, `>! NAME`, `>= LINE`, `>| TEXT`, `>> DATA`, `>>> DATA`
    mutating func receiving(_ sign: Sign, _ scanner: inout FixtureScanner) throws(FixtureComplaint) {
        let start = line
        switch sign {
        case .exactLine: addExact(scanner.rest + [0x0D, 0x0A])
        case .exactText: addExact(try scanner.unescapedRest("what the head goes on with"))
        case .content: add(content: data(&scanner, more: .content), at: start)
        case .body: add(body: data(&scanner, more: .body), at: start)
        case .absent:
            let name = try scanner.takeRest("the name of a field")
            guard name.allSatisfy(FixtureParser.isTokenOctet) else {
                throw FixtureComplaint("\(FixtureComplaint.quoted(name)) is no name of a field")
            }
            try addCondition(.absent(String(decoding: name, as: UTF8.self)), name)
        case .pattern:
            let octets = scanner.rest
            try addCondition(.pattern(pattern(&scanner)), octets)
        default:
            let octets = scanner.rest
            guard !octets.isEmpty else {
                throw FixtureComplaint(
                    "a request line or field line is missing; the blank line is not written")
            }
            try addCondition(.line(octets), octets)
        }
    }

    /// The pattern up to the end of the line.
    mutating func pattern(_ scanner: inout FixtureScanner) throws(FixtureComplaint) -> FixturePattern {
        let octets = scanner.rest
        guard !octets.isEmpty else {
            throw FixtureComplaint("a pattern is missing, in which * stands for anything")
        }
        guard !FixtureParser.isQuoted(octets) else {
            throw FixtureComplaint(
                "a pattern goes without quotation marks around it; \\\" stands for one at its beginning")
        }
        while let next = scanner.next {
            scanner.skip(1)
            guard next == UInt8(ascii: "\\") else { continue }
            if scanner.next == UInt8(ascii: "*") { scanner.skip(1) } else { _ = try scanner.escape() }
        }
        return FixturePattern(String(decoding: octets, as: UTF8.self))
    }

    /// Whether quotation marks stand around octets, as around a text.
    static func isQuoted(_ octets: some BidirectionalCollection<UInt8>) -> Bool {
        octets.count > 1 && octets.first == UInt8(ascii: "\"") && octets.last == UInt8(ascii: "\"")
    }

    private mutating func addCondition(
        _ condition: Fixture.Condition, _ octets: [UInt8]
    ) throws(FixtureComplaint) {
        guard canAddStep(at: line) else { return }
        var isField = true
        switch condition {
        case .line: isField = FixtureParser.isFieldLine(octets)
        case .pattern: isField = FixtureParser.isFieldLine(octets, inPattern: true)
        case .absent: break
        }
        let isOpen = run?.connection?.head?.isExact == false
        if run?.connection?.head?.isExact == true {
            finishHead()
            throw FixtureComplaint(
                "the exact head has no blank line yet (`>=`), and conditions cannot stand in it")
        }
        if isOpen, !isField {
            // Requests that come one behind the other, without an answer between them.
            guard Array(octets).contains(sequence: " HTTP/".utf8) else {
                throw FixtureComplaint(
                    "\(FixtureComplaint.quoted(octets)) is no field line like \"Name: value\"")
            }
            finishHead()
        }
        if run?.connection?.head == nil { run?.connection?.head = OpenHead(line: line, isExact: false) }
        run?.connection?.head?.conditions.append(Fixture.Located(condition, line: line))
        if !isOpen, isField {
            throw FixtureComplaint("a request line must stand before \(FixtureComplaint.quoted(octets))")
        }
    }

    private mutating func addExact(_ octets: [UInt8]) {
        guard canAddStep(at: line) else { return }
        if run?.connection?.head?.isExact == false {
            complain(
                at: line, "an exact head cannot begin among conditions; an answer stands between requests")
            finishHead()
        }
        if run?.connection?.head == nil { run?.connection?.head = OpenHead(line: line, isExact: true) }
        if run?.connection?.head?.append(octets, line: line) == false {
            complain(at: line, "octets stand behind the blank line of the head; they are for `>>` or `>>>`")
        }
        if run?.connection?.head?.isComplete == true { finishHead() }
    }

    /// The head gets no more lines.
    mutating func finishHead() {
        guard let head = run?.connection?.head else { return }
        run?.connection?.head = nil
        if head.isExact, !head.isComplete {
            complain(
                at: head.line, "the exact head that begins here has no blank line at its end (`>=` alone)")
        }
        let step = Fixture.Step.request(head.isExact ? .exactly(head.parts) : .matching(head.conditions))
        check(step, at: head.line)
        run?.connection?.steps.append(Fixture.Located(step, line: head.line))
        run?.connection?.request = .head
    }

    private mutating func add(content: FixtureContent, at line: Int) {
        guard canAddStep(at: line) else { return }
        finishHead()
        switch run?.connection?.request {
        case .head: break
        case .content:
            complain(at: line, "the content of the request stands before this, and `>>` is all of it")
        case .body: complain(at: line, "`>>` is all of the content, but `>>>` or `! tls` stands before it")
        default: complain(at: line, "no request stands before this that could have content")
        }
        add(.requestContent(content), at: line)
        run?.connection?.request = .content
    }

    private mutating func add(body: FixtureContent, at line: Int) {
        guard canAddStep(at: line) else { return }
        finishHead()
        if case .none? = run?.connection?.request {
            complain(at: line, "no request stands before this that octets could follow")
        }
        add(.requestBody(body), at: line)
        run?.connection?.request = .body
    }
}

extension [UInt8] {
    /// Whether these octets are in it, one after another. For short ones: the work is the product of both lengths.
    fileprivate func contains(sequence: String.UTF8View) -> Bool {
        let sequence = Array(sequence)
        guard count >= sequence.count else { return false }
        return (0...count - sequence.count).contains {
            self[$0] == sequence[0] && self[$0...].starts(with: sequence)
        }
    }
}
