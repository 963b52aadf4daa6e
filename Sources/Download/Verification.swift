import HTTPClient
import HTTPMessage
import System
import Transport

/// Whether a download has the digests that a person and the server say it has, found out while it comes.
///
/// Content that passes through the process is taken as it passes. What the kernel moved past it, and what an earlier process
/// left, is read back from the file, a portion at a time and never far behind.
@NetworkActor
final class Verification {
    /// Octets that are read back at once.
    private static let portion = 256 << 10

    /// Most that a server may say of one representation, in as many answers as it takes.
    private static let mostExpected = 16

    private let plan: DownloadPlan
    /// Of all octets, from the first on: one for each algorithm.
    private var whole: [FollowedDigest] = []
    /// What they have to be.
    private var expected: [DigestExpectation] = []
    /// Of the content of the message under way.
    private var content: FollowedDigest?
    private var contentExpected: [DigestExpectation] = []
    /// Of content whose coding is undone, as it was sent.
    private var coded: DigestCheck?
    private var response: HTTPResponse?
    private var isWhole = false
    private var buffer: [UInt8] = []

    init(_ plan: DownloadPlan) { self.plan = plan }

    /// Whether octets must be seen, or read back.
    var isNeeded: Bool { !whole.isEmpty || content != nil || coded != nil }

    // MARK: Beginnings

    /// `response` brings content whose first octet is the octet `offset` of the destination; `isAll` where that then has the
    /// representation from its first octet on. `isAnew`: what came before is of no use. Throws `badRequest` where
    /// the system cannot compute what a person asked for.
    func begin(_ response: HTTPResponse, at offset: UInt64, isAll: Bool, isAnew: Bool) throws(TransferError) {
        self.response = response
        isWhole = isAll
        if isAnew {
            whole = []
            expected = []
        }
        content = nil
        contentExpected = []
        coded = nil
        if let checksum = plan.checksum { try expect([DigestExpectation(checksum)]) }
        guard plan.checksDigests else { return }
        let said = DigestExpectation.expectations(of: response, isWhole: isAll)
        let announced = DigestCheck.announced(in: response)
        if plan.options.contentForm == .raw, response.fields.contains(.transferEncoding) { return }
        if plan.options.contentForm == .decoded, response.fields.contains(.contentEncoding) {
            if !said.isEmpty || !announced.isEmpty { coded = try DigestCheck(said, announced: announced) }
            return
        }
        if isAll { try expect(said.filter { !$0.isOfContent }, also: announced) }
        contentExpected = said.filter(\.isOfContent)
        if !contentExpected.isEmpty || !announced.isEmpty {
            content = FollowedDigest(try DigestCheck(contentExpected, announced: announced), from: offset)
        }
    }

    /// The representation is there, and must have that digest. Throws `badRequest` where the system cannot compute it.
    func expect(_ checksum: Checksum) throws(TransferError) { try expect([DigestExpectation(checksum)]) }

    private func expect(
        _ expectations: [DigestExpectation], also announced: [MessageDigest.Algorithm] = []
    ) throws(TransferError) {
        // Of the server's two values of one algorithm are one too many already.
        for expectation in expectations
        where !expected.contains(expectation)
            && (expected.count < Verification.mostExpected || expectation.source == .checksum)
        {
            if !whole.contains(where: { $0.check.computes(expectation.algorithm) }) {
                let check = try DigestCheck([expectation])
                // What the system refuses to compute, and only the server asked for, is passed over.
                guard !check.isEmpty else { continue }
                whole.append(FollowedDigest(check, from: 0))
            }
            expected.append(expectation)
        }
        for algorithm in announced where !whole.contains(where: { $0.check.computes(algorithm) }) {
            whole.append(FollowedDigest(try DigestCheck([], announced: [algorithm]), from: 0))
        }
    }

    // MARK: Content

    private var followed: [FollowedDigest] { content.map { whole + [$0] } ?? whole }

    /// Takes content on its way, of which the first octet is the octet `offset` of the destination.
    func take(_ octets: Span<UInt8>, at offset: UInt64) {
        for digest in followed where digest.next == offset { digest.update(octets) }
    }

    /// Takes content as it was sent, before its coding is undone.
    func takeCoded(_ octets: Span<UInt8>) { coded?.update(octets) }

    /// Reads back what has not been seen of the first `length` octets, `limit` octets at most. Whether anything is left.
    @discardableResult
    func catchUp(with file: DownloadFile, to length: UInt64, atMost limit: Int) throws(TransferError) -> Bool
    {
        var rest = limit
        for digest in followed {
            while digest.next < length, rest > 0 {
                if buffer.isEmpty { buffer = [UInt8](repeating: 0, count: Verification.portion) }
                let wanted = Int(min(length - digest.next, UInt64(min(buffer.count, rest))))
                let count = try file.read(into: &buffer, at: digest.next, wanted)
                guard count > 0 else {
                    throw TransferError(
                        .readFailed, during: .store,
                        "\(file.path ?? "") has become shorter while it was written")
                }
                digest.update(buffer.span.extracting(first: count))
                rest -= count
            }
        }
        return followed.contains { $0.next < length }
    }

    // MARK: Ends

    /// The message's content is whole, with these fields behind it. Throws `digestMismatch` where it is not what the server
    /// says, as far as that has been seen.
    func end(trailers: HTTPFields) throws(TransferError) {
        if let coded {
            try coded.check()
            if let response { try coded.checkTrailers(trailers, of: response, isWhole: isWhole) }
            return
        }
        guard let response, plan.checksDigests, !trailers.isEmpty else { return }
        let algorithms = followed.flatMap(\.check.algorithms)
        let said = DigestExpectation.expectations(
            in: trailers, of: response, isWhole: isWhole, computed: algorithms)
        contentExpected += said.filter(\.isOfContent)
        for expectation in said where !expectation.isOfContent && !expected.contains(expectation) {
            expected.append(expectation)
        }
    }

    /// All octets of the message's content have been seen. Throws `digestMismatch`.
    func checkContent() throws(TransferError) {
        guard let content else { return }
        self.content = nil
        try content.check.check(contentExpected)
    }

    /// All octets of the representation have been seen. Returns what was found right. Throws `digestMismatch`.
    func checkWhole() throws(TransferError) -> [DigestExpectation] {
        for expectation in expected {
            guard let digest = whole.first(where: { $0.check.computes(expectation.algorithm) }) else {
                continue
            }
            try digest.check.check([expectation])
        }
        return expected
    }
}

/// A digest, and how far it has come.
private final class FollowedDigest {
    let check: DigestCheck
    /// The octet of the destination that comes next.
    private(set) var next: UInt64

    init(_ check: DigestCheck, from offset: UInt64) {
        self.check = check
        next = offset
    }

    func update(_ octets: Span<UInt8>) {
        check.update(octets)
        next += UInt64(octets.count)
    }
}
