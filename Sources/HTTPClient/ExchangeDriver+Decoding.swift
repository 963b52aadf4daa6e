import System
import Transport

// Content whose codings are undone while it comes.
extension ExchangeDriver {
    /// Passes on all that the decoder can make of what it was given.
    func decode() async throws(TransferError) {
        guard let decoder else { return }
        while true {
            var count = 0
            let progress = try decoder.next { (octets) throws(TransferError) -> SinkDemand in
                count = octets.count
                try checkLimit(decoder.decoded)
                return try transfer.sink.write(octets)
            }
            switch progress {
            case .needsInput: return
            case .working: await NetworkActor.loop.yield()
            case .decoded(.pause):
                transfer.pause()
                try await waitWhilePaused()
            case .decoded(.more):
                if isTurnOver(count) { await NetworkActor.loop.yield() }
            }
            try checkWhetherToGoOn()
        }
    }
}
