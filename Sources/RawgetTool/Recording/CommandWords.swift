/// A command line taken apart, and put together again: bundles apart, arguments behind their options.
enum CommandWord {
    case url(String)
    case option(CommandOption, isOn: Bool, argument: String?)

    /// What stands behind the name of the command; a `--as-curl` is not among it. What the parser refuses is left out.
    static func words(of arguments: [String]) -> [CommandWord] {
        var words: [CommandWord] = []
        var rest = arguments.dropFirst()
        if rest.first == "--as-curl" { rest.removeFirst() }
        var readsOptions = true
        while let argument = rest.popFirst() {
            if !readsOptions || argument.utf8.first != UInt8(ascii: "-") {
                words.append(.url(argument))
            } else if argument == "--" {
                readsOptions = false
            } else {
                words += options(argument) { rest.popFirst() }
            }
        }
        return words
    }

    /// What stands in a file of options.
    static func words(ofConfig octets: [UInt8]) -> [CommandWord] {
        var words: [CommandWord] = []
        var config = ConfigFile()
        while let entry = config.nextEntry(in: octets.span) {
            let name = String(decoding: octets[entry.option], as: UTF8.self)
            let value = entry.value.map { range in
                let text = octets[range]
                return String(
                    decoding: entry.hasEscapes ? ConfigFile.unescaped(text) : Array(text), as: UTF8.self)
            }
            words += options(name.hasPrefix("-") ? name : "--\(name)") { value }
        }
        return words
    }

    /// The options of one argument; `next` gives the argument behind it.
    private static func options(_ argument: String, next: () -> String?) -> [CommandWord] {
        guard argument.hasPrefix("--") else { return letters(argument, next: next) }
        let parts = argument.dropFirst(2).split(
            separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard let found = try? CommandParser.find(String(parts.first ?? "")) else { return [] }
        var value: String?
        if found.option.takesArgument { value = parts.count == 2 ? String(parts[1]) : next() }
        return [.option(found.option, isOn: found.isOn, argument: value)]
    }

    private static func letters(_ argument: String, next: () -> String?) -> [CommandWord] {
        var words: [CommandWord] = []
        var letters = argument.unicodeScalars.dropFirst()
        while let letter = letters.popFirst() {
            guard let option = OptionTable.option(letter: letter) else { break }
            guard option.takesArgument else {
                words.append(.option(option, isOn: !option.isShownNegated, argument: nil))
                continue
            }
            words.append(
                .option(option, isOn: true, argument: letters.isEmpty ? next() : String(letters)))
            break
        }
        return words
    }

    /// As arguments.
    var arguments: [String] {
        switch self {
        case .url(let url): url.utf8.first == UInt8(ascii: "-") ? ["--url", url] : [url]
        case .option(let option, let isOn, let argument):
            [CommandWord.spelling(option, isOn: isOn)] + (argument.map { [$0] } ?? [])
        }
    }

    /// The letter where there is one, else the name.
    private static func spelling(_ option: CommandOption, isOn: Bool) -> String {
        if let letter = option.letter, isOn != option.isShownNegated { return "-\(letter)" }
        return isOn ? "--\(option.name)" : "--no-\(option.name)"
    }

    /// As a line of a file of options.
    var configLine: String {
        switch self {
        case .url(let url): return "url = \(CommandWord.quoted(url))\n"
        case .option(let option, let isOn, let argument):
            let name = isOn ? option.name : "no-\(option.name)"
            return argument.map { "\(name) = \(CommandWord.quoted($0))\n" } ?? "\(name)\n"
        }
    }

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case "\u{0B}": result += "\\v"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
