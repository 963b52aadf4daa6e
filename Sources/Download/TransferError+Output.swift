import HTTPClient
import System
import Transport

extension TransferError {
    /// Why what was received could not be handed on to a descriptor, which is called `name`.
    init(putting error: TransportError, to name: String) {
        switch error.reason {
        case .targetFailed(let cause): self.init(storing: name, cause)
        case .timedOut(_, let time):
            self.init(
                .timedOut, during: .store,
                "the reader of \(name) did not take everything within \(time.inSeconds.formattedSeconds)")
        default: self.init(.cancelled, during: .store, "cancelled")
        }
    }
}
