import Download
import HTTPCache
import HTTPClient
import HTTPMessage
import System
import Transport

/// Who is asked while a load is under way, and told of it. All of it on the loop.
@NetworkActor
protocol LoadFollower: AnyObject {
    /// Before a request is sent; `redirect` is the answer that led to it, `nil` at first. `nil` refuses.
    func request(_ request: HTTPRequest, after redirect: HTTPResponse?) async -> HTTPRequest?
    /// The final answer's head is in. False cancels.
    func mayReceive(_ response: HTTPResponse) async -> Bool
    /// Whether the answer may be stored in the cache.
    func mayStore(_ response: HTTPResponse) async -> Bool
    /// Credentials are asked for.
    func answer(_ challenge: AuthenticationChallenge) async -> AuthenticationAnswer
    /// Something happened.
    func observe(_ event: TransferEvent)
    /// A request is about to be sent, a redirect's aside.
    func willSend(_ request: HTTPRequest)
    /// A transfer has failed, which another one could make good. Waits where there is no network that may be used. Throws
    /// why it waits no longer.
    func waitForNetwork(after error: TransferError) async throws(TransferError) -> NetworkVerdict
    /// Content was taken.
    func hasReceived(_ progress: TransferProgress)
    /// `response` brings the rest of what is there.
    func goesOn(_ response: HTTPResponse, at offset: UInt64, of total: UInt64?)
}

/// What a failure has to do with networks.
enum NetworkVerdict: Hashable, Sendable {
    /// Nothing, as far as anybody knows.
    case isOther
    /// There was none for a moment.
    case isBack
    /// There was none, and there is one now that it was waited for.
    case hasCome
}

/// Nothing of it for who does not ask about networks.
extension LoadFollower {
    func waitForNetwork(after error: TransferError) async throws(TransferError) -> NetworkVerdict { .isOther }
}

/// One load, from its request to its one ending, in as many transfers as that takes: the loop above `Client.send` that
/// answers challenges, and goes on where a connection died while the load was suspended.
///
/// It goes on only with what is proved to be the rest: a strong validator, and the table of `ResumeDecision`
/// (RFC 9110, sections 13.1.5 and 15.3.7).
@NetworkActor
final class Load {
    /// What becomes of the answer whose head is in.
    enum Verdict {
        /// It is the load's.
        case wanted
        /// It is the rest of what is there: so many octets.
        case rest(count: UInt64)
        /// It has all from the first octet on; what is there is forgotten.
        case anew
        /// Its content is nobody's: the next request follows.
        case another(HTTPRequest)
        /// What is there is all.
        case complete
        /// It cannot be used.
        case failure(TransferError)
    }

    let client: Client
    let target: any LoadTarget
    weak var follower: (any LoadFollower)?
    /// Whether a connection may lead to an address; `nil`: to any.
    var mayConnect: (@NetworkActor @Sendable (SocketAddress) -> Bool)?
    private let options: TransferOptions
    /// When all must be done; what is left of that is a transfer's total limit.
    private let deadline: Deadline
    /// The request of the caller's, with what a challenge has added to it.
    private(set) var request: HTTPRequest
    /// The request under way, redirects followed.
    var current: HTTPRequest
    /// What is there of the representation.
    var part = PartialRepresentation()
    /// Octets of the content in all, where that is known.
    var expected: UInt64?
    /// The answer that the part began with.
    private(set) var beginning: HTTPResponse?
    var verdict = Verdict.wanted
    /// The request under way asks for the rest of the part.
    var asksForRest = false
    /// The follower has agreed to the first request.
    private var isAgreed = false
    /// The last transfer has brought the end of the part, and nobody knows whether there is more.
    var mayBeWhole = false
    /// Octets that the rest under way must still bring.
    var promised: UInt64?
    /// The transfer under way.
    private(set) var transfer: Transfer?
    private weak var question: (any OpenQuestion)?
    /// How often credentials were sent and refused.
    var failedAnswers = 0
    /// Failures behind a suspension that were gone on from, without a new octet since.
    private var vainTries = 0
    private var lengthAtFailure: UInt64 = 0
    /// Whether the load was suspended since the transfer under way began: the connection may have died of it.
    private var wasSuspended = false
    /// Why the transfer under way was ended here.
    private var networkLoss: TransferError?

    /// Most times in a row that the rest is asked for without getting any of it.
    private static let mostVainTries = 3

    init(
        _ request: HTTPRequest, by client: Client, to target: any LoadTarget, options: TransferOptions,
        deadline: Deadline
    ) {
        self.request = request
        self.client = client
        self.target = target
        self.options = options
        self.deadline = deadline
        current = request
    }

    /// Goes on with a part that is there; to be called before `run`.
    func begin(with part: PartialRepresentation) { self.part = part }

    // MARK: Control

    /// Whether the caller wants nothing to be read.
    var isSuspended = false {
        didSet {
            if isSuspended { wasSuspended = true }
            updateReading()
        }
    }

    /// Whether the target can take nothing now.
    var isHeldUp = false { didSet { updateReading() } }

    /// Whether there is no network over which more could come.
    var isOffline = false { didSet { updateReading() } }

    private(set) var isCancelled = false

    private func updateReading() {
        guard let transfer else { return }
        if isSuspended || isHeldUp || isOffline { transfer.pause() } else { transfer.resume() }
    }

    /// Ends the load: it fails as `cancelled`, unless it was over.
    func cancel() {
        isCancelled = true
        transfer?.cancel()
        giveUpQuestion()
    }

    /// The network over which the transfer goes is not there any more, or may not be used: ends the transfer for that
    /// reason, which is the load's end only where nothing can go on. False, and nothing is done, where it cannot.
    func endTransfer(for reason: TransferError, evenIfItIsLost: Bool) -> Bool {
        guard let transfer, networkLoss == nil, evenIfItIsLost || mayAskAgain(after: reason) else {
            return false
        }
        networkLoss = reason
        transfer.cancel()
        return true
    }

    /// Waits no longer for what a delegate was asked.
    func giveUpQuestion() { question?.giveUp() }

    /// Asks the receiver of `order`. A load that is cancelled, or whose time is over, waits for no answer.
    func ask<Value: Sendable>(
        _ order: CallOrder, orElse fallback: Value, _ call: @escaping @Sendable (Reply<Value>) -> Void
    ) async -> Value {
        guard !isCancelled, deadline.instant > .now else { return fallback }
        let question = Question(fallback)
        self.question = question
        return await order.ask(question, call)
    }

    // MARK: The loop

    /// Runs to the end. Throws why the load failed.
    func run() async throws(TransferError) -> TransferReport {
        // The transfer holds the load, which is where its content goes.
        defer { transfer = nil }
        while true {
            guard !isCancelled else { throw TransferError(.cancelled, during: .prepare, "cancelled") }
            let transfer = begin()
            do throws(TransferError) {
                let report = try await transfer.run()
                if let result = try settle(report) { return result }
            } catch {
                try await goOn(after: error)
            }
        }
    }

    private func begin() -> Transfer {
        networkLoss = nil
        isOffline = false
        var next = request
        asksForRest = part.length > 0
        if asksForRest {
            next.fields.append(.range, "bytes=\(part.length)-")
            if let validator = part.validator { next.fields.append(.ifRange, validator) }
        }
        current = next
        verdict = .wanted
        promised = nil
        wasSuspended = isSuspended
        let transfer = client.transfer(next, into: self, options: transferOptions, hooks: hooks)
        self.transfer = transfer
        follower?.willSend(next)
        updateReading()
        return transfer
    }

    private var transferOptions: TransferOptions {
        var options = options
        if deadline.instant < .distantFuture {
            options.totalTimeout = max(deadline.instant - .now, .milliseconds(1))
        }
        // Validators of parts are judged here; where nobody else may be asked, the cache is all there is.
        if asksForRest, options.cachePolicy != .returnCacheDataDontLoad { options.cachePolicy = nil }
        return options
    }

    private var hooks: TransferHooks {
        var hooks = TransferHooks()
        hooks.willSend = { [weak self] request, redirect in await self?.willSend(request, redirect) }
        hooks.didReceive = { [weak self] response in await self?.judge(response) ?? false }
        hooks.willStore = { [weak self] response in await self?.mayStore(response) ?? false }
        hooks.mayConnect = mayConnect
        hooks.observe = { [weak self] event in self?.observe(event) }
        return hooks
    }

    private func willSend(_ request: HTTPRequest, _ redirect: HTTPResponse?) async -> HTTPRequest? {
        // Who has agreed to the request has agreed to its going out once more.
        if redirect == nil, isAgreed { return request }
        let next = await follower?.request(
            request, after: redirect?.from(current.uri, asked: self.request.uri))
        guard let next, !isCancelled else { return nil }
        if redirect == nil {
            // What was made of it holds for the load: another transfer begins with it.
            isAgreed = true
            if !asksForRest { self.request = next }
            current = next
        }
        return next
    }

    private func mayStore(_ response: HTTPResponse) async -> Bool {
        guard case .wanted = verdict else { return true }
        return await follower?.mayStore(response.from(current.uri, asked: request.uri)) ?? false
    }

    private func observe(_ event: TransferEvent) {
        if case .redirecting(_, let next, _) = event { current = next }
        follower?.observe(event)
    }

    /// The transfer under way has come to its end. `nil` where another follows.
    private func settle(_ report: TransferReport) throws(TransferError) -> TransferReport? {
        switch verdict {
        case .another(let next):
            request = next
            return nil
        case .rest:
            // Nobody is bound to send all of a range at once; where nobody says how much there is, the next answer does.
            mayBeWhole = part.completeLength == nil
            return part.length == part.completeLength ? told(report) : nil
        case .complete: return told(report)
        case .wanted, .anew: return report
        case .failure(let error): throw error
        }
    }

    /// The report as the caller expects it: of the answer that the content began with.
    private func told(_ report: TransferReport) -> TransferReport {
        guard let beginning else { return report }
        var report = report
        report.response = beginning
        return report
    }

    /// A transfer has failed. Returns where another one can go on; else throws.
    private func goOn(after error: TransferError) async throws(TransferError) {
        guard !isCancelled else { throw TransferError(.cancelled, during: error.phase, "cancelled") }
        if case .failure(let failure) = verdict { throw failure }
        let error = networkLoss ?? error
        guard mayAskAgain(after: error) else { throw error }
        let network = try await follower?.waitForNetwork(after: error) ?? .isOther
        guard !isCancelled else { throw TransferError(.cancelled, during: error.phase, "cancelled") }
        guard network != .isOther || wasSuspended && Load.isOfConnection(error) else { throw error }
        vainTries = part.length > lengthAtFailure || network == .hasCome ? 0 : vainTries + 1
        lengthAtFailure = part.length
        guard vainTries < Load.mostVainTries else { throw error }
    }

    /// Whether another request could make the failure good.
    private func mayAskAgain(after error: TransferError) -> Bool {
        if part.length > 0 {
            // Coded content is counted in octets that are not those of a range.
            return request.canBeContinued && part.isContinuable
                && (part.coding == nil || options.contentForm == .asSent)
        }
        if beginning != nil { return request.canBeContinued && target.canBeginAnew }
        // Of what has an effect nothing may have been sent.
        let isUnsent = error.phase == .resolve || error.phase == .connect
        return request.method.isSafe || isUnsent && current.uri == request.uri
    }

    /// Whether the failure is one that a connection dies of while nobody reads.
    private static func isOfConnection(_ error: TransferError) -> Bool {
        switch error.code {
        case .incompleteContent, .receiveFailed, .emptyReply, .sendFailed: true
        case .timedOut: error.cause == .silence
        default: false
        }
    }

    /// Content begins: `response` is what it is described by from now on.
    func note(beginning response: HTTPResponse) {
        let now = HTTPDate(secondsSinceEpoch: WallClock.system.secondsSinceEpoch)
        part = PartialRepresentation(response, from: current.uri, now: now)
        // Of anything else the octets have other places than those that are counted here.
        if response.status != .ok { part.allowsRanges = false }
        beginning = response
        promised = nil
    }
}

extension HTTPRequest {
    /// Whether what it brings can be gone on with by asking for the rest: one GET for all of a representation.
    var canBeContinued: Bool {
        method == .get && (content?.isEmpty ?? true) && !fields.contains(.range) && !fields.contains(.ifRange)
    }
}
