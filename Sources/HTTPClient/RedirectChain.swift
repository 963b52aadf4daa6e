import HTTPMessage
import HTTPWire
import Transport

/// One transfer's way from its first request to its final response, hop by hop.
@NetworkActor
final class RedirectChain {
    /// The request under way.
    private(set) var request: HTTPRequest
    /// Its content where that is read while it is sent.
    private(set) var content: (any RequestContent)?
    /// The redirects followed so far: the first ones and the last ones, where there are more than are kept.
    private(set) var redirects: [Redirect] = []
    /// How many were followed.
    private var followed = 0
    /// Most that are kept: a chain without a limit must not fill the memory.
    private static let mostKept = 100

    private let transfer: Transfer
    private let decision: Redirects?
    /// What the response under way leads to.
    private var step: Redirects.Step?
    private var status = HTTPStatus.found
    private var totals = Totals()

    /// What is told of all hops together.
    private struct Totals {
        var headOctets: UInt64 = 0
        var requestOctets: UInt64 = 0
        var opened = 0
    }

    init(_ first: HTTPRequest, for transfer: Transfer) {
        request = first
        content = transfer.content
        self.transfer = transfer
        decision = transfer.options.redirects.map { Redirects(policy: $0, first: first) }
    }

    /// Whether the response is a redirect that is followed: its content is then nobody's. Asked before any content is
    /// read, since a redirect that the caller refuses is delivered like any other response.
    func follows(_ response: HTTPResponse) async throws(TransferError) -> Bool {
        guard let decision,
            var step = try decision.step(after: response, to: request, hasStream: content != nil)
        else { return false }
        if let maximum = decision.policy.maximum, followed >= maximum {
            throw tooMany(maximum, step.request)
        }
        if let willSend = transfer.hooks.willSend {
            guard let changed = await willSend(step.request, response) else { return false }
            step.request = changed
        }
        self.step = step
        status = response.status
        return true
    }

    /// Goes on to the next hop; false where `report` is the last. Throws where content cannot be sent again.
    func advance(behind report: TransferReport) throws(TransferError) -> Bool {
        totals.headOctets += report.headOctets
        totals.requestOctets += report.requestOctets
        totals.opened += report.connectionsOpened
        guard let step = step.take() else { return false }
        followed += 1
        if redirects.count >= Self.mostKept { redirects.remove(at: Self.mostKept / 2) }
        redirects.append(
            Redirect(
                status: status, uri: request.uri, target: step.request.uri, timings: transfer.timings))
        if !step.keepsContent { content = nil }
        try rewind(for: step.request.uri)
        transfer.observe(
            .redirecting(from: report.response, to: step.request, number: followed))
        request = step.request
        transfer.beginExchange(isRedirect: true)
        return true
    }

    /// What the last hop's report says, and all hops together.
    func summed(_ report: TransferReport) -> TransferReport {
        guard !redirects.isEmpty else { return report }
        var report = report
        report.headOctets = totals.headOctets
        report.requestOctets = totals.requestOctets
        report.connectionsOpened = totals.opened
        report.redirects = redirects
        report.redirectCount = followed
        return report
    }

    /// Makes content that was read ready to be sent again. Throws where it cannot be.
    func rewind(for uri: URI? = nil) throws(TransferError) {
        guard let content, transfer.hasReadContent else { return }
        guard content.rewind() else {
            throw TransferError(
                .contentNotRewound, during: .send,
                "the content must be sent again to \(Redirects.name(of: uri ?? request.uri)), and can be read only once"
            )
        }
        transfer.hasReadContent = false
    }

    /// The limit is reached: with the whole way, so that a person sees where it goes round.
    private func tooMany(_ maximum: Int, _ next: HTTPRequest) -> TransferError {
        let uris = redirects.map(\.uri) + [request.uri, next.uri]
        var names = uris.map(Redirects.name(of:))
        let isLoop = uris.dropLast().contains {
            $0.withoutUserinfoAndFragment == next.uri.withoutUserinfoAndFragment
        }
        if names.count > 8 {
            names = names.prefix(4) + ["(\(followed + 2 - 7) more)"] + names.suffix(3)
        }
        guard maximum > 0 else {
            var error = TransferError(
                .tooManyRedirects, during: .firstByte,
                "a redirect leads from \(names[0]) to \(names[1]), and the limit is 0")
            error.cause = .noRedirects
            return error
        }
        let what = isLoop ? "the redirects go round in a loop" : "the redirects do not end"
        return TransferError(
            .tooManyRedirects, during: .firstByte,
            "\(what), \(maximum) were followed: \(names.joined(separator: " -> "))")
    }
}

/// Content of a redirect that is followed: read and dropped within limits, so that the connection can be kept.
@NetworkActor
final class DroppedContent: ContentSink {
    /// Most octets that are read for the connection's sake.
    static let longest: UInt64 = 64 << 10
    /// Longest time that is spent on it.
    static let patience = Duration.seconds(2)

    let until = Deadline(.none, in: DroppedContent.patience)
    private var count: UInt64 = 0
    private var isDeclaredTooLong = false

    /// Whether reading on costs more than a new connection.
    var isTooLong: Bool { isDeclaredTooLong || count > Self.longest }

    /// Takes a declared length into account.
    func begin(_ response: HTTPResponse, length: UInt64?) {
        isDeclaredTooLong = length.map { $0 > Self.longest } ?? false
    }

    func write(_ content: Span<UInt8>) -> SinkDemand {
        count += UInt64(content.count)
        return .more
    }
}
