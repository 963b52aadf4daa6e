import HTTPClient
import Transport

/// Content of the command line whose length is not told: it is sent in chunks (RFC 9112, section 7.1).
@NetworkActor
final class DataContent: RequestContent {
    private let octets: [UInt8]
    private var offset = 0

    let length: UInt64? = nil

    init(_ octets: [UInt8]) { self.octets = octets }

    func next(atMost limit: Int, until deadline: Deadline) -> [UInt8] {
        let end = offset + min(limit, octets.count - offset)
        defer { offset = end }
        return Array(octets[offset..<end])
    }

    func rewind() -> Bool {
        offset = 0
        return true
    }
}
