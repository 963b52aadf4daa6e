import HTTPClient
import HTTPMessage
import System
import Transport

/// Content for a receiver on another thread, piece by piece, through a bounded buffer: while that is full nothing is read,
/// so that the sender is held up and memory stays flat.
@NetworkActor
final class FeedTarget: LoadTarget {
    /// What the two threads share.
    private struct Buffer {
        var pieces: [[UInt8]] = []
        var held = 0
        /// A call that delivers what is held is on its way.
        var isCalling = false
    }

    /// Octets held before reading stops; 1 MiB.
    nonisolated static let capacity = ContentStream.capacity
    /// Pieces smaller than this are joined.
    private nonisolated static let smallPiece = 64 << 10

    private let buffer = Lock(Buffer())
    private let order: CallOrder
    private let deliver: @Sendable ([UInt8]) -> Void
    /// Held while the buffer is full.
    weak var load: Load?

    /// A target whose pieces `deliver` gets, in `order`.
    init(_ order: CallOrder, deliver: @escaping @Sendable ([UInt8]) -> Void) {
        self.order = order
        self.deliver = deliver
    }

    func begin(_ response: HTTPResponse, length: UInt64?) {}

    func write(_ content: Span<UInt8>) -> SinkDemand {
        let (held, mustCall) = buffer.withLock { buffer in
            if let last = buffer.pieces.last, last.count < FeedTarget.smallPiece {
                buffer.pieces[buffer.pieces.count - 1].append(copying: content)
            } else {
                var piece: [UInt8] = []
                piece.append(copying: content)
                buffer.pieces.append(piece)
            }
            buffer.held += content.count
            defer { buffer.isCalling = true }
            return (buffer.held, !buffer.isCalling)
        }
        if mustCall { order.appendRepeated { [self] in deliverAll() } }
        return held > FeedTarget.capacity ? .pause : .more
    }

    /// What a receiver has got it keeps.
    var canBeginAnew: Bool { false }

    /// Hands on what is held, on the receiver's thread. Returns whether that is all for now; what came meanwhile goes
    /// before all calls that were handed over since.
    private nonisolated func deliverAll() -> Bool {
        let pieces = buffer.withLock { buffer in
            defer { buffer.pieces = [] }
            return buffer.pieces
        }
        for piece in pieces {
            deliver(piece)
            let (before, after) = buffer.withLock { buffer in
                buffer.held -= piece.count
                return (buffer.held + piece.count, buffer.held)
            }
            let half = FeedTarget.capacity / 2
            guard before > half, after <= half else { continue }
            NetworkActor.loop.call { [self] in NetworkActor.assumeIsolated { load?.isHeldUp = false } }
        }
        return buffer.withLock { buffer in
            buffer.isCalling = !buffer.pieces.isEmpty
            return !buffer.isCalling
        }
    }
}
