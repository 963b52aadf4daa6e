import HTTPMessage

/// The members of the fields that concern this connection alone, gathered in one walk over a header section.
struct HopFields: Sendable {
    /// Of Transfer-Encoding; `nil` when there is no such line.
    private(set) var transferCodings: [ArraySlice<UInt8>]?
    /// Of Content-Length; a line without a member counts as an empty one. `nil` when there is no such line.
    private(set) var contentLengths: [ArraySlice<UInt8>]?
    /// Of Connection.
    private(set) var connectionOptions: [ArraySlice<UInt8>] = []

    init(in fields: HTTPFields) {
        for index in 0..<fields.count {
            let name = fields.nameOctets(at: index)
            // The lengths alone tell most other fields apart.
            switch name.count {
            case 10 where name.equalsIgnoringCase("connection"):
                connectionOptions += listMembers(of: fields.valueOctets(at: index))
            case 14 where name.equalsIgnoringCase("content-length"):
                let value = fields.valueOctets(at: index)
                let members = listMembers(of: value)
                contentLengths = (contentLengths ?? []) + (members.isEmpty ? [value] : members)
            case 17 where name.equalsIgnoringCase("transfer-encoding"):
                transferCodings = (transferCodings ?? []) + listMembers(of: fields.valueOctets(at: index))
            default:
                break
            }
        }
    }
}
