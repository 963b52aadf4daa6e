import Download
import HTTPClient
import HTTPMessage

/// What the command line says of going on, trying again and checking.
struct ResumingOptions: Hashable, Sendable {
    /// `-C`.
    var continuation: Continuation?
    /// `--no-resume`.
    var isOff = false
    /// `--resume-overlap`, in octets.
    var overlap: UInt64 = 0
    /// `--chunk-size`, in octets.
    var pieceSize: UInt64?

    /// `--retry`; `nil`: as is the custom.
    var retries: Int?
    /// `--retry-delay`; `nil` and zero: longer and longer.
    var retryDelay: Duration?
    /// `--retry-max-time`; `nil` and zero are no limit.
    var retryTime: Duration?
    /// `--retry-all-errors`.
    var retriesAll = false
    /// `--retry-connrefused`.
    var retriesRefused = false

    /// `--checksum`.
    var checksum: Checksum?
    /// `--etag-save`.
    var tagFile: FileArgument?
    /// `--etag-compare`.
    var knownTagFile: FileArgument?
    /// `--sync`.
    var synchronizes = false

    /// Where `-C` goes on.
    enum Continuation: Hashable, Sendable {
        /// `-`: at the end of the file.
        case fileSize
        case offset(UInt64)

        /// What `text` says; `nil` where that is nothing.
        init?(_ text: String) {
            if text == "-" {
                self = .fileSize
            } else if text.utf8.allSatisfy(\.isDigit), let offset = UInt64(text) {
                self = .offset(offset)
            } else {
                return nil
            }
        }
    }

    /// How a download goes on.
    func resumption(isCurl: Bool) -> Resumption {
        switch continuation {
        case .fileSize: .fileSize
        case .offset(let offset): .offset(offset)
        case nil: isOff || isCurl ? .none : .automatic
        }
    }

    /// What `--retry` says; `nil` where it is not given.
    func retryPolicy(isCurl: Bool) -> RetryPolicy? {
        guard let retries else { return nil }
        var policy = RetryPolicy(retriesAll ? .all : .transient, maximumRetries: retries)
        policy.retriesRefused = retriesRefused
        policy.retriesCut = !isCurl
        policy.delay = retryDelay
        policy.maximumTime = retryTime
        policy.hasJitter = !isCurl
        return policy
    }
}
