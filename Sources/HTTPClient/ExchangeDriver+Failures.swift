import HTTPMessage
import HTTPWire
import Transport

// What goes wrong on the wire, in the words of the transfer.
extension ExchangeDriver {
    /// The origin's name for a person.
    var host: String { "\(request.uri.host) port \(request.uri.effectivePort)" }

    var phase: TransferError.Phase {
        if response != nil { return .content }
        return hasSentAll ? .firstByte : .send
    }

    var progress: String? {
        guard response != nil else { return nil }
        let received = exchange.contentReceived
        return transfer.contentExpected.map { "\(received) of \($0) octets received" }
            ?? "\(received) octets received"
    }

    func failure(_ error: TransportError, during phase: TransferError.Phase) -> TransferError {
        TransferError(error, host: host, during: phase, progress: progress)
    }

    func failure(_ error: WireError) -> TransferError {
        if speaksTLS {
            var failure = TransferError(
                .badResponse, during: .firstByte,
                "\(host) answered with an alert of TLS: use https:// in place of http://")
            failure.cause = .speaksTLS
            return failure
        }
        return switch error.reason {
        case .emptyReply:
            TransferError(.emptyReply, during: .firstByte, "\(host) closed the connection without an answer")
        case .headCut:
            TransferError(
                .receiveFailed, during: .firstByte, "\(host) closed the connection inside the response's head"
            )
        case .contentCut(let missing):
            TransferError(
                .incompleteContent, during: .content,
                missing.map { "content ended \($0) octets short of \(exchange.contentReceived + $0)" }
                    ?? "content ended after \(exchange.contentReceived) octets, before its last chunk")
        case .trailerSectionCut:
            TransferError(
                .incompleteContent, during: .content,
                "content ended after \(exchange.contentReceived) octets, inside its trailer section")
        case _ where response != nil:
            // The coding's own lines and those of a trailer section: what breaks there, breaks the framing.
            TransferError(
                .receiveFailed, during: .content,
                "\(host) sent content that breaks its framing: \(error); \(progress ?? "nothing received")")
        case .notHTTP where request.method != .head:
            TransferError(
                .headMissing, during: .firstByte, "\(host) sent what has no head, as HTTP/0.9: \(error)")
        default:
            TransferError(
                .badResponse, during: .firstByte,
                "\(host) sent what is no valid response: \(error)")
        }
    }
}
