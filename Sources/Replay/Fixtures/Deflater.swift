import CZlib

/// Codes content, part by part, with zlib. The same content is always coded the same: gzip's head has no time.
final class Deflater {
    private let output: UnsafeMutableBufferPointer<UInt8>
    // Safety: zlib's state points back to its stream, which must therefore not move; both are freed in `deinit`.
    private let stream: UnsafeMutablePointer<z_stream>

    init(_ coding: FixtureContent.Coding) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        output = .allocate(capacity: FixtureContent.mostOfPart)
        output.initialize(repeating: 0)
        let windowBits: Int32 =
            switch coding {
            case .gzip: 15 + 16
            case .zlib: 15
            case .deflate: -15
            }
        // It fails without memory alone, for which there is no remedy here.
        let code = czlib_deflate_init(stream, windowBits)
        precondition(code == Z_OK, "zlib cannot start: error \(code)")
    }

    deinit {
        deflateEnd(stream)
        stream.deinitialize(count: 1)
        stream.deallocate()
        output.deallocate()
    }

    /// Codes a part and hands what comes of it to `body`, which says whether it wants more. False when it did not.
    func code<Failure: Error>(
        _ part: [UInt8], isLast: Bool, _ body: ([UInt8]) throws(Failure) -> Bool
    ) throws(Failure) -> Bool {
        var used = 0
        while true {
            let (coded, isFull) = step(part, &used, isLast: isLast)
            if !coded.isEmpty, try !body(coded) { return false }
            // Room is left only when all input is used, and at the end all output made.
            if !isFull { return true }
        }
    }

    private func step(_ part: [UInt8], _ used: inout Int, isLast: Bool) -> (coded: [UInt8], isFull: Bool) {
        part.withUnsafeBufferPointer { octets in
            // Safety: zlib reads from `next_in` although it is not const, and keeps neither pointer past the call.
            let unread = UnsafeBufferPointer(rebasing: octets[used...])
            stream.pointee.next_in = UnsafeMutablePointer(mutating: unread.baseAddress)
            stream.pointee.avail_in = UInt32(clamping: unread.count)
            stream.pointee.next_out = output.baseAddress
            stream.pointee.avail_out = UInt32(clamping: output.count)
            deflate(stream, isLast ? Z_FINISH : Z_NO_FLUSH)
            used += Int(UInt32(clamping: unread.count) - stream.pointee.avail_in)
            let made = output.count - Int(stream.pointee.avail_out)
            return (Array(output[..<made]), stream.pointee.avail_out == 0)
        }
    }
}
