import Glibc
import HTTPMessage
import System
import Transport

/// Writes to a descriptor that somebody else opened, and never blocks the loop: what a full pipe does not take is held
/// until it does.
@NetworkActor
final class DescriptorOutput {
    /// What is written to.
    private let number: Int32
    /// The same pipe or terminal, opened once more so that it never blocks. The lent descriptor stays as it is: it may
    /// be shared with other programs.
    private let own: FileDescriptor?
    private var held: [UInt8] = []

    /// Takes `descriptor` for writing; it stays its owner's.
    init(_ descriptor: Int32) {
        let isSpecial = (try? File.status(of: descriptor))?.kind == .special
        // Where it cannot be opened again (a socket, no /proc), writing may block.
        let opened =
            isSpecial
            ? try? File.open(
                "/proc/self/fd/\(descriptor)", in: File.workingDirectory,
                flags: O_WRONLY | O_NONBLOCK | O_NOCTTY)
            : nil
        switch consume opened {
        case .some(let opened):
            number = opened.rawValue
            own = consume opened
        case nil:
            number = descriptor
            own = nil
        }
    }

    /// Whether everything has been written.
    var isFlushed: Bool { held.isEmpty }

    /// Writes `octets`, or holds them behind what is held. Answers whether everything has been written.
    func write(_ octets: Span<UInt8>) throws(SystemError) -> Bool {
        guard own != nil else {
            try File.write(octets, to: number)
            return true
        }
        if held.isEmpty {
            let count = try File.writeSome(octets, to: number)
            if count < octets.count { held.append(copying: octets.extracting(droppingFirst: count)) }
        } else {
            held.append(copying: octets)
        }
        return held.isEmpty
    }

    /// Waits until everything has been written. Throws `timedOut`, `cancelled`, and `targetFailed`.
    func flush(until deadline: Deadline) async throws(TransportError) {
        var written = 0
        defer { held.removeFirst(written) }
        while written < held.count {
            try await DescriptorWatch.writable(number, until: deadline)
            do throws(SystemError) {
                written += try File.writeSome(held.span.extracting(droppingFirst: written), to: number)
            } catch {
                throw TransportError(.targetFailed(error))
            }
        }
    }
}
