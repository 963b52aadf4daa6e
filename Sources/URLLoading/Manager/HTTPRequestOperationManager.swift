public import HTTPClient
public import HTTPMessage
public import Reachability
import System

/// Makes operations for paths below one address, and queues them (D15).
public final class HTTPRequestOperationManager: Sendable {
    /// What paths are relative to; `nil`: they are whole addresses.
    public let baseURL: URI?
    /// Where operations wait for their turn; it can be suspended.
    public let operationQueue: TransferQueue
    /// Tells whether there is a network, once it is started (D23).
    public let reachabilityMonitor: ReachabilityMonitor
    private let session: Session
    private let shared = Lock(Shared())

    private struct Shared: Sendable {
        var completionQueue: TransferQueue?
        var fields = HTTPFields()
    }

    /// A manager whose operations use the connections and the cache of `session`.
    public init(
        baseURL: URI? = nil, operationQueue: TransferQueue = TransferQueue(), session: Session = .shared,
        reachabilityMonitor: ReachabilityMonitor = .shared
    ) {
        self.reachabilityMonitor = reachabilityMonitor
        self.baseURL = baseURL
        self.operationQueue = operationQueue
        self.session = session
    }

    /// Where closures of operations made from now on are called; `nil`: a queue of each operation's own.
    public var completionQueue: TransferQueue? {
        get { shared.withLock { $0.completionQueue } }
        set { shared.withLock { $0.completionQueue = newValue } }
    }

    /// Fields of requests made from now on.
    public var defaultFields: HTTPFields {
        get { shared.withLock { $0.fields } }
        set { shared.withLock { $0.fields = newValue } }
    }

    /// An operation for `request`, which is not queued yet.
    public func httpRequestOperation(
        with request: LoadRequest, success: HTTPRequestOperation.Success? = nil,
        failure: HTTPRequestOperation.Failure? = nil
    ) -> HTTPRequestOperation {
        let (queue, fields) = shared.withLock { ($0.completionQueue, $0.fields) }
        var request = request
        for field in fields where !request.fields.contains(field.name) {
            request.fields.append(field.name, field.value)
        }
        let operation = HTTPRequestOperation(request: request, session: session)
        if let queue { operation.completionQueue = queue }
        operation.setCompletionBlock(success: success, failure: failure)
        return operation
    }

    /// Queues a GET of `path`, with `parameters` as its query. Throws `badURI` where that is no address.
    @discardableResult
    public func get(
        _ path: String, parameters: [(name: String, value: String)] = [],
        success: HTTPRequestOperation.Success? = nil, failure: HTTPRequestOperation.Failure? = nil
    ) throws(TransferError) -> HTTPRequestOperation {
        let uri = try address(path)
        let query = HTTPRequestOperationManager.form(parameters)
        let request = LoadRequest(query.isEmpty ? uri : uri.appendingQuery(Array(query.utf8)))
        return enqueue(request, success, failure)
    }

    /// Queues a HEAD of `path`. Throws `badURI` where that is no address.
    @discardableResult
    public func head(
        _ path: String, success: HTTPRequestOperation.Success? = nil,
        failure: HTTPRequestOperation.Failure? = nil
    ) throws(TransferError) -> HTTPRequestOperation {
        enqueue(LoadRequest(try address(path), method: .head), success, failure)
    }

    /// Queues a POST to `path`, with `parameters` as a form. Throws `badURI` where that is no address.
    @discardableResult
    public func post(
        _ path: String, parameters: [(name: String, value: String)] = [],
        success: HTTPRequestOperation.Success? = nil, failure: HTTPRequestOperation.Failure? = nil
    ) throws(TransferError) -> HTTPRequestOperation {
        var request = LoadRequest(try address(path), method: .post)
        request.content = Array(HTTPRequestOperationManager.form(parameters).utf8)
        request.fields.append(.contentType, "application/x-www-form-urlencoded")
        return enqueue(request, success, failure)
    }

    private func enqueue(
        _ request: LoadRequest, _ success: HTTPRequestOperation.Success?,
        _ failure: HTTPRequestOperation.Failure?
    ) -> HTTPRequestOperation {
        let operation = httpRequestOperation(with: request, success: success, failure: failure)
        operationQueue.addOperation(operation)
        return operation
    }

    private func address(_ path: String) throws(TransferError) -> URI {
        do throws(URIError) {
            guard let baseURL else { return try URI(parsing: path) }
            return try URI(parsing: path, relativeTo: baseURL)
        } catch {
            throw TransferError(.badURI, during: .prepare, "\"\(path)\" is no address: \(error)")
        }
    }

    /// Names and values as a form has them (WHATWG URL, section 5.2, but for the blank, which is `%20`).
    private static func form(_ parameters: [(name: String, value: String)]) -> String {
        parameters.map {
            "\(PercentEncoding.encoded(Array($0.name.utf8)))=\(PercentEncoding.encoded(Array($0.value.utf8)))"
        }
        .joined(separator: "&")
    }
}
