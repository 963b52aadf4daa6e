extension OptionTable {
    /// How servers are told to be who they say, and how this side proves itself.
    static let tls: [CommandOption] = []
}
