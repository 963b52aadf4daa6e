import Glibc
import HTTPWire
import System
import Transport

/// The lines of standard input, waited for while the loop does other work. The descriptor stays as it is, since other
/// programs may share it.
@NetworkActor
final class BatchInput {
    /// A line, without its LF.
    enum Line: Sendable {
        case octets([UInt8])
        /// It has more than the octets allowed, and is not here.
        case tooLong
    }

    /// Longest line: 16 MiB.
    nonisolated static let longestLine = 16 << 20
    private static let portion = 64 << 10

    private let descriptor: Int32
    private let limit: Int
    /// Whether reading never waits, and the descriptor cannot be waited for.
    private let isFile: Bool
    private var octets: [UInt8] = []
    /// Where the next line begins, and how far its end was looked for.
    private var start = 0
    private var searched = 0
    /// The present line is too long: all of it up to its end is dropped.
    private var isSkipping = false
    private var hasEnded = false

    init(_ descriptor: Int32, limit: Int = BatchInput.longestLine) {
        self.descriptor = descriptor
        self.limit = limit
        isFile = (try? File.status(of: descriptor))?.kind == .regular
    }

    /// The next line, be it without an LF at the end of input; `nil` at the end, and where the task is cancelled.
    func next() async throws(SystemError) -> Line? {
        while true {
            if let line = takeLine() { return line }
            guard !hasEnded, let read = try await read() else { return nil }
            octets.removeSubrange(..<start)
            searched -= start
            start = 0
            hasEnded = read.isEmpty
            octets += read
            // A line without end, of a file or a device that never lets wait, must not keep an interruption waiting.
            await NetworkActor.loop.yield()
        }
    }

    private func takeLine() -> Line? {
        let end = firstIndex(of: 0x0A, in: octets.span, from: searched)
        guard let end = end ?? (hasEnded && (isSkipping || start < octets.count) ? octets.count : nil) else {
            searched = octets.count
            if octets.count - start > limit { isSkipping = true }
            // What is no use is not held.
            if isSkipping || start == octets.count { drop() }
            return nil
        }
        defer {
            isSkipping = false
            start = min(end + 1, octets.count)
            searched = start
            // Room for a long line is not kept for short ones.
            if start == octets.count { drop() }
        }
        guard !isSkipping, end - start <= limit else { return .tooLong }
        return .octets(Array(octets[start..<end]))
    }

    private func drop() {
        octets = []
        start = 0
        searched = 0
    }

    /// What is there, at least one octet; none at the end. `nil`: cancelled.
    private func read() async throws(SystemError) -> [UInt8]? {
        while !Task.isCancelled {
            do throws(SystemError) {
                if isFile || File.isReadable(descriptor) {
                    return try File.readSome(BatchInput.portion, from: descriptor)
                }
            } catch {
                guard error.errno == EAGAIN else { throw error }
            }
            do throws(TransportError) {
                try await DescriptorWatch.readable(descriptor, until: .never)
            } catch {
                guard error.reason == .cancelled else { throw SystemError(call: "epoll_ctl", errno: EPERM) }
            }
        }
        return nil
    }
}
