extension OptionTable {
    /// Redirects, and what goes along with them: credentials and cookies.
    static let redirects: [CommandOption] = []
}
