/// The declaration of one option: parsing, help and manual pages all come from it.
struct CommandOption: Sendable {
    /// The heading under which help lists it.
    enum Category: String, CaseIterable, Sendable {
        case output, resuming, request, content, redirects, limits, connection, tls, messages, configuration

        /// The heading.
        var title: String {
            switch self {
            case .output: "Where the content goes"
            case .resuming: "Going on, trying again, and checking"
            case .request: "What is asked for"
            case .content: "What is sent along"
            case .redirects: "Redirects, credentials and cookies"
            case .limits: "Limits and failures"
            case .connection: "How the server is reached"
            case .tls: "TLS"
            case .messages: "What is shown"
            case .configuration: "Several transfers, configuration and help"
            }
        }
    }

    /// What it does. All but the last group take their argument as text and note it.
    enum Effect: Sendable {
        /// No argument; `--no-NAME` is its opposite.
        case toggle(@Sendable (inout CommandSettings, Bool) -> Void)
        /// No argument, and no opposite.
        case flag(@Sendable (inout CommandSettings) -> Void)
        /// Any text.
        case text(@Sendable (inout CommandSettings, String) -> Void)
        /// Text of a certain form; false when it has another.
        case checked(@Sendable (inout CommandSettings, String) -> Bool)
        /// Text of a form with an explanation of its own for what has another.
        case explained(@Sendable (inout CommandSettings, String) throws(UsageError) -> Void)
        /// Decimal seconds.
        case seconds(@Sendable (inout CommandSettings, Duration) -> Void)
        /// Octets, with a unit.
        case size(@Sendable (inout CommandSettings, UInt64) -> Void)
        /// A whole number within bounds.
        case count(ClosedRange<Int>, @Sendable (inout CommandSettings, Int) -> Void)
        /// What the parser itself does.
        case url, output, remoteName, next, configFile, asCurl, help, version
    }

    /// The long name, without hyphens.
    let name: String
    /// The letter after one hyphen; a scalar, since comparing characters is slow.
    let letter: Unicode.Scalar?
    /// The argument's name in help; `nil` when there is none. For a checked text it shows the form.
    let argument: String?
    let category: Category
    /// What it does, in one or two clauses.
    let help: String
    /// What help on this option alone adds.
    let moreHelp: (@Sendable () -> String)?
    let effect: Effect
    /// The opposite, `--no-NAME`, is what help shows and what the letter means.
    let isShownNegated: Bool

    /// A declaration.
    init(
        _ name: String, _ letter: Unicode.Scalar? = nil, argument: String? = nil, in category: Category,
        _ help: String, isShownNegated: Bool = false, moreHelp: (@Sendable () -> String)? = nil,
        _ effect: Effect
    ) {
        self.name = name
        self.letter = letter
        self.argument = argument
        self.category = category
        self.help = help
        self.moreHelp = moreHelp
        self.effect = effect
        self.isShownNegated = isShownNegated
    }

    /// Both spellings, as messages name it: `-o, --output`.
    var spelling: String {
        let long = isShownNegated ? "--no-\(name)" : "--\(name)"
        return letter.map { "-\($0), \(long)" } ?? long
    }

    /// Whether `--no-NAME` is an option, too.
    var isToggle: Bool {
        switch effect {
        case .toggle, .remoteName: true
        default: false
        }
    }

    /// Whether an argument must follow.
    var takesArgument: Bool {
        switch effect {
        case .toggle, .flag, .remoteName, .next, .asCurl, .help, .version: false
        case .text, .checked, .explained, .seconds, .size, .count, .url, .output, .configFile: true
        }
    }
}

/// What options change.
struct CommandSettings: Hashable, Sendable {
    /// The options of the present group of URLs.
    var transfer = GroupOptions()
    /// The options of the run.
    var run = RunOptions()
}
