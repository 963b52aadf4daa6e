public import HTTPMessage
import HTTPWire
import System
public import Transport

/// Sends requests and brings their final responses; keeps connections between them. Two clients share nothing.
///
/// A client may be used from anywhere; what it does happens on the network loop.
@NetworkActor
public final class Client {
    /// Fixed when the client is made.
    public nonisolated let configuration: ClientConfiguration
    let pool: ConnectionPool
    /// Connections opened so far.
    var connections = 0
    /// Made when the first connection is secured; nothing is kept of one that failed.
    var tlsContext: TLSContext?

    /// A client with no connection yet.
    public nonisolated init(_ configuration: ClientConfiguration = ClientConfiguration()) {
        self.configuration = configuration
        pool = ConnectionPool(
            limit: configuration.maximumConnectionsPerHost, lifetime: configuration.idleConnectionLifetime,
            maximumIdle: configuration.maximumIdleConnections)
    }

    /// Starts a transfer: the content of the final response goes to `sink`. It ends when the content has come whole;
    /// what the sink still has to do with it is the caller's next step.
    public func send(
        _ request: HTTPRequest, into sink: any ContentSink, options: TransferOptions = TransferOptions(),
        hooks: TransferHooks = TransferHooks()
    ) -> Transfer {
        NetworkActor.loop.startThreadIfNeeded()
        let transfer = transfer(request, into: sink, options: options, hooks: hooks)
        transfer.start()
        return transfer
    }

    /// A transfer that its caller runs in a task of its own (`Transfer.run`).
    package func transfer(
        _ request: HTTPRequest, into sink: any ContentSink, options: TransferOptions = TransferOptions(),
        hooks: TransferHooks = TransferHooks()
    ) -> Transfer {
        Transfer(request, into: sink, options: options, hooks: hooks, client: self)
    }

    // The loop keeps what it watches alive: nobody else would close the idle connections of a client that is gone.
    isolated deinit { pool.closeIdle() }

    /// Closes every idle connection. Transfers under way go on.
    public func closeIdleConnections() { pool.closeIdle() }

    /// Idle connections kept now.
    public var idleConnectionCount: Int { pool.idleConnectionCount }

    // MARK: One request to one final response

    func perform(_ transfer: Transfer) async throws(TransferError) -> TransferReport {
        var request = transfer.request
        transfer.timings = Timings()
        if let willSend = transfer.hooks.willSend {
            guard let changed = await willSend(request, nil) else {
                throw TransferError(
                    .cancelled, during: .prepare, "the request was refused before it was sent")
            }
            request = changed
        }
        let total = transfer.options.totalTimeout.map {
            Deadline(.total, at: transfer.timings.start + $0, duration: $0)
        }
        return try await exchange(request, for: transfer, total: total ?? .never)
    }

    /// One exchange, sent again once when a kept connection turns out dead (RFC 9112, section 9.3.1).
    private func exchange(
        _ request: HTTPRequest, for transfer: Transfer, total: Deadline
    ) async throws(TransferError) -> TransferReport {
        var request = request
        if transfer.options.contentForm == .decoded, !request.fields.contains(.acceptEncoding) {
            request.fields.append(.acceptEncoding, ContentCoding.offer)
        }
        // Before anything is opened: what cannot be sent needs no connection.
        let head = try request.headOctets(transfer.options.version)
        var isResent = false
        while true {
            guard !transfer.isCancelled else {
                throw TransferError(.cancelled, during: .prepare, "cancelled")
            }
            let lease = try await connection(
                for: request, transfer: transfer, fresh: isResent, total: total)
            let driver = ExchangeDriver(
                request, head: head, on: lease.connection, for: transfer, configuration: configuration,
                total: total)
            do throws(TransferError) {
                let report = try await driver.run(opened: lease.opened)
                settle(lease.connection, driver.reuseVerdict, transfer)
                return report
            } catch {
                settle(lease.connection, driver.reuseVerdict, transfer)
                // A connection that was kept and died before any octet came proves nothing about the server: the
                // request goes out once more, unless the first one may have had an effect (RFC 9110, section 9.2.2).
                guard lease.opened == 0, !isResent, driver.isUnanswered, request.method.isIdempotent,
                    error.code == .emptyReply || error.code == .sendFailed || error.code == .receiveFailed
                else { throw error }
                isResent = true
                transfer.observe(.resending)
            }
        }
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
