import HTTPMessage
import HTTPWire
import System
import Transport

extension TransferError {
    /// What a stream reports, in the words of a transfer to `host`.
    init(_ error: TransportError, host: String, during phase: Phase, progress: String? = nil) {
        let suffix = progress.map { "; \($0)" } ?? ""
        switch error.reason {
        case .notResolved(let words):
            self.init(.notResolved, during: .resolve, "could not find the address of \(host): \(words)")
        case .notConnected(let attempts):
            // An address that stands in the URI itself is not said twice.
            let list =
                if let only = attempts.first, attempts.count == 1, host.hasPrefix("\(only.address.host) ") {
                    only.failure.description
                } else {
                    attempts.map(\.description).joined(separator: "; ")
                }
            self.init(
                .couldNotConnect, during: .connect, "could not connect to \(host): \(list)",
                errno: error.errno)
        case .notPermitted:
            self.init(
                .offline, during: .connect,
                "every way to \(host) leads over a network that may not be used")
        case .notBound(let words):
            self.init(
                .interfaceFailed, during: .connect, "could not begin a connection to \(host): \(words)")
        case .timedOut(let limit, let duration):
            let time = duration.inSeconds.formattedSeconds
            let what =
                switch limit {
                case .resolve: "the address of \(host) was not found within \(time)"
                case .connect: "no connection to \(host) within \(time)"
                case .total: "the transfer from \(host) was not done within \(time)"
                case .idle, .none: "\(host) was silent for \(time)"
                case .speed: "the transfer from \(host) was too slow for \(time)"
                }
            self.init(.timedOut, during: phase, what + suffix)
            cause =
                switch limit {
                case .resolve: .resolveTime
                case .connect: .connectTime
                case .total: .totalTime
                case .idle, .none: .silence
                case .speed: .speed
                }
        case .cancelled, .closed:
            self.init(.cancelled, during: phase, "cancelled")
        case .sendFailed(let cause):
            self.init(
                .sendFailed, during: .send, "sending to \(host) failed: \(cause.explanation)\(suffix)",
                errno: cause.errno)
        case .receiveFailed(let cause):
            self.init(
                .receiveFailed, during: phase, "receiving from \(host) failed: \(cause.explanation)\(suffix)",
                errno: cause.errno)
        case .tlsFailed(let failure): self.init(failure, host: host, during: phase, suffix: suffix)
        case .cutShort:
            self.init(
                .receiveFailed, during: phase,
                "\(host) cut the connection without the end that TLS has (close_notify): something may be missing"
                    + suffix)
        case .targetFailed(let cause):
            self.init(
                .writeFailed, during: .store, "writing failed: \(cause.explanation)", errno: cause.errno)
        case .systemFailed(let cause):
            self.init(
                cause.errno == 12 ? .outOfMemory : .couldNotConnect, during: phase, "\(cause)",
                errno: cause.errno)
        }
    }
}

extension TransferError {
    /// What TLS reports. "It" in a failure's words is the host.
    private init(_ failure: TLSFailure, host: String, during phase: Phase, suffix: String) {
        let text = failure.explanation
        switch failure.kind {
        case .handshake:
            self.init(.tlsFailed, during: .tls, "the TLS handshake with \(host) failed: \(text)\(suffix)")
        case .peerCertificate:
            self.init(.peerCertificate, during: .tls, "\(host) did not prove who it is: \(text)")
        case .pinnedKey:
            self.init(.pinnedKey, during: .tls, "\(host) does not have the key expected: \(text)")
        case .clientCertificate: self.init(.clientCertificate, during: .tls, text)
        case .cipher: self.init(.cipher, during: .tls, text)
        case .authorities: self.init(.caFile, during: .tls, text)
        case .broken:
            self.init(.receiveFailed, during: phase, "TLS with \(host) broke: \(text)\(suffix)")
        }
        cause = failure.cause.map { .tls($0) }
    }
}
