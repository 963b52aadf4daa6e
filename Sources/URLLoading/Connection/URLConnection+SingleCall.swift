import Download
public import HTTPClient
public import HTTPMessage
import System
import Transport

// The styles of a single call.
extension URLConnection {
    /// Loads and blocks the calling thread until that is done (D2). The content may have 256 MiB.
    ///
    /// Throws why it failed; on the network loop's own thread, where waiting would be for ever, at once, as `badRequest`. A
    /// status that tells of a failure is no error: look at the response.
    public static func sendSynchronousRequest(
        _ request: LoadRequest
    ) throws(TransferError) -> (response: HTTPResponse, content: [UInt8]) {
        try block(request, maximumLength: CollectedContent.defaultMaximumLength)
    }

    /// The same, with a limit of the caller's.
    static func block(
        _ request: LoadRequest, maximumLength: UInt64
    ) throws(TransferError) -> (response: HTTPResponse, content: [UInt8]) {
        guard NetworkActor.loop.isIsolatingCurrentContext() != true else {
            throw TransferError(
                .badRequest, during: .prepare,
                "\(request.uri.withoutUserinfoAndFragment) cannot be waited for on the network loop's own thread, which would have to load it: use send(_:) there"
            )
        }
        let result = Monitor<Result<(HTTPResponse, [UInt8]), TransferError>?>(nil)
        Task(executorPreference: NetworkActor.loop) {
            let outcome = await outcome(of: request, maximumLength: maximumLength)
            result.withLock { $0 = outcome }
            result.notifyAll()
        }
        let (response, content) = try result.wait { $0 }.get()
        return (response, content)
    }

    /// Loads, and calls `completionHandler` on `queue` when that is done (D3). The content may have 256 MiB.
    public static func sendAsynchronousRequest(
        _ request: LoadRequest, queue: TransferQueue,
        completionHandler:
            @escaping @Sendable (
                _ response: HTTPResponse?, _ content: [UInt8]?, _ error: TransferError?
            ) -> Void
    ) {
        Task(executorPreference: NetworkActor.loop) {
            let outcome = await outcome(of: request, maximumLength: CollectedContent.defaultMaximumLength)
            queue.addOperation {
                switch outcome {
                case .success(let (response, content)): completionHandler(response, content, nil)
                case .failure(let error): completionHandler(nil, nil, error)
                }
            }
        }
    }

    /// Loads and waits without blocking a thread (D3). Cancelling the caller's task cancels the load. The content may have
    /// 256 MiB. Throws why it failed.
    public static func send(
        _ request: LoadRequest
    ) async throws(TransferError) -> (response: HTTPResponse, content: [UInt8]) {
        try await NetworkActor.run { () throws(TransferError) in
            let load = PlainLoad(
                request, of: .shared, maximumLength: CollectedContent.defaultMaximumLength)
            return try await load.run()
        }
    }

    @NetworkActor
    private static func outcome(
        of request: LoadRequest, maximumLength: UInt64
    ) async -> Result<(HTTPResponse, [UInt8]), TransferError> {
        do throws(TransferError) {
            let load = PlainLoad(request, of: .shared, maximumLength: maximumLength)
            return .success(try await load.run())
        } catch { return .failure(error) }
    }
}

extension [UInt8] {
    /// The content of a small resource, by one call that blocks (D1). Throws as `URLConnection.sendSynchronousRequest`;
    /// besides `httpFailure` where the server answers by a status that tells of a failure, and `tooLarge` past
    /// `maximumLength`, which is 256 MiB.
    public init(
        contentsOf uri: URI, maximumLength: UInt64 = CollectedContent.defaultMaximumLength
    ) throws(TransferError) {
        let (response, content) = try URLConnection.block(
            LoadRequest(uri), maximumLength: maximumLength)
        guard !response.status.isFailure else {
            throw TransferError(
                .httpFailure, during: .content,
                "\(uri.withoutUserinfoAndFragment) was answered by \(response.statusText)")
        }
        self = content
    }
}
