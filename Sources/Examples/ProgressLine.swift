import Rawget

/// One download as a screen would show it, on a line: each quarter that it reaches, with two decimals, and what became of
/// it (D25).
final class ProgressLine: @unchecked Sendable {
    // Safety: a style calls back one call at a time, and the line is read behind the last call.

    /// What there is to show.
    private(set) var text = "downloading"
    private var quarters = 0

    /// How far it is now. Of an unknown total there is no fraction.
    func show(_ progress: TransferProgress) {
        switch progress.state {
        case .downloading:
            let reached = progress.isWhole ? 3 : Int((progress.fraction ?? 0) * 4)
            guard reached > quarters, let percent = progress.percentText else { return }
            quarters = reached
            text += " \(percent)"
        case .finished, .failed, .cancelled:
            text +=
                ", \(progress.state) \(progress.percentText ?? "\(progress.received) octets of an unknown total")"
        }
    }

    /// The same as most styles tell it: octets so far, and in all, -1 where nobody knows.
    func show(_ received: Int64, of expected: Int64, _ state: TransferProgress.State = .downloading) {
        show(
            TransferProgress(
                received: UInt64(received), expected: expected < 0 ? nil : UInt64(expected), state: state))
    }
}
