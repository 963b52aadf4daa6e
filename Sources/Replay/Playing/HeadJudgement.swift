/// Whether the head of a request is as a fixture says.
struct HeadJudgement {
    /// What is not, with its lines. The last problem shows all of the head that came.
    let problems: [FixtureProblem]
    /// Whether the first condition holds, that about the request line; of an exact head, whether that line is right.
    let isRequestLineRight: Bool

    init(_ request: Fixture.Request, head: [UInt8], line: Int) {
        var problems: [FixtureProblem]
        let lines = HeadLine.lines(of: head)
        switch request {
        case .exactly(let parts):
            problems = HeadJudgement.difference(parts, head, line: line).map { [$0] } ?? []
            let expected = HeadLine.lines(of: parts.flatMap(\.value)).first?.octets
            isRequestLineRight = expected == lines.first?.octets
        case .matching(let conditions):
            problems = HeadJudgement.unmet(conditions, lines)
            isRequestLineRight =
                conditions.first.map { HeadJudgement.problem(ofRequestLine: $0, lines) == nil } ?? true
            let start = conditions.first?.line ?? line
            problems += HeadJudgement.hidden(lines, start)
            if let bare = lines.firstIndex(where: { !$0.hasCRLF }) {
                problems.append(
                    FixtureProblem(
                        line: start,
                        "line \(bare + 1) of the head does not end with CR LF"))
            }
        }
        if !problems.isEmpty {
            problems[problems.count - 1].message += "\nthe head that came:\n" + VisibleOctets.lines(head)
        }
        self.problems = problems
    }

    // MARK: Exact heads

    private static func difference(
        _ parts: [Fixture.Located<[UInt8]>], _ head: [UInt8], line: Int
    ) -> FixtureProblem? {
        let expected = parts.flatMap(\.value)
        guard expected != head else { return nil }
        let offset = zip(expected, head).prefix { $0 == $1 }.count
        // The part in which the first octet is wrong knows its line; behind the last one nothing was expected.
        var end = 0
        var place = parts.last?.line ?? line
        for part in parts {
            end += part.value.count
            if offset < end {
                place = part.line
                break
            }
        }
        let start = expected[..<offset].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        let number = expected[..<offset].count { $0 == UInt8(ascii: "\n") } + 1
        return FixtureProblem(
            line: place,
            """
            line \(number) of the head is wrong from its octet \(offset - start) on
            expected: \(shown(expected, from: start))
            got:      \(shown(head, from: start))
            """)
    }

    private static func shown(_ octets: [UInt8], from start: Int) -> String {
        guard start < octets.count else { return "nothing more" }
        let end = octets[start...].firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? octets.endIndex
        return VisibleOctets.quoted(octets[start..<end], limit: 2000)
    }

    // MARK: Conditions

    private static func unmet(_ conditions: [Fixture.Located<Fixture.Condition>], _ lines: [HeadLine])
        -> [FixtureProblem]
    {
        var problems: [FixtureProblem] = []
        // Two equal conditions want two equal field lines.
        var fields = Array(lines.dropFirst())
        var misses = false
        for (index, condition) in conditions.enumerated() {
            if index == 0 {
                if let problem = problem(ofRequestLine: condition, lines) { problems.append(problem) }
                continue
            }
            switch condition.value {
            case .line(let wanted):
                if let found = fields.firstIndex(where: { $0.octets == wanted }) {
                    fields.remove(at: found)
                } else {
                    problems.append(missing(VisibleOctets.quoted(wanted), wanted, lines, condition.line))
                    misses = true
                }
            case .pattern(let pattern):
                if !lines.dropFirst().contains(where: { pattern.matches($0.octets) }) {
                    let source = Array(pattern.source.utf8)
                    problems.append(
                        missing("that matches \(VisibleOctets(source))", source, lines, condition.line))
                }
            case .absent(let name):
                for field in lines.dropFirst() where field.isNamed(Array(name.utf8)) {
                    problems.append(
                        FixtureProblem(
                            line: condition.line,
                            "a field that must not be there: \(VisibleOctets.quoted(field.octets, limit: 2000))"
                        ))
                }
            }
        }
        return misses ? problems : problems + listed(conditions.dropFirst(), lines.dropFirst())
    }

    /// Lines of a name that are listed exactly are all lines of that name, in their order, which means something
    /// (RFC 9110, section 5.3). A pattern for the name says that there may be others.
    private static func listed(
        _ conditions: ArraySlice<Fixture.Located<Fixture.Condition>>, _ lines: ArraySlice<HeadLine>
    ) -> [FixtureProblem] {
        var problems: [FixtureProblem] = []
        var judged: [HeadLine] = []
        for condition in conditions {
            guard case .line(let octets) = condition.value else { continue }
            let line = HeadLine(octets: octets, hasCRLF: true)
            guard !judged.contains(where: { line.isNamed($0.name) }) else { continue }
            judged.append(line)
            let came = lines.filter { $0.isNamed(line.name) }.map(\.octets)
            let isFree = conditions.contains {
                guard case .pattern(let pattern) = $0.value else { return false }
                let start = HeadLine(octets: Array(pattern.source.utf8), hasCRLF: true)
                return start.isNamed(line.name) || came.contains(where: pattern.matches)
            }
            let wanted = conditions.compactMap { condition -> [UInt8]? in
                guard case .line(let octets) = condition.value else { return nil }
                return HeadLine(octets: octets, hasCRLF: true).isNamed(line.name) ? octets : nil
            }
            guard !isFree, came != wanted else { continue }
            var message =
                came.count > wanted.count
                ? "there are more field lines of a name than are listed"
                : "the field lines of a name came in another order"
            for octets in wanted { message += "\nexpected: \(VisibleOctets.quoted(octets))" }
            for octets in came { message += "\ngot:      \(VisibleOctets.quoted(octets, limit: 2000))" }
            problems.append(FixtureProblem(line: condition.line, message))
        }
        return problems
    }

    /// Lines behind which something could hide from conditions: what is no field line, in which another recipient may
    /// see one (RFC 9112, sections 5.1, 5.2 and 11.2).
    private static func hidden(_ lines: [HeadLine], _ line: Int) -> [FixtureProblem] {
        var problems: [FixtureProblem] = []
        if let first = lines.first, first.octets.contains(where: HeadLine.isControl) {
            let shown = VisibleOctets.quoted(first.octets, limit: 2000)
            problems.append(FixtureProblem(line: line, "the request line holds a control octet: \(shown)"))
        }
        for (index, field) in lines.enumerated().dropFirst() where !HeadLine.isFieldLine(field.octets) {
            let shown = VisibleOctets.quoted(field.octets, limit: 2000)
            problems.append(
                FixtureProblem(line: line, "line \(index + 1) of the head is no field line: \(shown)"))
        }
        return problems
    }

    private static func problem(
        ofRequestLine condition: Fixture.Located<Fixture.Condition>, _ lines: [HeadLine]
    ) -> FixtureProblem? {
        let came = lines.first?.octets ?? []
        let wanted: String
        switch condition.value {
        case .line(let octets):
            if octets == came { return nil }
            wanted = VisibleOctets.quoted(octets)
        case .pattern(let pattern):
            if pattern.matches(came) { return nil }
            wanted = "what matches \(VisibleOctets(pattern.source.utf8))"
        case .absent: return nil
        }
        return FixtureProblem(
            line: condition.line,
            """
            the request line is wrong
            expected: \(wanted)
            got:      \(VisibleOctets.quoted(came, limit: 2000))
            """)
    }

    /// A field line that is not there, beside those of the same name that are.
    private static func missing(
        _ what: String, _ wanted: [UInt8], _ lines: [HeadLine], _ line: Int
    ) -> FixtureProblem {
        let name = wanted.prefix { $0 != UInt8(ascii: ":") }
        let similar = lines.dropFirst().filter { $0.isNamed(name) }
        var message = "a field line is missing\nexpected: \(what)"
        for field in similar {
            message += "\ngot:      \(VisibleOctets.quoted(field.octets, limit: 2000))"
        }
        return FixtureProblem(line: line, message)
    }
}

/// A line of a head without its line end.
struct HeadLine {
    let octets: [UInt8]
    let hasCRLF: Bool

    /// The lines up to the blank one.
    static func lines(of head: [UInt8]) -> [HeadLine] {
        var lines: [HeadLine] = []
        for line in head.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            let hasCRLF = line.last == UInt8(ascii: "\r")
            lines.append(HeadLine(octets: Array(hasCRLF ? line.dropLast() : line), hasCRLF: hasCRLF))
        }
        lines.removeLast()  // what stands behind the last line end is no line
        if lines.last?.octets.isEmpty == true, lines.last?.hasCRLF == true { lines.removeLast() }
        return lines
    }

    /// What stands before the colon; all of it where there is none.
    var name: ArraySlice<UInt8> { octets.prefix { $0 != UInt8(ascii: ":") } }

    /// Whether it is a field line of that name, in any case of letters.
    func isNamed(_ name: some Sequence<UInt8>) -> Bool {
        guard let colon = octets.firstIndex(of: UInt8(ascii: ":")) else { return false }
        return octets[..<colon].map(HeadLine.lowercased).elementsEqual(name.map(HeadLine.lowercased))
    }

    /// Whether octets are a field line without its end: a token, a colon right behind it, and a value without control
    /// octets but tabs (RFC 9112, section 5; RFC 9110, section 5.5).
    static func isFieldLine(_ octets: [UInt8]) -> Bool {
        FixtureParser.isFieldLine(octets) && !octets.contains(where: isControl)
    }

    /// Whether no line may hold it; a tab may stand in values.
    static func isControl(_ octet: UInt8) -> Bool { octet < 0x20 && octet != 0x09 || octet == 0x7F }

    private static func lowercased(_ octet: UInt8) -> UInt8 {
        0x41...0x5A ~= octet ? octet | 0x20 : octet
    }
}
