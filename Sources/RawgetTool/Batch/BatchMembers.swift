import HTTPClient

/// The members of a line, each of a known name. A value is never shown in a message: it may be a secret.
struct BatchMembers {
    /// All names that a line may have.
    static let names = [
        "id", "method", "url", "headers", "body", "bodyBase64", "cachePolicy", "timeout", "redirect",
        "output",
        "pause", "advance", "clearCache",
    ]

    private var values: [String: JSONValue] = [:]
    /// How many there are, those included that are null.
    let count: Int

    /// The members of an object. Throws where a name is unknown, or stands there twice: then only one of two readers
    /// would see what the other one does (RFC 8259, section 4).
    init(_ members: [JSONValue.Member]) throws(TransferError) {
        count = members.count
        var seen: Set<String> = []
        for member in members {
            guard BatchMembers.names.contains(member.name) else { throw BatchMembers.unknown(member.name) }
            guard seen.insert(member.name).inserted else {
                throw BatchFault.error("\(member.name) stands there twice")
            }
            if member.value != .null { values[member.name] = member.value }
        }
    }

    private static func unknown(_ name: String) -> TransferError {
        // The search is quadratic, and a long name is near to none.
        let nearest = name.utf8.count <= 32 ? NearestName.of(name, among: names) : nil
        let shown = name.unicodeScalars.count > 32 ? "\(String(name.unicodeScalars.prefix(32)))…" : name
        return BatchFault.error(
            "no member is called \"\(shown)\"" + (nearest.map { "; did you mean \($0)?" } ?? ""))
    }

    /// The value of a name; `nil` where it is not there, or null.
    func value(of name: String) -> JSONValue? { values[name] }

    /// The text of a name. Throws where it is something else.
    func text(of name: String) throws(TransferError) -> String? {
        guard let value = values[name] else { return nil }
        guard case .string(let text) = value else { throw BatchMembers.unfit(name, "a string", value) }
        return text
    }

    /// The list of a name. Throws where it is something else.
    func list(of name: String) throws(TransferError) -> [JSONValue] {
        guard let value = values[name] else { return [] }
        guard case .array(let elements) = value else { throw BatchMembers.unfit(name, "an array", value) }
        return elements
    }

    /// The seconds of a name. Throws where it is something else, or out of bounds.
    func seconds(of name: String, in bounds: ClosedRange<Double>) throws(TransferError) -> Duration? {
        guard let value = values[name] else { return nil }
        guard case .number(let text) = value else {
            throw BatchMembers.unfit(name, "a number of seconds", value)
        }
        // No number within bounds needs a hundred digits to be told from its neighbour.
        guard text.utf8.count <= 100, let seconds = Double(text), bounds.contains(seconds) else {
            throw BatchFault.error(
                "\(name): a number of seconds from \(BatchMembers.spelled(bounds.lowerBound)) to "
                    + "\(BatchMembers.spelled(bounds.upperBound)) should stand there")
        }
        return .seconds(seconds)
    }

    private static func spelled(_ bound: Double) -> String {
        Int64(exactly: bound).map { "\($0)" } ?? "\(bound)"
    }

    private static func unfit(_ name: String, _ wanted: String, _ value: JSONValue) -> TransferError {
        BatchFault.error("\(name): \(wanted) should stand there, not \(value.kind)")
    }
}
