public import HTTPClient
public import HTTPMessage

// The tasks of a session, in their three forms: for the delegate, with a completion handler, and waited for.
extension Session {
    // MARK: Data

    /// A task that hands its content to the delegate.
    public func dataTask(with request: LoadRequest) -> DataTask {
        add { DataTask($0, in: self, request, completion: .none) }
    }

    /// The same for a GET.
    public func dataTask(with uri: URI) -> DataTask { dataTask(with: LoadRequest(uri)) }

    /// A task that hands its content to `completionHandler`, whole, on the delegate queue. Past `maximumContentLength` it
    /// fails as `tooLarge`.
    public func dataTask(
        with request: LoadRequest,
        completionHandler:
            @escaping @Sendable (
                _ content: [UInt8]?, _ response: HTTPResponse?, _ error: TransferError?
            ) -> Void
    ) -> DataTask {
        add { DataTask($0, in: self, request, completion: .data(completionHandler)) }
    }

    /// The same for a GET.
    public func dataTask(
        with uri: URI,
        completionHandler:
            @escaping @Sendable (
                _ content: [UInt8]?, _ response: HTTPResponse?, _ error: TransferError?
            ) -> Void
    ) -> DataTask { dataTask(with: LoadRequest(uri), completionHandler: completionHandler) }

    /// Loads and waits. Cancelling the caller's task cancels the load. Throws why it failed.
    public func data(
        for request: LoadRequest
    ) async throws(TransferError) -> (content: [UInt8], response: HTTPResponse) {
        let question = Question<Result<([UInt8], HTTPResponse), TransferError>>(.failure(.cancelledTask))
        let task = dataTask(with: request) { content, response, error in
            question.resolve(Session.result(content, response, error))
        }
        let (content, response) = try await Session.wait(for: task, question)
        return (content, response)
    }

    /// The same for a GET.
    public func data(
        from uri: URI
    ) async throws(TransferError) -> (content: [UInt8], response: HTTPResponse) {
        try await data(for: LoadRequest(uri))
    }

    // MARK: Downloads

    /// A task whose file the delegate gets.
    public func downloadTask(with request: LoadRequest) -> DownloadTask {
        add { DownloadTask($0, in: self, request, completion: .none) }
    }

    /// The same for a GET.
    public func downloadTask(with uri: URI) -> DownloadTask { downloadTask(with: LoadRequest(uri)) }

    /// A task whose file `completionHandler` gets, on the delegate queue; it is removed when that returns: move it, or
    /// open it.
    public func downloadTask(
        with request: LoadRequest,
        completionHandler:
            @escaping @Sendable (
                _ location: String?, _ response: HTTPResponse?, _ error: TransferError?
            ) -> Void
    ) -> DownloadTask {
        add {
            DownloadTask(
                $0, in: self, request, completion: .download(completionHandler, keepsFile: false))
        }
    }

    /// The same for a GET.
    public func downloadTask(
        with uri: URI,
        completionHandler:
            @escaping @Sendable (
                _ location: String?, _ response: HTTPResponse?, _ error: TransferError?
            ) -> Void
    ) -> DownloadTask { downloadTask(with: LoadRequest(uri), completionHandler: completionHandler) }

    /// A task that goes on where another one stopped. Resume data that is damaged, foreign or used fails the task, as
    /// `badResume`, when it is resumed.
    public func downloadTask(withResumeData resumeData: [UInt8]) -> DownloadTask {
        downloadTask(resumeData, completion: .none)
    }

    /// The same with a completion handler.
    public func downloadTask(
        withResumeData resumeData: [UInt8],
        completionHandler:
            @escaping @Sendable (
                _ location: String?, _ response: HTTPResponse?, _ error: TransferError?
            ) -> Void
    ) -> DownloadTask {
        downloadTask(resumeData, completion: .download(completionHandler, keepsFile: false))
    }

    private func downloadTask(_ resumeData: [UInt8], completion: TaskCompletion) -> DownloadTask {
        let request = (try? ResumeData(parsing: resumeData))?.loadRequest
        return add {
            DownloadTask($0, in: self, request, completion: completion, resumeData: resumeData)
        }
    }

    /// Downloads and waits. The file is the caller's: to move, or to remove. Cancelling the caller's task cancels the
    /// download. Throws why it failed; the error's `resumeData` are what `download(resumeFrom:)` goes on with.
    public func download(
        for request: LoadRequest
    ) async throws(TransferError) -> (location: String, response: HTTPResponse) {
        try await download { completion in add { DownloadTask($0, in: self, request, completion: completion) }
        }
    }

    /// The same for a GET.
    public func download(
        from uri: URI
    ) async throws(TransferError) -> (location: String, response: HTTPResponse) {
        try await download(for: LoadRequest(uri))
    }

    /// The same, going on where a task stopped.
    public func download(
        resumeFrom resumeData: [UInt8]
    ) async throws(TransferError) -> (location: String, response: HTTPResponse) {
        try await download { downloadTask(resumeData, completion: $0) }
    }

    private func download(
        _ make: (TaskCompletion) -> DownloadTask
    ) async throws(TransferError) -> (location: String, response: HTTPResponse) {
        let question = Question<Result<(String, HTTPResponse), TransferError>>(.failure(.cancelledTask))
        let completion = TaskCompletion.download(
            { location, response, error in question.resolve(Session.result(location, response, error)) },
            keepsFile: true)
        let (location, response) = try await Session.wait(for: make(completion), question)
        return (location, response)
    }

    private static func result<Value>(
        _ value: Value?, _ response: HTTPResponse?, _ error: TransferError?
    ) -> Result<(Value, HTTPResponse), TransferError> {
        guard let value, let response else { return .failure(error ?? .cancelledTask) }
        return .success((value, response))
    }

    private static func wait<Value: Sendable>(
        for task: SessionTask, _ question: Question<Result<Value, TransferError>>
    ) async throws(TransferError) -> Value {
        task.resume()
        let result = await withTaskCancellationHandler {
            await question.answer()
        } onCancel: {
            task.cancel()
        }
        return try result.get()
    }
}
