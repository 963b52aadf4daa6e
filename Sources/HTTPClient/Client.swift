import HTTPCache
public import HTTPMessage
import HTTPWire
import System
public import Transport

/// Sends requests and brings their final responses; keeps connections between them. Two clients share
/// nothing but the cache that both are given.
///
/// A client may be used from anywhere; what it does happens on the network loop.
@NetworkActor
public final class Client {
    /// Fixed when the client is made.
    public nonisolated let configuration: ClientConfiguration
    let pool: ConnectionPool
    let addressCache: AddressCache
    /// Connections opened so far.
    var connections = 0
    /// Origins whose last response was of HTTP/1.0; a few, the latest last.
    private var oldOrigins: [Origin] = []
    /// Made when the first connection is secured; nothing is kept of one that failed.
    var tlsContext: TLSContext?

    /// A client with no connection yet.
    public nonisolated init(_ configuration: ClientConfiguration = ClientConfiguration()) {
        self.configuration = configuration
        pool = ConnectionPool(
            limit: configuration.maximumConnectionsPerHost, lifetime: configuration.idleConnectionLifetime,
            maximumIdle: configuration.maximumIdleConnections)
        addressCache = AddressCache(lifetime: configuration.addressLifetime, asking: configuration.asking)
    }

    /// Starts a transfer: the content of the final response goes to `sink`. It ends when the content has come whole;
    /// what the sink still has to do with it is the caller's next step. `content`, in place of the request's own, is
    /// read while it is sent.
    public func send(
        _ request: HTTPRequest, content: (any RequestContent)? = nil, into sink: any ContentSink,
        options: TransferOptions = TransferOptions(), hooks: TransferHooks = TransferHooks()
    ) -> Transfer {
        NetworkActor.loop.startThreadIfNeeded()
        let transfer = transfer(request, content: content, into: sink, options: options, hooks: hooks)
        transfer.start()
        return transfer
    }

    /// A transfer that its caller runs in a task of its own (`Transfer.run`).
    package func transfer(
        _ request: HTTPRequest, content: (any RequestContent)? = nil, into sink: any ContentSink,
        options: TransferOptions = TransferOptions(), hooks: TransferHooks = TransferHooks()
    ) -> Transfer {
        Transfer(request, content: content, into: sink, options: options, hooks: hooks, client: self)
    }

    // The loop keeps what it watches alive: nobody else would close the idle connections of a client that is gone.
    isolated deinit { pool.closeIdle() }

    /// Closes every idle connection. Transfers under way go on.
    public func closeIdleConnections() { pool.closeIdle() }

    /// Idle connections kept now.
    public var idleConnectionCount: Int { pool.idleConnectionCount }

    // MARK: One request to one final response

    /// Hop after hop, until a response is final (RFC 9110, section 15.4).
    func perform(_ transfer: Transfer) async throws(TransferError) -> TransferReport {
        transfer.timings = Timings()
        let total = transfer.options.totalTimeout.map {
            Deadline(.total, at: transfer.timings.start + $0, duration: $0)
        }
        var first = transfer.request
        if let willSend = transfer.hooks.willSend {
            guard let changed = await willSend(first, nil) else {
                throw TransferError(
                    .cancelled, during: .prepare, "the request was refused before it was sent")
            }
            first = changed
        }
        first = first.withCredentials
        var decision = cacheDecision(on: first, transfer)
        if case .answer(let stored)? = decision,
            let report = try answerAtOnce(stored, to: first, for: transfer)
        {
            return report
        }
        let chain = RedirectChain(first, for: transfer)
        while true {
            let report: TransferReport
            do throws(TransferError) {
                report = try await answer(chain, decision, for: transfer, total: total ?? .never)
                decision = nil
            } catch {
                if let answer = transfer.answer, try !chain.advance(behind: answer) {
                    transfer.answer = chain.summed(answer)
                }
                throw error
            }
            guard try chain.advance(behind: report) else { return chain.summed(report) }
            // Stored redirects may lead round and round.
            if report.source == .cache { try await transfer.yield(during: .prepare, until: total ?? .never) }
        }
    }

    /// One exchange, sent again once when a kept connection turns out dead (RFC 9112, section 9.3.1), or when the server
    /// cannot be asked for a go-ahead (RFC 9110, section 15.5.18).
    func exchange(
        _ request: HTTPRequest, _ chain: RedirectChain, for transfer: Transfer, total: Deadline,
        _ stage: CacheStage? = nil
    ) async throws(TransferError) -> TransferReport {
        // Before anything is opened: what cannot be sent needs no connection.
        var outgoing = try OutgoingContent(of: request, chain.content, transfer.options)
        try checkVersion(for: outgoing, to: request.uri.origin)
        var isResent = false
        var opened = 0
        while true {
            guard !transfer.isCancelled else {
                throw TransferError(.cancelled, during: .prepare, "cancelled")
            }
            let lease = try await connection(
                for: request, transfer: transfer, fresh: isResent, total: total)
            opened += lease.opened
            let driver = ExchangeDriver(
                request, outgoing, on: lease.connection, for: transfer, configuration: configuration,
                total: total)
            driver.chain = chain
            driver.stage = stage
            do throws(TransferError) {
                let report = try await driver.run(opened: opened)
                noteVersion(report.response.version, of: request.uri.origin)
                settle(lease.connection, driver.reuseVerdict, transfer)
                guard driver.isExpectationRefused else { return report }
            } catch {
                settle(lease.connection, driver.reuseVerdict, transfer)
                // A connection that was kept and died before any octet came proves nothing about the server: the
                // request goes out once more, unless the first one may have had an effect (RFC 9110, section 9.2.2).
                guard lease.opened == 0, !isResent, driver.isUnanswered, request.method.isIdempotent,
                    error.code == .emptyReply || error.code == .sendFailed || error.code == .receiveFailed
                else { throw error }
                isResent = true
                try chain.rewind()
                transfer.observe(.resending)
                continue
            }
            outgoing = try outgoing.withoutExpectation(request)
            try chain.rewind()
            transfer.beginExchange(isRedirect: false)
            transfer.observe(.resendingWithoutExpect)
        }
    }

    /// The request with what this client adds to it.
    func prepared(_ request: HTTPRequest, _ options: TransferOptions) -> HTTPRequest {
        var request = request
        if options.contentForm == .decoded, !request.fields.contains(.acceptEncoding) {
            request.fields.append(.acceptEncoding, ContentForm.offeredCodings)
        }
        // Who keeps no connection says so (RFC 9112, section 9.3).
        if !configuration.keepsConnections {
            let options = CommaList(.connection, in: request.fields)
            if !options.contains(token: "close") { request.fields.append(.connection, "close") }
        }
        return request
    }

    /// Chunks are for servers that know HTTP/1.1. Of one nobody has heard of yet the caller's word is taken, which is the
    /// version asked for; of others their last response is remembered (RFC 9112, section 6.1).
    private func checkVersion(for content: OutgoingContent, to origin: Origin) throws(TransferError) {
        guard content.length == .unknown, oldOrigins.contains(origin) else { return }
        throw TransferError(
            .uploadFailed, during: .prepare,
            "content whose length is not known cannot be sent to \(origin.host), which answered by HTTP/1.0 and so knows no chunks"
        )
    }

    private func noteVersion(_ version: HTTPVersion, of origin: Origin) {
        if !oldOrigins.isEmpty { oldOrigins.removeAll { $0 == origin } }
        guard version < .http11 else { return }
        if oldOrigins.count == 64 { oldOrigins.removeFirst() }
        oldOrigins.append(origin)
    }

    /// Gives a connection back, or closes it.
    private func settle(_ connection: PooledConnection, _ verdict: ReuseVerdict, _ transfer: Transfer) {
        if verdict == .reusable {
            pool.release(connection)
            transfer.observe(.connectionKept(connection: connection.number))
        } else {
            connection.stream.close()
            pool.closed(connection.key)
            transfer.observe(.connectionClosed(connection: connection.number, reason: verdict.description))
        }
    }
}

extension HTTPRequest {
    /// The request with the credentials of its URI, if it has none of its own.
    fileprivate var withCredentials: HTTPRequest {
        guard uri.user != nil || uri.password != nil, !fields.contains(.authorization),
            let user = BasicCredentials(userinfoOf: uri)
        else { return self }
        var request = self
        request.fields.append(.authorization, user.fieldValue)
        return request
    }
}
