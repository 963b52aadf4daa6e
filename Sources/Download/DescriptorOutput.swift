import Glibc
import HTTPMessage
package import System
package import Transport

/// Writes to a descriptor that somebody else opened, and never blocks the loop: what a full pipe does not take is held
/// until it does.
@NetworkActor
package final class DescriptorOutput {
    /// What is written to.
    private let number: Int32
    /// The same pipe or terminal, opened once more so that it never blocks. The lent descriptor stays as it is: it may
    /// be shared with other programs.
    private let own: FileDescriptor?
    /// What was not taken at once, and how much of it has been written since.
    private var held: [UInt8] = []
    private var written = 0

    /// Takes `descriptor` for writing; it stays its owner's.
    package init(_ descriptor: Int32) {
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
    var isFlushed: Bool { written == held.count }

    /// Writes `octets`, or holds them behind what is held. Answers whether everything has been written.
    package func write(_ octets: Span<UInt8>) throws(SystemError) -> Bool {
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

    private func writeHeld() throws(SystemError) {
        let octets = held
        written += try File.writeSome(octets.span.extracting(droppingFirst: written), to: number)
        guard isFlushed else { return }
        held = []
        written = 0
    }

    /// Waits until everything has been written. Throws `timedOut`, `cancelled`, and `targetFailed`.
    package func flush(until deadline: Deadline) async throws(TransportError) {
        while !isFlushed {
            try await DescriptorWatch.writable(number, until: deadline)
            // Counted at once: another flush may follow one that was cancelled.
            do throws(SystemError) { try writeHeld() } catch { throw TransportError(.targetFailed(error)) }
        }
    }
}
