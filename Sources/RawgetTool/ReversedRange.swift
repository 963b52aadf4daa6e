/// Octets of `-r` whose last stands before their first: no valid range (RFC 9110, section 14.1.1), which curl sends all
/// the same.
struct ReversedRange {
    /// The range, as given.
    let text: String

    /// `nil` where no part of the list is such a range, or one has another form.
    init?(_ text: String) {
        var isReversed = false
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let ends = part.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
            guard ends.count == 2, !(ends[0].isEmpty && ends[1].isEmpty) else { return nil }
            guard ends.allSatisfy({ $0.isEmpty || UInt64($0) != nil && !$0.hasPrefix("+") }) else {
                return nil
            }
            if let first = UInt64(ends[0]), let last = UInt64(ends[1]), last < first { isReversed = true }
        }
        guard isReversed else { return nil }
        self.text = text
    }

    /// What is wrong, for a person.
    var complaint: String { "-r, --range: the last octet of \"\(text)\" is before the first" }
}
