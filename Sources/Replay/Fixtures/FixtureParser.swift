/// Reads the text of a fixture; the grammar is in `Fixtures/README.md`.
///
/// It goes on behind an error, so that one reading tells all that is wrong. Its files: what stands before a run
/// (`+Before`), data (`+Data`), connections (`+Connections`, `+Requests`), outcomes (`+Outcomes`).
public struct FixtureParser {
    /// The most octets of a file.
    public static let mostOctets = 16 << 20
    /// The most problems told of one file.
    public static let mostProblems = 50

    /// The words that begin a line.
    private enum Statement: String, CaseIterable {
        case blob, server, file, folder, link, mode, time, env, input, clock, load, with, connection
    }

    let octets: [UInt8]
    /// Where the next line begins.
    private var nextLine = 0
    /// The number of the line that is read.
    private(set) var line = 0
    private var problems: [FixtureProblem] = []
    /// A line that failed takes the `+` lines behind it with it.
    private var hasFailed = false
    private var hasToldOfCR = false

    private var reason: [String] = []
    private var isInReason = true
    var blobs: [Fixture.Blob] = []
    /// What is known of each blob.
    var knownBlobs: [String: KnownBlob] = [:]
    var servers: [Fixture.Server] = []
    /// Indices of servers by their names.
    var serversByName: [String: Int] = [:]
    var runs: [Fixture.Run] = []
    var run: OpenRun?
    /// What is made ready for the run that comes next.
    var preparations: [Fixture.Located<Fixture.Preparation>] = []
    /// Where what belongs to the next run begins; `nil`: there is nothing of it yet.
    var pendingLine: Int?
    /// Where the next run's standard input stands.
    var inputLine: Int?
    /// Paths that the next run makes ready, and where.
    var preparedPaths: [[UInt8]: Int] = [:]
    /// What is in the folder, as far as the fixture says.
    var paths: [[UInt8]: KnownPath] = [:]
    private var hasToldOfOrder = false
    private var hasToldOfNoRun = false

    private init(_ octets: [UInt8]) { self.octets = octets }

    /// The fixture that a file holds, or all that is wrong with it. The work grows with the length of the text.
    public static func parse(_ octets: [UInt8]) throws(FixtureSyntaxError) -> Fixture {
        guard octets.count <= mostOctets else {
            throw FixtureSyntaxError([
                FixtureProblem(
                    line: 0, "the file has \(octets.count) octets; at most \(mostOctets) are allowed")
            ])
        }
        var parser = FixtureParser(octets)
        if octets.starts(with: [0xEF, 0xBB, 0xBF]) {
            parser.complain(at: 1, "the file begins with a byte order mark, which may not be there")
            parser.nextLine = 3
        }
        while let line = parser.readLine() { parser.read(line) }
        return try parser.finish()
    }

    private mutating func finish() throws(FixtureSyntaxError) -> Fixture {
        finishRun()
        if !reason.contains(where: { !$0.isEmpty }) {
            complain(at: 1, "the comment at the beginning is missing that says why the fixture exists")
        }
        if let pendingLine {
            complain(at: pendingLine, "no `$` or `load` follows that this would be made ready for")
        } else if runs.isEmpty {
            complain(at: 0, "nothing is run: there is no line `$ rawget …` or `load METHOD URI`")
        }
        guard problems.isEmpty else {
            let sorted = problems.enumerated().sorted {
                ($0.element.line, $0.offset) < ($1.element.line, $1.offset)
            }
            throw FixtureSyntaxError(sorted.map(\.element))
        }
        return Fixture(
            reason: reason, blobs: blobs, servers: servers.isEmpty ? [Fixture.Server()] : servers, runs: runs)
    }

    // MARK: Problems

    /// Notes a problem, unless there are enough.
    mutating func complain(at line: Int, _ message: @autoclosure () -> String) {
        guard problems.count < FixtureParser.mostProblems else { return }
        problems.append(FixtureProblem(line: line, message()))
    }

    /// Notes a problem of the line that is read.
    mutating func complain(_ complaint: FixtureComplaint) {
        complain(at: line, complaint.message)
        hasFailed = true
    }

    /// Whether there is a run that the line can belong to. Tells, once for each, that there is none, and that the line
    /// stands behind what is made ready for the next.
    mutating func isInRun(at line: Int) -> Bool {
        guard run != nil else {
            if !hasToldOfNoRun { complain(at: line, "no `$` or `load` stands before this") }
            hasToldOfNoRun = true
            hasFailed = true
            return false
        }
        if let pendingLine, !hasToldOfOrder {
            hasToldOfOrder = true
            complain(at: line, "this stands behind line \(pendingLine), which is for the next `$` or `load`")
        }
        return true
    }

    /// A run begins, and what was made ready is for it.
    mutating func forgetPending() {
        pendingLine = nil
        inputLine = nil
        preparedPaths = [:]
        hasToldOfOrder = false
    }

    // MARK: Lines

    /// The next line, without LF, CR and blanks at its end, all of which but the first are told of.
    private mutating func readLine() -> Range<Int>? {
        guard nextLine < octets.count else { return nil }
        line += 1
        let start = nextLine
        var end = octets[start...].firstIndex(of: 0x0A) ?? octets.count
        nextLine = end + 1
        if end > start, octets[end - 1] == 0x0D {
            end -= 1
            if !hasToldOfCR {
                complain(at: line, "the line ends with CR LF; LF alone ends lines (told once)")
            }
            hasToldOfCR = true
        }
        if end > start, FixtureScanner.isBlank(octets[end - 1]) {
            complain(at: line, "the line ends with a blank, which nobody would see; in texts \\x20 is one")
            while end > start, FixtureScanner.isBlank(octets[end - 1]) { end -= 1 }
        }
        checkCharacters(start..<end)
        return start..<end
    }

    private mutating func checkCharacters(_ range: Range<Int>) {
        var index = range.lowerBound
        while index < range.upperBound {
            let length = FixtureText.characterLength(in: octets, at: index, end: range.upperBound)
            let column = index - range.lowerBound + 1
            if length == 0 {
                let shown = FixtureComplaint.quoted(Array(octets[index..<min(index + 4, range.upperBound)]))
                return complain(at: line, "octet \(column) of the line begins what is no UTF-8: \(shown)")
            }
            if FixtureText.isControl(in: octets, at: index, length: length) {
                let shown = FixtureComplaint.quoted(Array(octets[index..<index + length]))
                return complain(
                    at: line,
                    "octet \(column) of the line is a control character, \(shown); texts have escapes")
            }
            index += length
        }
    }

    /// The next line that is neither empty nor a comment, if it goes on with the data before it: by `+`, or by
    /// `marker`. Then it is read up to what stands behind that.
    mutating func continuation(_ marker: Sign?) -> FixtureScanner? {
        var position = nextLine
        var skipped = 0
        while position < octets.count, octets[position] == 0x0A || octets[position] == UInt8(ascii: "#") {
            position = (octets[position...].firstIndex(of: 0x0A) ?? octets.count) + 1
            skipped += 1
        }
        guard position < octets.count else { return nil }
        var behind = position + 1
        if octets[position] != UInt8(ascii: "+") {
            guard let marker, octets[position...].starts(with: marker.rawValue.utf8) else { return nil }
            behind = position + marker.rawValue.utf8.count
        }
        guard behind >= octets.count || octets[behind] <= 0x20 else { return nil }
        for _ in 0..<skipped { _ = readLine() }
        guard let range = readLine() else { return nil }
        var scanner = FixtureScanner(octets, range)
        scanner.skip(behind - position)
        return scanner
    }

    private mutating func read(_ range: Range<Int>) {
        var scanner = FixtureScanner(octets, range)
        guard let first = scanner.next else { return }
        if first == UInt8(ascii: "#") { return comment(&scanner) }
        isInReason = false
        if first == UInt8(ascii: "+") {
            guard !hasFailed else { return }
            return complain(at: line, "`+` goes on with data, but the line before has none")
        }
        hasFailed = false
        do throws(FixtureComplaint) { try statement(first, &scanner) } catch { complain(error) }
    }

    private mutating func comment(_ scanner: inout FixtureScanner) {
        scanner.skip(1)
        if let next = scanner.next, next != 0x20 {
            return complain(at: line, "a blank is missing behind `#`")
        }
        scanner.skip(1)
        if isInReason { reason.append(String(decoding: scanner.rest, as: UTF8.self)) }
    }

    private mutating func statement(_ first: UInt8, _ scanner: inout FixtureScanner) throws(FixtureComplaint)
    {
        switch first {
        case UInt8(ascii: ">"), UInt8(ascii: "<"), UInt8(ascii: "!"), UInt8(ascii: "="):
            return try marked(&scanner)
        case UInt8(ascii: "$"):
            return try command(&scanner)
        default: break
        }
        let word = scanner.bareWord()
        guard !FixtureScanner.isBlank(first) else {
            throw FixtureComplaint(
                "a blank stands before \(FixtureComplaint.quoted(word)) at the beginning of the line")
        }
        guard let statement = Statement(rawValue: String(decoding: word, as: UTF8.self)) else {
            let known = Statement.allCases.map(\.rawValue)
            let hint =
                FixtureComplaint.nearest(to: word, among: known).map { "did you mean \"\($0)\"?" }
                ?? "lines begin with # + $ > < ! = or \(FixtureComplaint.list(known))"
            throw FixtureComplaint(
                "unknown beginning of a line \(FixtureComplaint.quoted(word)); \(hint)")
        }
        switch statement {
        case .blob: try blob(&scanner)
        case .server: try server(&scanner)
        case .file: try file(&scanner)
        case .folder: try folder(&scanner)
        case .link: try link(&scanner)
        case .mode: try mode(&scanner)
        case .time: try time(&scanner)
        case .env: try environment(&scanner)
        case .input: try input(&scanner)
        case .clock: try clock(&scanner)
        case .load: try load(&scanner)
        case .with: try with(&scanner)
        case .connection: try connection(&scanner)
        }
    }

    /// A line that begins with signs in place of a word.
    private mutating func marked(_ scanner: inout FixtureScanner) throws(FixtureComplaint) {
        let start = scanner
        var sign = scanner.bareWord()
        if let octet = sign.first(where: { !"<>=!~|".utf8.contains($0) }) {
            scanner = start
            sign = Array(sign.prefix { $0 != octet })
            scanner.skip(sign.count)
        }
        guard let sign = Sign(rawValue: String(decoding: sign, as: UTF8.self)) else {
            throw FixtureComplaint(
                "unknown sign \(FixtureComplaint.quoted(sign)); a blank stands behind signs")
        }
        if let next = scanner.next {
            guard next == 0x20 else { throw FixtureComplaint("a blank is missing behind `\(sign.rawValue)`") }
            scanner.skip(1)
        }
        switch sign {
        case .outcome: try outcome(&scanner)
        case .event: try event(&scanner)
        case .sentLine, .sentText, .sentData: try sending(sign, &scanner)
        default: try receiving(sign, &scanner)
        }
    }

    /// What lines begin with in place of a word.
    enum Sign: String {
        case line = ">"
        case pattern = ">~"
        case absent = ">!"
        case exactLine = ">="
        case exactText = ">|"
        case content = ">>"
        case body = ">>>"
        case sentLine = "<"
        case sentText = "<|"
        case sentData = "<<"
        case event = "!"
        case outcome = "="
    }
}
