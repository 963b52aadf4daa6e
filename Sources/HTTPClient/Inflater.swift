import CZlib

/// Undoes one coding, piece by piece, with zlib.
final class Inflater {
    /// Why octets are not what their coding says.
    enum Failure: Error, Hashable {
        /// zlib's words.
        case invalid(String)
        /// Something follows the last member.
        case trailingOctets
        /// The end came before the stream's own.
        case truncated
        case outOfMemory
    }

    /// Octets decoded at a time.
    static let portion = 64 << 10

    private let coding: ContentCoding
    // Safety: zlib's state points back to its stream, which must therefore not move; freed in `deinit`.
    private let stream: UnsafeMutablePointer<z_stream>
    private var isOpen = false
    /// A fault behind octets that were good: they are handed out first.
    private var failure: Failure?
    /// The last call filled its room: there may be more without further input.
    private(set) var mayHaveOutput = false
    /// A member has come to its end.
    private var hasEnded = false
    private var hasBegun = false
    /// Zeros behind the last member are padding, as gzip(1) takes them.
    private var isPadding = false
    /// The first two octets of a deflate stream, which show whether it has a zlib header; and how many are used.
    private var head: [UInt8] = []
    private var usedOfHead = 0

    init(_ coding: ContentCoding) {
        self.coding = coding
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
    }

    deinit {
        if isOpen { inflateEnd(stream) }
        stream.deinitialize(count: 1)
        stream.deallocate()
    }

    /// Decodes `input[offset...]` as far as `room` reaches. Returns how many octets it put there; none means that all input
    /// is used. What was decoded before a fault is returned first, the fault is thrown by the next call.
    func decode(
        _ input: [UInt8], at offset: inout Int, into room: UnsafeMutableBufferPointer<UInt8>
    ) throws(Failure) -> Int {
        if let failure { throw failure }
        var produced = 0
        do throws(Failure) { try decode(input, &offset, room, &produced) } catch {
            guard produced > 0 else { throw error }
            failure = error
        }
        return produced
    }

    private func decode(
        _ input: [UInt8], _ offset: inout Int, _ room: UnsafeMutableBufferPointer<UInt8>,
        _ produced: inout Int
    ) throws(Failure) {
        guard try begin(with: input, &offset) else { return }
        while produced < room.count, offset < input.count || usedOfHead < head.count || mayHaveOutput {
            if hasEnded || isPadding {
                guard try beginNextMember(input, &offset) else { break }
            }
            let code =
                usedOfHead < head.count
                ? step(head, &usedOfHead, room, &produced) : step(input, &offset, room, &produced)
            switch code {
            case Z_OK: break
            case Z_STREAM_END:
                hasEnded = true
                mayHaveOutput = false
            // Nothing could be done: more input is needed.
            case Z_BUF_ERROR: mayHaveOutput = false
            case Z_MEM_ERROR: throw .outOfMemory
            default: throw .invalid(words(for: code))
            }
        }
    }

    /// The content has come to its end. Throws `truncated` where the stream has not.
    func end() throws(Failure) {
        if let failure { throw failure }
        guard hasEnded || isPadding || (!hasBegun && head.isEmpty) else { throw .truncated }
    }

    /// Starts the inflater as soon as the format is known. False while it is not.
    private func begin(with input: [UInt8], _ offset: inout Int) throws(Failure) -> Bool {
        guard !hasBegun else { return true }
        var windowBits: Int32 = 15 + 16
        if coding == .deflate {
            while head.count < 2, offset < input.count {
                head.append(input[offset])
                offset += 1
            }
            guard head.count == 2 else { return false }
            // RFC 1950, section 2.2: method 8, and a check that makes both octets a multiple of 31. No compressor makes a
            // bare stream begin so.
            let hasHeader = head[0] & 0x0F == 8 && (Int(head[0]) << 8 + Int(head[1])) % 31 == 0
            windowBits = hasHeader ? 15 : -15
        }
        guard czlib_inflate_init(stream, windowBits) == Z_OK else { throw .outOfMemory }
        isOpen = true
        hasBegun = true
        return true
    }

    private func step(
        _ input: [UInt8], _ offset: inout Int, _ room: UnsafeMutableBufferPointer<UInt8>,
        _ produced: inout Int
    ) -> Int32 {
        let output = UnsafeMutableBufferPointer(rebasing: room[produced...])
        let code = input.withUnsafeBufferPointer { octets in
            // Safety: zlib reads from `next_in` although it is not const, and keeps neither pointer past the call.
            let unread = UnsafeBufferPointer(rebasing: octets[offset...])
            stream.pointee.next_in = UnsafeMutablePointer(mutating: unread.baseAddress)
            stream.pointee.avail_in = UInt32(clamping: unread.count)
            stream.pointee.next_out = output.baseAddress
            stream.pointee.avail_out = UInt32(clamping: output.count)
            let code = inflate(stream, Z_NO_FLUSH)
            offset += Int(UInt32(clamping: unread.count) - stream.pointee.avail_in)
            produced += Int(UInt32(clamping: output.count) - stream.pointee.avail_out)
            return code
        }
        mayHaveOutput = stream.pointee.avail_out == 0
        return code
    }

    private func words(for code: Int32) -> String {
        // Safety: zlib's messages are constant texts.
        if let message = stream.pointee.msg { return String(cString: message) }
        return code == Z_NEED_DICT ? "a preset dictionary is needed" : "error \(code)"
    }

    // MARK: Members

    /// Behind the end of a member: another one begins (RFC 1952, section 2.2), or zeros pad the rest. False when no
    /// input is left.
    private func beginNextMember(_ input: [UInt8], _ offset: inout Int) throws(Failure) -> Bool {
        guard coding == .gzip else { throw .trailingOctets }
        if isPadding || input[offset] == 0 {
            isPadding = true
            while offset < input.count, input[offset] == 0 { offset += 1 }
            guard offset == input.count else { throw .trailingOctets }
            return false
        }
        guard input[offset] == 0x1F else { throw .trailingOctets }
        guard inflateReset(stream) == Z_OK else { throw .invalid("the state of the inflater is broken") }
        hasEnded = false
        return true
    }
}
