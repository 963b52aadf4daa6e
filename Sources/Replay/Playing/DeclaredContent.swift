/// How the head of a request says what content it has (RFC 9112, section 6.3).
enum DeclaredContent: Hashable {
    case none
    case length(UInt64)
    case chunked
    /// It contradicts itself or is no number.
    case unreadable(String)

    init(head: [UInt8]) {
        let request = RecordedRequest(connection: 0, head: head)
        let codings = request.values(of: "Transfer-Encoding").joined(separator: ",")
        if !codings.isEmpty {
            let last = codings.split(separator: ",").last.map { $0.filter { $0 != " " && $0 != "\t" } }
            self =
                last?.lowercased() == "chunked"
                ? .chunked : .unreadable("Transfer-Encoding: \(codings), of which chunked is not the last")
            return
        }
        let lengths = request.values(of: "Content-Length")
        guard let first = lengths.first else {
            self = .none
            return
        }
        if let length = UInt64(first), first.utf8.allSatisfy({ 0x30...0x39 ~= $0 }),
            lengths.allSatisfy({ $0 == first })
        {
            self = length == 0 ? .none : .length(length)
        } else {
            self = .unreadable("Content-Length: \(lengths.joined(separator: ", "))")
        }
    }
}

/// Reads the content of a request out of its body, without any strictness about what chunks say besides their size.
struct ContentReader {
    /// Why content could not be read to its end.
    enum Failure: Error {
        /// No more octets come.
        case ended
        /// The chunked coding is broken here.
        case malformed(String)
    }

    private enum State {
        case counted(UInt64)
        case chunkSize
        case chunk(UInt64)
        case chunkEnd
        case trailers
        case end
    }

    private var state: State

    init(_ declared: DeclaredContent) {
        switch declared {
        case .none, .unreadable: state = .end
        case .length(let length): state = .counted(length)
        case .chunked: state = .chunkSize
        }
    }

    /// The next octets of content, at most so many; none at the end. `more` waits for octets of the body.
    mutating func next(
        _ wanted: Int, of input: inout ReceivedOctets, more: (inout ReceivedOctets) -> Bool
    ) throws(Failure) -> [UInt8] {
        while true {
            switch state {
            case .end: return []
            case .counted(let left):
                let octets = try some(min(left, UInt64(wanted)), of: &input, more: more)
                let rest = left - UInt64(octets.count)
                state = rest == 0 ? .end : .counted(rest)
                return octets
            case .chunk(let left):
                let octets = try some(min(left, UInt64(wanted)), of: &input, more: more)
                let rest = left - UInt64(octets.count)
                state = rest == 0 ? .chunkEnd : .chunk(rest)
                return octets
            case .chunkSize: state = try chunkState(of: line(of: &input, more: more))
            case .chunkEnd:
                let line = try line(of: &input, more: more)
                guard line.isEmpty else {
                    throw .malformed("octets behind a chunk: \(VisibleOctets.quoted(line))")
                }
                state = .chunkSize
            case .trailers:
                if try line(of: &input, more: more).isEmpty { state = .end }
            }
        }
    }

    private func some(
        _ wanted: UInt64, of input: inout ReceivedOctets, more: (inout ReceivedOctets) -> Bool
    ) throws(Failure) -> [UInt8] {
        while input.isEmpty { guard more(&input) else { throw .ended } }
        return input.take(Int(clamping: wanted))
    }

    /// A line without its end, which may be bare.
    private func line(
        of input: inout ReceivedOctets, more: (inout ReceivedOctets) -> Bool
    ) throws(Failure) -> [UInt8] {
        while true {
            if let end = input.offset(of: UInt8(ascii: "\n")) {
                let line = input.take(end + 1).dropLast()
                return Array(line.last == UInt8(ascii: "\r") ? line.dropLast() : line)
            }
            guard input.count < 65_536 else { throw .malformed("a line of more than 65536 octets") }
            guard more(&input) else { throw .ended }
        }
    }

    private func chunkState(of line: [UInt8]) throws(Failure) -> State {
        let digits = line.prefix { octet in Unicode.Scalar(octet).properties.isASCIIHexDigit }
        guard let size = UInt64(String(decoding: digits, as: UTF8.self), radix: 16) else {
            throw .malformed("a chunk's size is no number: \(VisibleOctets.quoted(line))")
        }
        return size == 0 ? .trailers : .chunk(size)
    }
}
