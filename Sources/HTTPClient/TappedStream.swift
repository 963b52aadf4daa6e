import Transport

/// A stream whose octets are told to a tap. Nothing is spliced: what stays in the kernel cannot be told.
@NetworkActor
final class TappedStream: ByteStream {
    private let stream: any ByteStream
    private let tap: any ConnectionTap
    /// Something came that nobody has received: it is told when the stream is closed.
    private var hasUnreadInput = false
    private var isOver = false
    private var isClosed = false
    // Most octets that are looked at on closing: whoever sends without end is not listened to for ever.
    private static let farewell = 256 << 10

    init(_ stream: any ByteStream, tap: any ConnectionTap) {
        self.stream = stream
        self.tap = tap
    }

    var remoteAddress: SocketAddress? { stream.remoteAddress }
    var localAddress: SocketAddress? { stream.localAddress }

    func receive(
        into buffer: ReceiveBuffer, atMost limit: Int, until deadline: Deadline
    ) async throws(TransportError) -> Int {
        do throws(TransportError) {
            let count = try await stream.receive(into: buffer, atMost: limit, until: deadline)
            note(count, in: buffer)
            return count
        } catch {
            note(error)
            throw error
        }
    }

    func receiveAtHand(into buffer: ReceiveBuffer, atMost limit: Int) throws(TransportError) -> Int? {
        do throws(TransportError) {
            let count = try stream.receiveAtHand(into: buffer, atMost: limit)
            if let count { note(count, in: buffer) }
            return count
        } catch {
            note(error)
            throw error
        }
    }

    func send(
        _ octets: [UInt8], from offset: Int, until deadline: Deadline
    ) async throws(TransportError) -> SendResult {
        do throws(TransportError) {
            let result = try await stream.send(octets, from: offset, until: deadline)
            switch result {
            case .sent(let end), .peerSpeaks(let end):
                if end > offset { tap.sent(octets[offset..<end]) }
            }
            return result
        } catch {
            note(error)
            throw error
        }
    }

    func sendAtOnce(_ octets: [UInt8]) {
        tap.sent(octets[...])
        stream.sendAtOnce(octets)
    }

    var canSplice: Bool { false }

    func splice(
        to target: Int32, at offset: Int64?, atMost count: UInt64, until deadline: Deadline
    ) async throws(TransportError) -> SpliceResult {
        .refused(moved: 0, leftover: [])
    }

    var isQuiet: Bool {
        let isQuiet = stream.isQuiet
        if !isQuiet { hasUnreadInput = true }
        return isQuiet
    }

    var mayHaveInput: Bool { stream.mayHaveInput }

    func expectBulk(_ octets: UInt64) { stream.expectBulk(octets) }

    func close() {
        if !isClosed {
            isClosed = true
            if hasUnreadInput { takeLeave() }
            tap.closed()
        }
        stream.close()
    }

    /// What made the client give the connection up is part of what happened on it.
    private func takeLeave() {
        guard let buffer = try? ReceiveBuffer() else { return }
        var rest = TappedStream.farewell
        while rest > 0, !isOver, let count = try? receiveAtHand(into: buffer, atMost: rest), count > 0 {
            buffer.consume(count)
            rest -= count
        }
    }

    /// The last `count` octets of the buffer have just arrived.
    private func note(_ count: Int, in buffer: ReceiveBuffer) {
        hasUnreadInput = false
        guard count > 0 else {
            if !isOver { tap.ended() }
            isOver = true
            return
        }
        buffer.read { tap.received($0.extracting(last: count)) }
    }

    private func note(_ error: TransportError) {
        switch error.reason {
        case .timedOut, .cancelled, .closed: break
        default:
            if !isOver { tap.broke(error) }
            isOver = true
        }
    }
}
