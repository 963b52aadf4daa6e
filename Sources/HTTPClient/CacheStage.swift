import HTTPCache
import HTTPMessage
import Transport

/// The cache's part in one exchange: what it makes of the response, and the content it keeps.
@NetworkActor
final class CacheStage {
    /// What came of the response's head.
    enum Outcome {
        /// No head yet, or one that is delivered as it came.
        case delivered
        /// What is stored is the answer.
        case answer(CacheAnswer)
        /// The request goes out again, in this form.
        case sendAgain(ForwardedRequest)
    }

    let cache: ResponseCache
    let forwarded: ForwardedRequest
    private(set) var outcome = Outcome.delivered
    /// What was decided; `nil` before the head is in.
    private(set) var status: CacheStatus?
    private var recording: CacheRecording?
    private var content: [UInt8] = []
    /// The content came to the end that its framing says.
    var isWhole = false

    init(_ cache: ResponseCache, _ forwarded: ForwardedRequest) {
        self.cache = cache
        self.forwarded = forwarded
    }

    /// Whether content must pass by here: it cannot go past the process.
    var isRecording: Bool { recording != nil }

    /// The final head is in. Returns the stored octets that go before its content, and the head of both, where there are
    /// some; `isPassedOver`: nobody is to see the response.
    func receive(_ response: HTTPResponse, length: UInt64?) -> (prefix: CacheAnswer?, isPassedOver: Bool) {
        content = []
        let reaction = cache.with { $0.receive(response, to: forwarded, declaredLength: length, at: $1) }
        switch reaction {
        case .deliver(let status, let recording):
            self.status = status
            self.recording = recording
            return (nil, false)
        case .complete(let answer, let recording):
            status = answer.status
            self.recording = recording
            return (answer, false)
        case .answer(let answer):
            outcome = .answer(answer)
            status = answer.status
            return (nil, true)
        case .sendAgain(let next):
            outcome = .sendAgain(next)
            return (nil, true)
        }
    }

    /// The caller does not want it stored.
    func refuseStoring() {
        giveUp("refused")
    }

    /// Sets memory aside for content of a declared length, but only some: a length is a promise of the peer's.
    func reserve(_ length: UInt64?) {
        guard recording != nil, let length else { return }
        content.reserveCapacity(Int(min(length, 1 << 20)))
    }

    /// Takes a copy of content that was received. Past the largest object nothing is kept.
    func record(_ octets: Span<UInt8>) {
        guard let recording else { return }
        guard octets.count <= recording.maximumLength - content.count else {
            giveUp(StorageRefusal.tooLarge.rawValue)
            return
        }
        content.append(copying: octets)
    }

    private func giveUp(_ reason: String) {
        guard let recording = recording.take() else { return }
        cache.with { cache, _ in cache.abandon(recording) }
        content = []
        note(refusal: reason)
    }

    /// What is not stored is fresh for nobody.
    private func note(refusal reason: String) {
        status?.isStored = false
        status?.ttl = nil
        status?.detail = reason
    }

    /// No more content comes: what is there is stored, as far as it may be.
    func end() {
        guard let recording = recording.take() else { return }
        let refusal = cache.with { cache, _ in cache.record(recording, content: content, isWhole: isWhole) }
        content = []
        if let refusal { note(refusal: refusal.rawValue) }
    }
}
