extension OptionTable {
    /// What is sent to the server beside the head.
    static let content: [CommandOption] = []
}
