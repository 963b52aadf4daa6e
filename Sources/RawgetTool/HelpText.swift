/// What `--help` prints, made from the table of options.
enum HelpText {
    private static let width = 79
    /// Where the words on an option begin.
    static let indent = 28

    /// All options, those of the category named by `topic`, or the one option it names; `nil` when it is neither.
    static func text(topic: String? = nil) -> String? {
        guard let topic, topic != "all" else { return usage + allOptions }
        if let category = CommandOption.Category(rawValue: topic) { return section(category) }
        let name = String(topic.drop(while: { $0 == "-" }))
        let option =
            name.count == 1
            ? name.unicodeScalars.first.flatMap(OptionTable.option(letter:)) : OptionTable.option(named: name)
        let negated = name.hasPrefix("no-") ? OptionTable.option(named: String(name.dropFirst(3))) : nil
        return (option ?? negated).map { option in
            let more = option.moreHelp.map { wrapped("", $0(), indent: indent) }
            return lines(option) + (more ?? "")
        }
    }

    /// The topics `text(topic:)` knows besides options.
    static var topics: [String] { ["all"] + CommandOption.Category.allCases.map(\.rawValue) }

    private static let usage = """
        Usage: rawget [options] URL...
               rawget demo
               rawget check [options] FILE|FOLDER...
               rawget serve [options] FILE|FOLDER...
               rawget batch [options]
               rawget explain [options] FILE|-
               rawget reach [options] [URL]

        Saves each URL to a file in the current folder; -o - writes to standard output.
        demo shows it at work; check runs test fixtures, serve answers other clients
        by them; batch takes requests as lines of JSON; explain says what a response
        head means; reach tells which step between here and a URL fails. Each of them
        has a --help of its own.

        """

    private static var allOptions: String {
        CommandOption.Category.allCases.map { "\n" + section($0) }.joined()
    }

    private static func section(_ category: CommandOption.Category) -> String {
        "\(category.title):\n" + OptionTable.options.filter { $0.category == category }.map(lines).joined()
    }

    private static func lines(_ option: CommandOption) -> String {
        let long = (option.isShownNegated ? "--no-" : "--") + option.name
        var start = option.letter.map { "  -\($0), \(long)" } ?? "      \(long)"
        if let argument = option.argument { start += " \(argument)" }
        return wrapped(start, option.help, indent: indent)
    }

    /// `help` behind `start`, in lines whose text begins at the column `indent`.
    static func wrapped(_ start: String, _ help: String, indent: Int) -> String {
        var text = ""
        var start = start
        if start.utf8.count > indent - 2 {
            text = start + "\n"
            start = ""
        }
        var line = start + String(repeating: " ", count: indent - start.utf8.count)
        var isFresh = true
        for word in help.split(separator: " ") {
            if !isFresh, line.utf8.count + 1 + word.utf8.count > width {
                text += line + "\n"
                line = String(repeating: " ", count: indent)
                isFresh = true
            }
            line += (isFresh ? "" : " ") + word
            isFresh = false
        }
        return text + line + "\n"
    }
}
