import Download
import HTTPClient
import HTTPMessage
import Reachability
import System
import Transport

/// One probe at work.
@NetworkActor
final class ProbeRun {
    private let probe: Probe
    private var findings: [ProbeStep: ProbeResult.Finding] = [:]
    private var network: NetworkState?
    private var response: HTTPResponse?
    /// The host's addresses, as far as they are known.
    private var addresses: [SocketAddress] = []
    /// Addresses that were tried in vain, and why.
    private var attempts: [TransportError.Attempt] = []
    private var isProved = false
    /// The resolver was asked.
    private var hasAsked = false
    /// When the step under way began.
    private var beginning = Instant.now

    init(_ probe: Probe) { self.probe = probe }

    func run(_ request: HTTPRequest?) async -> ProbeResult {
        guard let request else {
            look()
            return result(networkFailure, nil)
        }
        let (error, content) = await load(request)
        // How things stand now that the host's addresses are known.
        look()
        if let error { return result(explained(error), nil) }
        guard let response else {
            return result(TransferError(.emptyReply, during: .firstByte, "no answer came"), nil)
        }
        let meaning = probe.expectation.meaning(
            of: response, from: request.uri, content: content, isProved: isProved)
        let hasFailed = if case .expected = meaning { false } else { true }
        note(.meaning, hasFailed ? .failed : .passed, meaning.words, time: nil)
        return result(
            hasFailed ? TransferError(.httpFailure, during: .content, meaning.words) : nil, meaning)
    }

    /// Why steps are left out that are not needed.
    private var unneeded: [ProbeStep: String] = [:]

    // MARK: The network

    /// Looks how the network stands, and whether there is a way to the host.
    private func look() {
        let start = Instant.now
        if let binding = probe.configuration.localBinding {
            for step in [ProbeStep.interface, .address, .route] {
                note(step, .skipped, "connections begin at \(binding.name), whatever the ways are", time: nil)
            }
            network = try? NetworkState.current(waysTo: addresses, interfaceFolder: probe.interfaceFolder)
            return
        }
        do throws(SystemError) {
            network = try NetworkState.current(waysTo: addresses, interfaceFolder: probe.interfaceFolder)
        } catch {
            for step in [ProbeStep.interface, .address, .route] {
                note(step, .skipped, "the system does not tell: \(error)", time: nil)
            }
        }
        guard let network else { return }
        let time = Instant.now - start
        var isMissing = false
        for verdict in NetworkFindings(network, to: addresses).verdicts {
            // What comes behind the step that fails was not reached.
            let outcome: ProbeResult.Outcome = verdict.isThere ? .passed : isMissing ? .skipped : .failed
            isMissing = isMissing || !verdict.isThere
            note(verdict.step, outcome, verdict.words, time: verdict.step == .interface ? time : nil)
        }
    }

    /// What is missing of the network.
    private var networkFailure: TransferError? {
        let missing = [ProbeStep.interface, .address, .route].first { findings[$0]?.outcome == .failed }
        guard let missing, let words = findings[missing]?.words else { return nil }
        let what =
            switch missing {
            case .interface: "no network interface works"
            case .address: "this machine has no address"
            default: addresses.isEmpty ? "there is no way out of this machine" : "there is no way to the host"
            }
        return TransferError(.offline, during: .connect, "\(what): \(words)")
    }

    // MARK: The transfer

    /// Loads, and notes each step. Returns why it failed, or how the content begins.
    private func load(_ request: HTTPRequest) async -> (TransferError?, [UInt8]) {
        unneeded[.dns] =
            if case .name = request.uri.host { "the address is given" } else { "it is an address" }
        if request.uri.scheme == .http { unneeded[.tls] = "http is not secured" }
        let client = Client(probe.configuration)
        defer { client.closeIdleConnections() }
        let content = ProbedContent(atMost: probe.expectation.content?.count ?? 0)
        var hooks = TransferHooks()
        hooks.observe = { [weak self] event in self?.observe(event) }
        // Who blocks a name has it answered so.
        hooks.mayConnect = { !$0.octets.allSatisfy { $0 == 0 } }
        let transfer = client.transfer(request, into: content, options: probe.options, hooks: hooks)
        content.transfer = transfer
        do throws(TransferError) { _ = try await transfer.run() } catch {
            addresses = transfer.addresses.isEmpty ? addresses : transfer.addresses
            // Nothing more is wanted than what has come.
            if response != nil,
                content.isEnough || error.phase == .content && probe.expectation.content == nil
            {
                return (nil, content.octets)
            }
            note(error)
            return (error, [])
        }
        addresses = transfer.addresses
        return (nil, content.octets)
    }

    private func observe(_ event: TransferEvent) {
        switch event {
        case .resolving:
            hasAsked = true
            beginning = .now
        case .resolved(let found):
            addresses = found
            note(.dns, .passed, found.map(\.host).joined(separator: ", "), time: .now - beginning)
        case .connecting:
            if findings[.tcp] == nil, attempts.isEmpty { beginning = .now }
        case .connectFailed(let attempt): attempts.append(attempt)
        case .connected(let remote, let local, _):
            let end =
                remote.map { $0.isOfNetwork ? "\($0.host) port \($0.port)" : $0.host }
                ?? "a socket of this machine"
            let before =
                attempts.isEmpty ? "" : "; before that " + attempts.map(\.description).joined(separator: "; ")
            let own = local.map { $0.isOfNetwork ? " from \($0.host)" : "" } ?? ""
            note(.tcp, .passed, end + own + before, time: .now - beginning)
            beginning = .now
        case .secured(let summary):
            isProved = summary.isVerified
            let proof = summary.isVerified ? "proved by \(summary.issuer)" : "not proved"
            note(.tls, .passed, "\(summary.version), \(proof)", time: .now - beginning)
        case .requestHead: beginning = .now
        case .response(let response):
            self.response = response
            note(.http, .passed, "\(response.version) \(response.statusText)", time: .now - beginning)
        default: break
        }
    }

    /// The transfer has failed: so has the step that was under way.
    private func note(_ error: TransferError) {
        let step: ProbeStep
        var error = error
        switch error.phase {
        case .prepare: return
        case .resolve: step = .dns
        case .connect: step = error.code == .offline ? .dns : .tcp
        case .tls: step = .tls
        case .send, .firstByte, .content, .store: step = .http
        }
        if step == .dns, hasAsked { error.detail += nameServerWords }
        note(step, .failed, error.detail, time: .now - beginning)
    }

    /// Who was asked for the host's addresses, and whether there is a way there.
    private var nameServerWords: String {
        let servers = probe.nameServers()
        guard !servers.isEmpty else { return "" }
        let state = try? NetworkState.current(waysTo: servers, interfaceFolder: probe.interfaceFolder)
        let words = servers.map { server in
            let isReached = state.map { $0.status(of: [server]).isReachable } ?? true
            return server.host + (isReached ? "" : ", to which there is no way")
        }
        return "; asked is \(words.joined(separator: ", "))"
    }

    /// The failure in the words of a probe: without a network that is what is wrong.
    private func explained(_ error: TransferError) -> TransferError {
        if error.code == .offline {
            return TransferError(
                .notResolved, during: .resolve,
                "the resolver answers with an address of nobody, as those do who block a name")
        }
        guard error.phase == .resolve || error.phase == .connect, let failure = networkFailure else {
            // A name that was found, or a connection, proves that the network is there.
            return error
        }
        for step in [ProbeStep.dns, .tcp, .tls, .http, .meaning] { findings[step] = nil }
        unneeded = [:]
        return failure
    }

    // MARK: The result

    private func note(_ step: ProbeStep, _ outcome: ProbeResult.Outcome, _ words: String, time: Duration?) {
        findings[step] = ProbeResult.Finding(step: step, outcome: outcome, duration: time, words: words)
    }

    private func result(_ error: TransferError?, _ meaning: AnswerMeaning?) -> ProbeResult {
        if error == nil || error?.code != .offline {
            // What got further has a way, whatever the kernel was thought to say.
            for step in [ProbeStep.interface, .address, .route] where findings[step]?.outcome == .failed {
                findings[step]?.outcome = .skipped
            }
        }
        let all = ProbeStep.allCases.map { step in
            findings[step]
                ?? ProbeResult.Finding(
                    step: step, outcome: .skipped, duration: nil, words: unneeded[step] ?? "")
        }
        let status = addresses.isEmpty ? network?.status : network?.status(of: addresses)
        return ProbeResult(
            findings: all, error: error, network: network, status: status ?? .unknown, response: response,
            meaning: meaning)
    }
}

/// Keeps the beginning of content, and ends the transfer when that is there.
@NetworkActor
private final class ProbedContent: ContentSink {
    private(set) var octets: [UInt8] = []
    private(set) var isEnough = false
    weak var transfer: Transfer?
    private let limit: Int

    init(atMost limit: Int) { self.limit = limit }

    func begin(_ response: HTTPResponse, length: UInt64?) throws(TransferError) { look() }

    func write(_ content: Span<UInt8>) throws(TransferError) -> SinkDemand {
        for index in 0..<min(content.count, limit - octets.count) { octets.append(content[index]) }
        look()
        return .more
    }

    private func look() {
        guard octets.count >= limit else { return }
        isEnough = true
        transfer?.cancel()
    }
}

extension SocketAddress {
    /// Whether it is no Unix socket.
    fileprivate var isOfNetwork: Bool { isIPv4 || isIPv6 }
}
