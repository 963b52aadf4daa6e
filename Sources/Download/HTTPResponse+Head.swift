public import HTTPMessage

extension HTTPResponse {
    /// Status code and reason, as in `404 Not Found`.
    public var statusText: String { reason.isEmpty ? "\(status)" : "\(status) \(reason)" }

    /// How many `headOctets` are.
    package var headOctetCount: Int {
        guard version != .http09 else { return 0 }
        guard receivedOctets.isEmpty else { return receivedOctets.count }
        let reasonCount = reason.isEmpty ? 0 : reason.unicodeScalars.count + 1
        return "\(version) \(status)".utf8.count + reasonCount + 2 + fields.lineOctetCount + 2
    }

    /// The head as octets: status line, field lines, empty line; as they came, where they were kept. HTTP/0.9 has none.
    package var headOctets: [UInt8] {
        guard version != .http09 else { return [] }
        guard receivedOctets.isEmpty else { return receivedOctets }
        var octets = Array("\(version) \(status)".utf8)
        if !reason.isEmpty {
            octets.append(0x20)
            octets.append(contentsOf: reason.latin1Octets ?? [])
        }
        octets.append(contentsOf: "\r\n".utf8)
        fields.appendLines(to: &octets)
        octets.append(contentsOf: "\r\n".utf8)
        return octets
    }
}
