import HTTPMessage
import System

/// Undoes the codings of content while it comes, the one applied last first.
///
///     give ─→ inflater ─→ inflater ─→ … ─→ next
///
/// Each holds at most one portion, whatever the content expands to.
final class ContentDecoder {
    /// An inflater and what it has not read yet.
    private final class Stage {
        let inflater: Inflater
        var input: [UInt8] = []
        var offset = 0
        /// Octets it has made so far.
        var decoded: UInt64 = 0

        init(_ coding: ContentCoding) { inflater = Inflater(coding) }
    }

    /// In the order in which they work.
    private let stages: [Stage]
    private let room: MappedBuffer
    private let limits: DecodingLimits
    private var coded: UInt64 = 0
    /// Octets decoded so far.
    var decoded: UInt64 { stages.last?.decoded ?? 0 }
    /// Portions that the present call may still decode inside of the chain.
    private var budget = 0

    /// What a call came to.
    enum Progress<Result> {
        /// Octets were decoded, and this is what became of them.
        case decoded(Result)
        /// There was work, but nothing came of it yet: others have a turn before the next call.
        case working
        /// All that was given is decoded.
        case needsInput
    }

    /// A decoder of content with those codings, in the order in which they were applied.
    init(_ codings: [ContentCoding], limits: DecodingLimits) throws(TransferError) {
        stages = codings.reversed().map(Stage.init)
        self.limits = limits
        do throws(SystemError) { room = try MappedBuffer(capacity: Inflater.portion) } catch {
            throw TransferError(.outOfMemory, during: .content, "\(error)", errno: error.errno)
        }
    }

    /// A decoder of the content of `response`; `nil` where it has no coding. Throws `badContentCoding` for a coding that
    /// is not known, and for a part of coded content, which cannot be decoded by itself.
    convenience init?(of response: HTTPResponse, limits: DecodingLimits) throws(TransferError) {
        let codings = try ContentCoding.codings(in: response.fields, atMost: limits.maximumCodings)
        guard !codings.isEmpty else { return nil }
        guard response.status != .partialContent else {
            throw TransferError(
                .badContentCoding, during: .content,
                "a range is a part of the coded content, which cannot be decoded by itself")
        }
        try self.init(codings, limits: limits)
    }

    /// Takes coded octets, a copy of them. All that was given before must have been taken out.
    func give(_ octets: Span<UInt8>) {
        guard let first = stages.first else { return }
        coded += UInt64(octets.count)
        first.input.removeSubrange(..<first.offset)
        first.offset = 0
        first.input.append(copying: octets)
    }

    /// Lends the next decoded octets to `body`. Throws `badContentCoding`, and what `body` throws.
    ///
    /// What one coding expands to the next may swallow without a trace (empty members, padding): the limits hold for every
    /// coding by itself, and no call decodes more than a few portions.
    func next<Result>(
        _ body: (Span<UInt8>) throws(TransferError) -> Result
    ) throws(TransferError) -> Progress<Result> {
        // Safety: memory of no other type, bound to octets here only.
        let room = room.bytes.bindMemory(to: UInt8.self)
        budget = 16
        var count: Int?
        do throws(Inflater.Failure) { count = try pull(stages.count - 1, into: room) } catch {
            throw refusal(error)
        }
        for stage in stages where limits.forbids(stage.decoded, outOf: coded) {
            throw TransferError(
                .badContentCoding, during: .content,
                "the content expands beyond \(limits.maximumExpansion) times its size on the wire: \(stage.decoded) octets out of \(coded)"
            )
        }
        guard let count else { return .working }
        guard count > 0 else { return .needsInput }
        // Safety: the first `count` octets of the room were just filled, and nothing is decoded while they are lent.
        return .decoded(try body(Span(_unsafeElements: UnsafeBufferPointer(rebasing: room[..<count]))))
    }

    /// The content has come to its end, and every octet was taken out. Throws `badContentCoding` where a coding has not.
    func end() throws(TransferError) {
        // Content without an octet has no coding.
        guard coded > 0 else { return }
        for stage in stages {
            do throws(Inflater.Failure) { try stage.inflater.end() } catch { throw refusal(error) }
        }
    }

    /// Octets of the stage `index`; 0 when it needs input, `nil` when the budget is used up.
    private func pull(
        _ index: Int, into room: UnsafeMutableBufferPointer<UInt8>
    ) throws(Inflater.Failure) -> Int? {
        let stage = stages[index]
        while true {
            let count = try stage.inflater.decode(stage.input, at: &stage.offset, into: room)
            stage.decoded += UInt64(count)
            guard count == 0, index > 0 else { return count }
            guard budget > 0 else { return nil }
            budget -= 1
            // The one before has a room of its own: this stage's input.
            stage.offset = 0
            var failure: Inflater.Failure?
            var isExhausted = false
            stage.input.removeAll(keepingCapacity: true)
            stage.input.append(addingCapacity: Inflater.portion) { output in
                output.withUnsafeMutableBufferPointer { buffer, initialized in
                    do throws(Inflater.Failure) {
                        let room = UnsafeMutableBufferPointer(rebasing: buffer[..<Inflater.portion])
                        // Safety: decode reports how many octets of the room it has filled.
                        if let count = try pull(index - 1, into: room) {
                            initialized = count
                        } else {
                            isExhausted = true
                        }
                    } catch {
                        failure = error
                    }
                }
            }
            if let failure { throw failure }
            if isExhausted { return nil }
            guard !stage.input.isEmpty else { return 0 }
        }
    }

    private func refusal(_ failure: Inflater.Failure) -> TransferError {
        switch failure {
        case .outOfMemory:
            TransferError(.outOfMemory, during: .content, "there is no memory to decode the content")
        case .invalid(let words):
            TransferError(
                .badContentCoding, during: .content,
                "the content is not what its Content-Encoding says: \(words), after \(decoded) decoded octets"
            )
        case .trailingOctets:
            TransferError(
                .badContentCoding, during: .content,
                "octets that have no coding follow the coded content, after \(decoded) decoded octets")
        case .truncated:
            TransferError(
                .badContentCoding, during: .content,
                "the content is whole on the wire, but its coding ends early, after \(decoded) decoded octets"
            )
        }
    }
}
