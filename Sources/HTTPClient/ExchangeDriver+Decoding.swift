import System
import Transport

// Content whose codings are undone while it comes.
extension ExchangeDriver {
    /// Passes on all that the decoder can make of what it was given.
    func decode() async throws(TransferError) {
        guard let decoder else { return }
        try await transfer.decode(decoder) { (found) throws(TransferError) in
            switch found {
            case .work: await NetworkActor.loop.yield()
            case .pause: try await waitWhilePaused()
            case .portion(let count): if isTurnOver(count) { await NetworkActor.loop.yield() }
            }
            try checkWhetherToGoOn()
        }
    }
}
