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

extension DeclaredContent {
    /// What a client must not say about the length of its content, though it can be read (RFC 9112, sections 6.1 and
    /// 6.2; RFC 9110, section 5.3), for people, behind "the head has".
    static func faults(ofHead head: [UInt8]) -> [String] {
        let request = RecordedRequest(connection: 0, head: head)
        let lengths = request.values(of: "Content-Length").count
        let codings = request.values(of: "Transfer-Encoding").flatMap { $0.split(separator: ",") }
        let chunked = codings.count { $0.filter { $0 != " " && $0 != "\t" }.lowercased() == "chunked" }
        var faults: [String] = []
        if !codings.isEmpty {
            if lengths > 0 { faults.append("Content-Length beside Transfer-Encoding") }
            if request.version == "HTTP/1.0" {
                faults.append("Transfer-Encoding, which HTTP/1.0 does not know")
            }
        }
        if lengths > 1 { faults.append("Content-Length \(lengths) times") }
        if chunked > 1 { faults.append("the transfer coding chunked \(chunked) times") }
        return faults
    }
}

/// Reads the content of a request out of its body, as far as it can be read. What is wrong with it all the same is kept.
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
    /// The first thing that RFC 9112, section 7.1, forbids to send, for people.
    private(set) var fault: String?

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
                let line = try line(of: &input, more: more)
                if line.isEmpty {
                    state = .end
                } else if !HeadLine.isFieldLine(line) {
                    note("a trailer line is no field line", line)
                }
            }
        }
    }

    private mutating func note(_ what: String, _ line: [UInt8]) {
        if fault == nil { fault = "\(what): \(VisibleOctets.quoted(line, limit: 200))" }
    }

    private func some(
        _ wanted: UInt64, of input: inout ReceivedOctets, more: (inout ReceivedOctets) -> Bool
    ) throws(Failure) -> [UInt8] {
        while input.isEmpty { guard more(&input) else { throw .ended } }
        return input.take(Int(clamping: wanted))
    }

    /// A line without its end, which may be bare.
    private mutating func line(
        of input: inout ReceivedOctets, more: (inout ReceivedOctets) -> Bool
    ) throws(Failure) -> [UInt8] {
        while true {
            if let end = input.offset(of: UInt8(ascii: "\n")) {
                let line = input.take(end + 1).dropLast()
                guard line.last == UInt8(ascii: "\r") else {
                    note("a line does not end with CR LF", Array(line))
                    return Array(line)
                }
                return Array(line.dropLast())
            }
            guard input.count < 65_536 else { throw .malformed("a line of more than 65536 octets") }
            guard more(&input) else { throw .ended }
        }
    }

    private mutating func chunkState(of line: [UInt8]) throws(Failure) -> State {
        let digits = line.prefix { octet in Unicode.Scalar(octet).properties.isASCIIHexDigit }
        guard let size = UInt64(String(decoding: digits, as: UTF8.self), radix: 16) else {
            throw .malformed("a chunk's size is no number: \(VisibleOctets.quoted(line))")
        }
        if !ContentReader.areExtensions(line.dropFirst(digits.count)) {
            note("a chunk's size stands before no chunk extension", line)
        }
        return size == 0 ? .trailers : .chunk(size)
    }

    // chunk-ext = *( BWS ";" BWS chunk-ext-name [ BWS "=" BWS chunk-ext-val ] )
    // chunk-ext-name = token
    // chunk-ext-val = token / quoted-string
    // Nobody may send BWS (RFC 9110, section 5.6.3).
    private static func areExtensions(_ octets: ArraySlice<UInt8>) -> Bool {
        var rest = octets
        func takeToken() -> Bool {
            let token = rest.prefix(while: FixtureParser.isTokenOctet)
            rest = rest.dropFirst(token.count)
            return !token.isEmpty
        }
        while rest.first == UInt8(ascii: ";") {
            rest = rest.dropFirst()
            guard takeToken() else { return false }
            guard rest.first == UInt8(ascii: "=") else { continue }
            rest = rest.dropFirst()
            guard rest.first == UInt8(ascii: "\"") else {
                guard takeToken() else { return false }
                continue
            }
            guard let behind = quotedStringEnd(rest) else { return false }
            rest = rest[behind...]
        }
        return rest.isEmpty
    }

    /// Where the quoted string ends that the octets begin with (RFC 9110, section 5.6.4); `nil`: it does not, or holds a
    /// control octet.
    private static func quotedStringEnd(_ octets: ArraySlice<UInt8>) -> Int? {
        var isEscaped = false
        for index in octets.indices.dropFirst() {
            let octet = octets[index]
            guard octet == 0x09 || octet >= 0x20 && octet != 0x7F else { return nil }
            if isEscaped {
                isEscaped = false
            } else if octet == UInt8(ascii: "\"") {
                return index + 1
            } else {
                isEscaped = octet == UInt8(ascii: "\\")
            }
        }
        return nil
    }
}
