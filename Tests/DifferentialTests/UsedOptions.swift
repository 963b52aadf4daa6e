@testable import RawgetTool

/// The spellings of options that command lines use.
struct UsedOptions {
    /// `--name`, `--no-name` and `-x`.
    private(set) var spellings: Set<String> = []

    /// Adds those of a command line, its first word the command. Options with arguments take the word behind them.
    mutating func add(_ words: [String]) {
        var rest = words.dropFirst()
        while let word = rest.popFirst() {
            guard word.hasPrefix("-"), word.count > 1, word != "--" else { continue }
            if word.hasPrefix("--") {
                let name = String(word.dropFirst(2))
                guard let option = UsedOptions.option(named: name) else { continue }
                spellings.insert(word)
                if option.takesArgument { rest = rest.dropFirst() }
            } else {
                addLetters(of: word, &rest)
            }
        }
    }

    private mutating func addLetters(of word: String, _ rest: inout ArraySlice<String>) {
        var letters = word.unicodeScalars.dropFirst()
        while let letter = letters.popFirst() {
            guard let option = OptionTable.option(letter: letter) else { return }
            spellings.insert("-\(letter)")
            guard option.takesArgument else { continue }
            if letters.isEmpty { rest = rest.dropFirst() }
            return
        }
    }

    private static func option(named name: String) -> CommandOption? {
        if let option = OptionTable.option(named: name) { return option }
        guard name.hasPrefix("no-") else { return nil }
        return OptionTable.option(named: String(name.dropFirst(3))).flatMap { $0.isToggle ? $0 : nil }
    }
}

extension CommandOption {
    /// Every way to write it: both spellings, and a toggle's opposite.
    var spellings: [String] {
        ["--\(name)"] + (letter.map { ["-\($0)"] } ?? []) + (isToggle ? ["--no-\(name)"] : [])
    }
}
