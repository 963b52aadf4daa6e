import HTTPClient
import HTTPMessage
import System

/// Computes digests of octets as they come, and compares them with those expected.
///
/// All expectations of one check are of the same octets. Where an answer goes on with a part that was kept, what it says of
/// its content (`isOfContent`) and what is said of the whole take one check each; the second is given the kept octets first.
final class DigestCheck {
    /// The expectations that were met, in the order of asking.
    private(set) var verified: [DigestExpectation] = []

    private let expectations: [DigestExpectation]
    private var running: [RunningDigest] = []

    /// A check of no octets yet. `announced` are algorithms that a trailer section may ask for.
    ///
    /// Each algorithm is computed once. One that the system refuses is passed over where the server chose it, and throws
    /// `badRequest` where a person did.
    init(
        _ expectations: [DigestExpectation], announced: [MessageDigest.Algorithm] = []
    ) throws(TransferError) {
        self.expectations = expectations
        for expectation in expectations {
            do throws(MessageDigest.Refusal) { try start(expectation.algorithm) } catch {
                guard expectation.source == .checksum else { continue }
                throw TransferError(
                    .badRequest, during: .prepare, "\(error), by which the content was to be checked")
            }
        }
        // What cannot be computed is not looked for.
        for algorithm in announced { try? start(algorithm) }
    }

    /// Whether nothing is computed, so that the octets need not be shown.
    var isEmpty: Bool { running.isEmpty }

    /// Takes in the octets that come next. Not to be called after a check.
    func update(_ octets: Span<UInt8>) {
        for digest in running { digest.update(octets) }
    }

    /// All octets have come. Throws `digestMismatch` for the first digest that is another than expected.
    func check() throws(TransferError) {
        try check(expectations)
    }

    /// All octets have come, and behind them `fields`, the trailer section of `response`. Throws as `check` does, for what
    /// they say by algorithms that were computed.
    func checkTrailers(
        _ fields: HTTPFields, of response: HTTPResponse, isWhole: Bool
    ) throws(TransferError) {
        try check(
            DigestExpectation.expectations(
                in: fields, of: response, isWhole: isWhole, computed: running.map(\.algorithm)))
    }

    /// What must be computed from the start for a trailer section that has digests: the two algorithms in use for what the
    /// Trailer field announces (RFC 9110, section 6.6.2; RFC 9530, section 6.4).
    static func announced(in response: HTTPResponse) -> [MessageDigest.Algorithm] {
        let names = CommaList(.trailer, in: response.fields)
        let digests = [FieldName.reprDigest, .contentDigest]
        var algorithms: [MessageDigest.Algorithm] = []
        if digests.contains(where: { names.contains(token: $0.spelling) }) {
            algorithms += [.sha256, .sha512]
        }
        if names.contains(token: FieldName.contentMD5.spelling) { algorithms.append(.md5) }
        return algorithms
    }

    private func start(_ algorithm: MessageDigest.Algorithm) throws(MessageDigest.Refusal) {
        guard !running.contains(where: { $0.algorithm == algorithm }) else { return }
        running.append(RunningDigest(try MessageDigest(algorithm)))
    }

    /// The algorithms that are computed.
    var algorithms: [MessageDigest.Algorithm] { running.map(\.algorithm) }

    /// Whether that one is.
    func computes(_ algorithm: MessageDigest.Algorithm) -> Bool {
        running.contains { $0.algorithm == algorithm }
    }

    /// All octets have come. Throws as `check()` does, for these expectations.
    func check(_ expectations: [DigestExpectation]) throws(TransferError) {
        for expectation in expectations {
            // What the system refuses is missing.
            guard let digest = running.first(where: { $0.algorithm == expectation.algorithm }) else {
                continue
            }
            let value = digest.value
            guard value == expectation.value else { throw expectation.mismatch(value) }
            verified.append(expectation)
        }
    }
}

/// An array cannot hold digests themselves.
private final class RunningDigest {
    let algorithm: MessageDigest.Algorithm
    private var digest: MessageDigest?
    private(set) lazy var value: [UInt8] = digest.take()?.finish() ?? []

    init(_ digest: consuming MessageDigest) {
        algorithm = digest.algorithm
        self.digest = consume digest
    }

    func update(_ octets: Span<UInt8>) { digest?.update(octets) }
}

extension DigestExpectation {
    fileprivate func mismatch(_ value: [UInt8]) -> TransferError {
        let origin = source == .checksum ? "was asked for" : "\(source.rawValue) says"
        return TransferError(
            .digestMismatch, during: .content,
            "the content's \(algorithm) is \(Checksum.hex(value)), not \(Checksum.hex(self.value)) as \(origin)"
        )
    }
}
