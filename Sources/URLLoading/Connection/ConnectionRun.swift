import Download
import HTTPClient
import HTTPMessage
import Transport

/// A connection under way: asks and tells its delegate.
@NetworkActor
final class ConnectionRun: LoadFollower {
    private let request: LoadRequest
    private var load: Load?
    private var activity = ActivityCount()
    /// Held while it loads.
    private var connection: URLConnection?
    private var order: CallOrder?
    private var isCancelled = false

    nonisolated init(_ request: LoadRequest) { self.request = request }

    /// Begins to load, in a task of its own.
    func start(_ connection: URLConnection, _ order: CallOrder) {
        guard !isCancelled else { return }
        self.connection = connection
        self.order = order
        activity.isActive = true
        Task(executorPreference: NetworkActor.loop) { await self.perform(connection, order) }
    }

    /// Ends it. Nobody is told.
    func cancel() {
        isCancelled = true
        load?.cancel()
    }

    private func perform(_ connection: URLConnection, _ order: CallOrder) async {
        let target = FeedTarget(order) { piece in
            connection.delegate?.connection(connection, didReceive: piece)
        }
        let load = Load(request, of: .shared, to: target)
        target.load = load
        load.follower = self
        self.load = load
        if isCancelled { load.cancel() }
        let failure: TransferError?
        do throws(TransferError) {
            _ = try await load.run()
            failure = nil
        } catch { failure = error }
        activity.isActive = false
        self.load = nil
        self.connection = nil
        order.append {
            guard let delegate = connection.takeDelegate() else { return }
            if let failure {
                delegate.connection(connection, didFailWith: failure)
            } else {
                delegate.connectionDidFinishLoading(connection)
            }
        }
    }

    /// Asks the delegate, in its turn.
    private func ask<Value: Sendable>(
        orElse fallback: Value,
        _ call: @escaping @Sendable (URLConnection, any URLConnectionDelegate) -> Value
    ) async -> Value {
        guard let load, let order, let connection else { return fallback }
        return await load.ask(order, orElse: fallback) { reply in
            guard let delegate = connection.delegate else { return }
            reply.send(call(connection, delegate))
        }
    }

    func request(_ request: HTTPRequest, after redirect: HTTPResponse?) async -> HTTPRequest? {
        var proposed = self.request
        proposed.take(request)
        let shown = proposed
        return await ask(orElse: nil) { connection, delegate in
            delegate.connection(connection, willSend: shown, redirectResponse: redirect)
        }?.asSent
    }

    func mayReceive(_ response: HTTPResponse) async -> Bool {
        // The call goes out before the content's, in the same order: nobody waits for it.
        guard let order, let connection else { return false }
        order.append { connection.delegate?.connection(connection, didReceive: response) }
        return true
    }

    func mayStore(_ response: HTTPResponse) async -> Bool {
        await ask(orElse: false) { connection, delegate in
            delegate.connection(connection, willCacheResponse: response)
        }
    }

    func answer(_ challenge: AuthenticationChallenge) async -> AuthenticationAnswer {
        await ask(orElse: .performDefaultHandling) { connection, delegate in
            delegate.connection(connection, willSendRequestFor: challenge)
        }
    }

    func observe(_ event: TransferEvent) {}
    func willSend(_ request: HTTPRequest) {}
    func hasReceived(_ progress: TransferProgress) {}
    func goesOn(_ response: HTTPResponse, at offset: UInt64, of total: UInt64?) {}
}
