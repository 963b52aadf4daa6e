import Download
import Glibc
import System
import Transport

/// Standard output, to which answers are written while the loop does other work.
@NetworkActor
final class BatchOutput {
    /// Why nothing more can be written.
    enum Failure: Error, Hashable, Sendable {
        case cancelled
        /// The reader has gone away.
        case closed
        case system(SystemError)
    }

    private let output: DescriptorOutput

    init(_ descriptor: Int32) { output = DescriptorOutput(descriptor) }

    /// Writes all of `octets`, as fast as they are taken.
    func write(_ octets: [UInt8]) async throws(Failure) {
        do throws(SystemError) {
            if try output.write(octets.span) { return }
        } catch {
            throw BatchOutput.failure(error)
        }
        do throws(TransportError) { try await output.flush(until: .never) } catch {
            if case .targetFailed(let cause) = error.reason { throw BatchOutput.failure(cause) }
            throw .cancelled
        }
    }

    private static func failure(_ error: SystemError) -> Failure {
        error.errno == EPIPE ? .closed : .system(error)
    }
}
