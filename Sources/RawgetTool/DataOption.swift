import HTTPMessage

/// What one option adds to the content of a request.
enum DataOption: Hashable, Sendable {
    /// As it is.
    case text(String)
    /// A file without its CR, LF and NUL, as curl's `-d @file`.
    case lines(of: FileArgument)
    /// A file as it is.
    case file(FileArgument)
    /// JSON, which no sign separates from what came before.
    indirect case json(DataOption)
    /// Encoded, behind `name=` where there is a name.
    case encoded(name: String?, String)
    case encodedFile(name: String?, FileArgument)

    /// `-d`.
    init(data text: String) {
        self = text.hasPrefix("@") ? .lines(of: FileArgument(String(text.dropFirst()))) : .text(text)
    }

    /// `--data-binary`.
    init(binary text: String) {
        self = text.hasPrefix("@") ? .file(FileArgument(String(text.dropFirst()))) : .text(text)
    }

    /// `--json`.
    init(json text: String) { self = .json(DataOption(binary: text)) }

    /// `--data-urlencode`: the first `=` counts, else the first `@`.
    init(encoding text: String) {
        guard let sign = text.firstIndex(of: "=") ?? text.firstIndex(of: "@") else {
            self = .encoded(name: nil, text)
            return
        }
        let name = sign == text.startIndex ? nil : String(text[..<sign])
        let rest = String(text[text.index(after: sign)...])
        self = text[sign] == "=" ? .encoded(name: name, rest) : .encodedFile(name: name, FileArgument(rest))
    }

    /// `--url-query`: as it is behind `+`, else encoded.
    init(query text: String) {
        self = text.hasPrefix("+") ? .text(String(text.dropFirst())) : DataOption(encoding: text)
    }

    /// The file it is read from.
    var source: FileArgument? {
        switch self {
        case .lines(let file), .file(let file), .encodedFile(_, let file): file
        case .json(let option): option.source
        case .text, .encoded: nil
        }
    }

    private var isJSON: Bool { if case .json = self { true } else { false } }

    private func octets(_ console: Console) throws(UsageError) -> [UInt8] {
        switch self {
        case .text(let text): return Array(text.utf8)
        case .lines(let file):
            return try console.contents(of: file, limit: Command.longestFile)
                .filter { $0 != 0x0D && $0 != 0x0A && $0 != 0 }
        case .file(let file): return try console.contents(of: file, limit: Command.longestFile)
        case .json(let option): return try option.octets(console)
        case .encoded(let name, let text): return DataOption.encoded(name, Array(text.utf8))
        case .encodedFile(let name, let file):
            return DataOption.encoded(name, try console.contents(of: file, limit: Command.longestFile))
        }
    }

    /// As curl does: a blank becomes "+", which is what a form means by it.
    private static func encoded(_ name: String?, _ octets: [UInt8]) -> [UInt8] {
        var text: [UInt8] = name.map { Array("\($0)=".utf8) } ?? []
        for part in octets.split(separator: 0x20, omittingEmptySubsequences: false).enumerated() {
            if part.offset > 0 { text.append(UInt8(ascii: "+")) }
            text += PercentEncoding.encoded(Array(part.element)).utf8
        }
        return text
    }

    /// All options one behind the other, "&" between them; `nil` where there are none. Throws where a file cannot be
    /// read.
    static func content(of options: [DataOption], _ console: Console) throws(UsageError) -> [UInt8]? {
        guard let first = options.first else { return nil }
        var content = try first.octets(console)
        for option in options.dropFirst() {
            if !option.isJSON { content.append(UInt8(ascii: "&")) }
            content += try option.octets(console)
        }
        return content
    }
}
