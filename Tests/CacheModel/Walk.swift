import HTTPCache
import HTTPMessage

/// One random sequence of requests, responses and times, driven through a cache as a client does, and judged by the model.
final class Walk {
    private(set) var complaint: String?
    private(set) var transcript: [String] = []
    var coverage = Coverage()

    private let theme: Theme
    private let cache: PrivateCache
    let model = NaiveModel()
    private let origin: OriginServer
    private let requests: RequestMaker
    private var uptime: Int64 = 1000
    /// How far the wall clock is from the truth.
    private var wallError: Int64 = 0
    private var pending: [Pending] = []
    /// Targets of requests of which not all has ended that began.
    private var unsettled: Set<URI> = []
    private let isTold: Bool
    /// When the answers to unsafe requests named what is of another origin.
    var foreignInvalidations: Set<URI> = []

    /// An exchange under way.
    private final class Pending {
        var sent: Sent
        var forwarded: ForwardedRequest
        var reply: OriginServer.Reply
        let isBackground: Bool
        var rounds = 0
        var recording: (CacheRecording, identifier: Int)?

        init(_ sent: Sent, _ forwarded: ForwardedRequest, _ reply: OriginServer.Reply, isBackground: Bool) {
            self.sent = sent
            self.forwarded = forwarded
            self.reply = reply
            self.isBackground = isBackground
        }
    }

    init(seed: UInt64, store: any CacheStore, isTold: Bool = false) {
        var random = SplitMix64(seed: seed)
        theme = Theme(using: &random)
        origin = OriginServer(theme, using: &random)
        requests = RequestMaker(theme)
        cache = PrivateCache(store)
        self.isTold = isTold
    }

    private var moment: CacheMoment {
        CacheMoment(wall: OriginServer.epoch + uptime + wallError, uptime: uptime)
    }

    private var time: CacheTime {
        CacheTime(date: HTTPDate(secondsSinceEpoch: moment.wall), uptime: moment.uptime)
    }

    private func tell(_ text: @autoclosure () -> String) {
        if isTold { transcript.append("[\(uptime)] \(text())") }
    }

    private func blame(_ complaint: String?) {
        guard let complaint, self.complaint == nil else { return }
        self.complaint = complaint
        tell("FORBIDDEN: \(complaint)")
    }

    // MARK: - Steps

    /// One step, all of whose choices come from its seed.
    func step(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        pause(&random)
        if random.percent(theme.change) {
            let index = random.weighted([6: 0, 3: 1, 1: 2])
            origin.change(index, at: uptime, &random)
            tell("\(origin.resources[index].uri) changes")
        }
        if !pending.isEmpty, random.percent(50) {
            advance(pending[Int.random(in: 0..<pending.count, using: &random)], &random)
        } else {
            begin(&random)
        }
        guard pending.isEmpty else { return }
        for uri in unsettled { model.settle(uri, stored: stored(uri)) }
        unsettled = []
    }

    private func pause(_ random: inout SplitMix64) {
        uptime += theme.pause(using: &random)
        guard random.percent(theme.jumps) else { return }
        wallError += random.pick(-1, 1, -1) * theme.unit * random.pick(1, 5, 30)
        tell("the wall clock is off by \(wallError)")
    }

    /// The numbers of what lies in the store.
    private func stored(_ uri: URI) -> Set<Int> {
        Set(
            cache.store.responses(for: CacheKey(uri)).compactMap {
                $0.response.fields["X-Id"].flatMap { Int($0) }
            })
    }

    private func begin(_ random: inout SplitMix64) {
        let (request, policy) = requests.request(to: origin, uptime: uptime, &random)
        coverage[.requests] += 1
        unsettled.insert(request.uri)
        tell(
            "\(request.method) \(request.uri) \(request.fields.oneLine) \(policy == .useProtocolCachePolicy ? "" : policy.rawValue)"
        )
        var question = NaiveModel.Question(request, policy: policy, at: moment, stored: stored(request.uri))
        switch cache.decide(on: request, policy: policy, at: time) {
        case .answer(let answer):
            note(answer, question)
            judge(answer, question)
        case .answerAndValidate(let answer, let forwarded):
            question.ground = .lookupThenValidation
            coverage[.hitsWhileRevalidating] += 1
            note(answer, question)
            judge(answer, question)
            launch(forwarded, question, isBackground: true, &random)
        case .forward(let forwarded):
            coverage[.forwards] += 1
            if isNeedless(question) { coverage[.needlessForwards] += 1 }
            launch(forwarded, question, isBackground: false, &random)
        case .notStored(let status):
            tell("  not stored: \(status)")
            coverage[.notStored] += 1
            blame(model.complaintAboutMissing(question))
        }
    }

    private func launch(
        _ forwarded: ForwardedRequest, _ question: NaiveModel.Question, isBackground: Bool,
        _ random: inout SplitMix64
    ) {
        tell(
            "  -> \(forwarded.request.method) \(forwarded.request.fields.oneLine)\(isBackground ? " (background)" : "")"
        )
        blame(model.complaint(about: forwarded.request, for: question))
        var sent = Sent(question.request, as: forwarded.request, policy: question.policy, at: moment)
        sent.order = model.order
        if isBackground {
            // Nobody's request but the cache's own.
            sent.original = forwarded.request
            sent.original.fields.remove(.ifNoneMatch)
            sent.original.fields.remove(.ifModifiedSince)
        }
        if sent.isValidation { coverage[.validations] += 1 }
        if NaiveModel.tags(forwarded.request.fields[.ifNoneMatch]).count > 1 {
            coverage[.validationsOfMany] += 1
        }
        let reply = origin.reply(to: forwarded.request, uptime: uptime, &random)
        let exchange = Pending(sent, forwarded, reply, isBackground: isBackground)
        pending.append(exchange)
        if isBackground { coverage[.backgroundValidations] += 1 }
        guard !random.percent(isBackground ? 50 : theme.overlap) else { return }
        while pending.contains(where: { $0 === exchange }) { advance(exchange, &random) }
    }

    private func finish(_ exchange: Pending) { pending.removeAll { $0 === exchange } }

    /// The next thing that happens to an exchange: its head comes, or its content has come.
    private func advance(_ exchange: Pending, _ random: inout SplitMix64) {
        uptime += random.weighted([6: 0, 2: 1, 1: theme.unit / 5])
        if let (recording, identifier) = exchange.recording {
            finish(exchange)
            record(exchange, recording, identifier)
            return
        }
        switch exchange.reply {
        case .unreachable: fail(exchange)
        case .response(let response, _, _, let declaredLength):
            receive(response, exchange, declaredLength, &random)
        }
    }

    private func fail(_ exchange: Pending) {
        finish(exchange)
        tell("  <- unreachable")
        var question = question(of: exchange)
        question.ground = .failure
        guard case .answer(let answer) = cache.fail(exchange.forwarded, at: time) else { return }
        if answer.response.status == .gatewayTimeout, answer.response.fields["X-Id"] == nil {
            coverage[.generated504] += 1
        } else {
            coverage[.staleOnFailure] += 1
        }
        if !exchange.isBackground { judge(answer, question) }
    }

    private func question(of exchange: Pending) -> NaiveModel.Question {
        NaiveModel.Question(
            exchange.sent.original, policy: exchange.sent.policy, at: moment,
            stored: stored(exchange.sent.original.uri))
    }

    private func receive(
        _ response: HTTPResponse, _ exchange: Pending, _ declaredLength: UInt64?, _ random: inout SplitMix64
    ) {
        let identifier = response.fields["X-Id"].flatMap { Int($0) } ?? -1
        tell("  <- \(response.status) \(response.fields.oneLine)")
        var question = question(of: exchange)
        model.receive(response, to: exchange.sent, at: moment)
        if !exchange.sent.original.method.isSafe, response.status.code < 400 { coverage[.invalidations] += 1 }
        if response.status == .notModified { coverage[.notModified] += 1 }
        noteForeign(response, exchange.sent.original)
        switch cache.receive(response, to: exchange.forwarded, declaredLength: declaredLength, at: time) {
        case .deliver(let status, let recording):
            tell("  deliver: \(status)")
            if !exchange.isBackground { blame(model.complaintAboutDelivery(of: identifier)) }
            keep(recording, exchange, identifier)
        case .answer(let answer):
            question.ground =
                response.status == .notModified
                ? .validated(identifier)
                : .error(Int(response.status.code), wasValidation: exchange.sent.isValidation)
            coverage[response.status == .notModified ? .revalidated : .staleIfError] += 1
            if !exchange.isBackground { judge(answer, question) }
            finish(exchange)
        case .complete(let answer, let recording):
            coverage[.completions] += 1
            question.ground = .completed(identifier)
            judge(answer, question)
            keep(recording, exchange, identifier)
        case .sendAgain(let forwarded):
            coverage[.sendAgain] += 1
            exchange.rounds += 1
            tell("  again -> \(forwarded.request.fields.oneLine)")
            if exchange.rounds > 3 { blame("a request is sent again and again") }
            if exchange.isBackground { question.ground = .lookupThenValidation }
            // What has been stored meanwhile is not looked for.
            question.stored = []
            blame(model.complaint(about: forwarded.request, for: question))
            exchange.sent = Sent(
                exchange.sent.original, as: forwarded.request, policy: question.policy, at: moment)
            exchange.sent.order = model.order
            exchange.forwarded = forwarded
            exchange.reply = origin.reply(to: forwarded.request, uptime: uptime, &random)
            if complaint != nil { finish(exchange) }
        }
    }

    private func keep(_ recording: CacheRecording?, _ exchange: Pending, _ identifier: Int) {
        guard let recording else { return finish(exchange) }
        exchange.recording = (recording, identifier)
    }

    private func record(_ exchange: Pending, _ recording: CacheRecording, _ identifier: Int) {
        guard case .response(let response, let content, let isWhole, let declaredLength) = exchange.reply,
            content.count <= recording.maximumLength,
            cache.record(recording, content: content, isWhole: isWhole) == nil
        else { return tell("  #\(identifier) is not stored") }
        tell("  #\(identifier) is stored, \(content.count) octets\(isWhole ? "" : ", cut")")
        coverage[.stored] += 1
        if response.status == .partialContent { coverage[.storedParts] += 1 }
        if !isWhole { coverage[.storedCut] += 1 }
        blame(model.store(identifier, content: content, isWhole: isWhole, declaredLength: declaredLength))
    }

    // MARK: - Judging

    private func judge(_ cached: CacheAnswer, _ question: NaiveModel.Question) {
        var octets: [UInt8] = []
        guard cached.content.contains(cached.range) else {
            return blame("an answer of octets that are not there")
        }
        cached.content.forEachPart(in: cached.range) { octets += $0 }
        var answer = Answer(
            Int(cached.response.status.code), cached.response.fields, octets, offset: cached.range.lowerBound)
        answer.combinedLength = cached.combinedLength
        tell(
            "  = \(answer.status) \(answer.fields.oneLine) \"\(String(decoding: octets, as: UTF8.self))\"@\(answer.offset)"
                + " \(cached.source) \(cached.status)")
        blame(model.complaint(about: answer, to: question))
    }
}
