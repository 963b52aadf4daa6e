import HTTPClient

/// What one line of a batch asks for.
enum BatchLine: Hashable, Sendable {
    case request(BatchRequest)
    /// Waits.
    case pause(Duration)
    /// Moves the cache's clock, backwards where it is negative.
    case advance(Duration)
    case clearCache

    /// Longest pause and time-out, in seconds: some 31 years.
    static let longestTime = 1e9
    /// Furthest that one line moves the clock, in seconds: some 31,000 years.
    static let furthestAdvance = 1e12

    /// What the line says; `nil` where it has nothing but blanks.
    ///
    /// It is one object; every name is known and stands there once. What is null counts as not given. A line that is no
    /// request has a single member.
    init?(_ octets: [UInt8]) throws(BatchFault) {
        if octets.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { return nil }
        var reader = JSONReader(octets)
        var members: [JSONValue.Member] = []
        do throws(JSONError) {
            try reader.beginObject()
            while let member = try reader.nextMember() { members.append(member) }
        } catch {
            throw BatchFault(BatchLine.id(in: members), "the line is not JSON as it is taken here: \(error)")
        }
        let id = BatchLine.id(in: members)
        do throws(TransferError) {
            self = try BatchLine.read(BatchMembers(members), id)
        } catch {
            throw BatchFault(id: id, error: error)
        }
    }

    /// The id, where there is exactly one; else null.
    private static func id(in members: [JSONValue.Member]) -> JSONValue {
        let ids = members.filter { $0.name == "id" }
        return ids.count == 1 ? ids[0].value : .null
    }

    private static func read(_ members: BatchMembers, _ id: JSONValue) throws(TransferError) -> BatchLine {
        let commands = ["pause", "advance", "clearCache"].filter { members.value(of: $0) != nil }
        guard let command = commands.first else { return .request(try BatchRequest(members, id)) }
        guard members.count == 1 else {
            throw BatchFault.error("\(command) stands in a line of its own, which has no answer")
        }
        switch command {
        case "pause":
            return .pause(try members.seconds(of: command, in: 0...longestTime) ?? .zero)
        case "advance":
            let bounds = -furthestAdvance...furthestAdvance
            return .advance(try members.seconds(of: command, in: bounds) ?? .zero)
        default:
            guard members.value(of: command) == .bool(true) else {
                throw BatchFault.error("clearCache: true should stand there")
            }
            return .clearCache
        }
    }
}

/// A line that cannot be obeyed, with its id where that could be read.
struct BatchFault: Error, Hashable, Sendable {
    var id: JSONValue
    var error: TransferError

    init(id: JSONValue, error: TransferError) {
        self.id = id
        self.error = error
    }

    /// A fault for those words.
    init(_ id: JSONValue, _ words: String) { self.init(id: id, error: BatchFault.error(words)) }

    /// What a line that makes no valid request fails of.
    static func error(_ words: String) -> TransferError {
        TransferError(.badRequest, during: .prepare, words)
    }
}
