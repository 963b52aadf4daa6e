import HTTPWire
import System
import Transport

// Content that nobody needs to see goes from socket to file inside the kernel.
extension ExchangeDriver {
    /// Moves plain content past the process where stream and sink allow it. False when they do not.
    func splice() async throws(TransferError) -> Bool {
        let remaining = exchange.skippableContent
        guard remaining > 0, response != nil else { return false }
        let stream = connection.stream
        if isBulk, remaining < .max, pacer == nil { stream.expectBulk(remaining) }
        // Content without a declared length could pass a limit unseen.
        let isLimited = transfer.options.maximumContentLength != nil && remaining == .max
        guard !spliceIsRefused, !isLimited, decoder == nil, !(stage?.isRecording ?? false), stream.canSplice,
            let target = transfer.sink.spliceTarget
        else {
            return false
        }
        let result: SpliceResult
        do throws(TransportError) {
            result = try await stream.splice(
                to: target.descriptor, at: target.offset,
                atMost: min(remaining, pacer.map { UInt64($0.portion) } ?? .max), until: deadline)
        } catch {
            if isTimeToCheckSpeed(error) { return true }
            if try await wasHeld(error) { return true }
            throw failure(error, during: phase)
        }
        switch result {
        case .moved(let count):
            try didSplice(count)
            noteProgress(count)
            pacer?.count(count, at: .now)
            if isTurnOver(count) { await NetworkActor.loop.yield() }
        case .endOfStream:
            if transfer.isPaused { try await waitWhilePaused() }
            try endOfStream()
        case .refused(let moved, let leftover):
            spliceIsRefused = true
            if moved > 0 { try didSplice(moved) }
            guard moved > 0 || !leftover.isEmpty else { return false }
            exchange.skipContent(UInt64(leftover.count))
            try countContent(leftover.count)
            if try transfer.sink.write(leftover.span) == .pause { transfer.pause() }
        }
        // What is in the file is counted; that it is all is told when the transfer goes on.
        if transfer.isPaused { try await waitWhilePaused() }
        // Content of a declared length may be whole now: the machine says so without more input.
        if exchange.skippableContent == 0 { try await readEvents() }
        return true
    }

    private func didSplice(_ count: Int) throws(TransferError) {
        exchange.skipContent(UInt64(count))
        try countContent(count)
        try transfer.sink.didSplice(count)
    }
}
