import HTTPMessage

/// Field values read in the plainest way, for the model alone: it shares no parser with the cache.
enum FieldText {
    /// One field line: the name in lower case, the value trimmed.
    struct Line: Hashable, Sendable {
        var name: String
        var value: String
    }

    static func lines(_ fields: HTTPFields) -> [Line] {
        fields.map { Line(name: $0.name.spelling.lowercased(), value: trimmed($0.value)) }
    }

    static func trimmed(_ text: String) -> String {
        func isBlank(_ octet: UInt8?) -> Bool { octet == 0x20 || octet == 0x09 }
        guard isBlank(text.utf8.first) || isBlank(text.utf8.last) else { return text }
        var characters = Array(text.unicodeScalars)
        while let first = characters.first, first == " " || first == "\t" { characters.removeFirst() }
        while let last = characters.last, last == " " || last == "\t" { characters.removeLast() }
        return String(String.UnicodeScalarView(characters))
    }

    /// The members of a list, blanks around them gone, empty ones too. Commas in quotes do not divide.
    static func members(_ value: String) -> [String] {
        var members = [""]
        var isQuoted = false
        var isEscaped = false
        for scalar in value.unicodeScalars {
            if isEscaped {
                isEscaped = false
            } else if isQuoted && scalar == "\\" {
                isEscaped = true
            } else if scalar == "\"" {
                isQuoted.toggle()
            } else if scalar == "," && !isQuoted {
                members.append("")
                continue
            }
            members[members.count - 1].unicodeScalars.append(scalar)
        }
        return members.map(trimmed).filter { !$0.isEmpty }
    }

    /// delta-seconds (section 1.2.2) of any size; what is more than the greatest number is that.
    static func seconds(_ text: String) -> Int128? {
        guard !text.isEmpty, text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
        return text.utf8.reduce(0) { min($0 * 10 + Int128($1 - 0x30), huge) }
    }

    static let huge = Int128(Int64.max)

    /// The seconds of a date in one of its three forms.
    static func date(_ text: String?, now: CacheMoment) -> Int64? {
        guard let text else { return nil }
        return HTTPDate(parsing: text, now: HTTPDate(secondsSinceEpoch: now.wall))?.secondsSinceEpoch
    }

    static func dateText(_ seconds: Int64) -> String { HTTPDate(secondsSinceEpoch: seconds).description }

    /// What a request field says, so that two requests can be compared by it (section 4.1); `nil` where it is absent.
    /// Where case and order mean nothing they are taken away, which a cache may do or not.
    static func selection(_ name: String, in lines: [Line]) -> String? {
        let values = lines.filter { $0.name == name }.map(\.value)
        guard !values.isEmpty else { return nil }
        var parts = values.flatMap(members).map(withoutBlanks)
        if ["accept", "accept-charset", "accept-encoding", "accept-language"].contains(name) {
            parts = parts.map { $0.lowercased() }.sorted()
        }
        return parts.joined(separator: ",")
    }

    /// Blanks beside ";" and "=" mean nothing in the fields that have them.
    private static func withoutBlanks(_ text: String) -> String {
        var result = ""
        var blanks = ""
        for scalar in text.unicodeScalars {
            if scalar == " " || scalar == "\t" {
                blanks.unicodeScalars.append(scalar)
                continue
            }
            let last = result.unicodeScalars.last
            if scalar != ";" && scalar != "=" && last != ";" && last != "=" { result += blanks }
            blanks = ""
            result.unicodeScalars.append(scalar)
        }
        return result
    }
}

/// Two clocks, read at once: the model's own kind of time.
package struct CacheMoment: Hashable, Sendable {
    /// Seconds on the wall clock.
    package var wall: Int64
    /// Seconds on the clock that never goes back.
    package var uptime: Int64

    /// A reading.
    package init(wall: Int64, uptime: Int64) {
        self.wall = wall
        self.uptime = uptime
    }

    /// Seconds since an earlier moment, by the clock that has moved further.
    func since(_ earlier: CacheMoment) -> Int128 {
        max(
            0, Int128(wall) - Int128(earlier.wall), Int128(uptime) - Int128(earlier.uptime))
    }
}

/// Cache-Control as its section (RFC 9111, section 5.2) has it.
struct Directives {
    /// What stands behind a directive's name.
    enum Argument: Hashable {
        case none
        case text(String)
        /// There is something that is no token and no quoted string.
        case broken
    }

    private(set) var all: [(name: String, argument: Argument)] = []

    init(_ lines: [FieldText.Line]) {
        for line in lines where line.name == "cache-control" {
            for member in FieldText.members(line.value) { all.append(Directives.read(member)) }
        }
    }

    private static func read(_ member: String) -> (name: String, argument: Argument) {
        guard let sign = member.firstIndex(of: "=") else { return (member.lowercased(), .none) }
        let name = String(member[..<sign])
        let text = String(member[member.index(after: sign)...])
        let plain = FieldText.trimmed(name)
        // No blank may stand beside "=".
        guard plain == name, FieldText.trimmed(text) == text else { return (plain.lowercased(), .broken) }
        if FieldName.isToken(text) { return (name.lowercased(), .text(text)) }
        guard let content = FieldGrammar.unquoted(text) else { return (name.lowercased(), .broken) }
        return (name.lowercased(), .text(content))
    }

    func has(_ name: String) -> Bool { all.contains { $0.name == name } }

    private func first(_ name: String) -> Argument? { all.first { $0.name == name }?.argument }

    /// The seconds of the first directive of that name: 0 where they are no number; `nil` where there is none.
    func seconds(_ name: String) -> Int128? {
        guard let argument = first(name) else { return nil }
        guard case .text(let text) = argument else { return 0 }
        return FieldText.seconds(text) ?? 0
    }

    /// The seconds of the first directive of that name; `nil` where it says no number, too.
    func limit(_ name: String) -> Int128? {
        guard case .text(let text)? = first(name) else { return nil }
        return FieldText.seconds(text)
    }

    /// The greatest seconds that any directive of that name allows; `nil` where none is there.
    func greatestSeconds(_ name: String) -> Int128? {
        let values = all.filter { $0.name == name }.map { directive -> Int128 in
            guard case .text(let text) = directive.argument else { return 0 }
            return FieldText.seconds(text) ?? 0
        }
        return values.max()
    }

    /// max-stale without a value is any staleness.
    var maxStale: Int128? {
        guard has("max-stale") else { return nil }
        let isAny = all.contains { $0.name == "max-stale" && $0.argument == .none }
        return isAny ? FieldText.huge * 4 : greatestSeconds("max-stale")
    }

    /// no-cache without names of fields (section 5.2.2.4).
    var isNoCacheWhole: Bool {
        all.contains { $0.name == "no-cache" && Directives.names($0.argument).isEmpty }
    }

    /// The fields that no-cache names, in lower case.
    var noCacheFields: Set<String> {
        Set(all.filter { $0.name == "no-cache" }.flatMap { Directives.names($0.argument) })
    }

    private static func names(_ argument: Argument) -> [String] {
        guard case .text(let text) = argument else { return [] }
        return FieldText.members(text).map { $0.lowercased() }
    }

    /// The response may not be stored, nor what is stored of it be used.
    func forbidsStoring(status: Int) -> Bool {
        guard has("no-store") else { return false }
        return !(has("must-understand") && StatusKnowledge.understood.contains(status))
    }
}

/// What RFC 9110 says of status codes, as far as a cache must know.
enum StatusKnowledge {
    /// Heuristically cacheable (section 15.1).
    static let heuristic: Set = [200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501]
    /// Those it defines (section 15). A cache cannot understand one that nobody has defined.
    static let understood = Set(200...206).union(300...305).union([307, 308]).union(400...417)
        .union([421, 422, 426]).union(500...505)
}
