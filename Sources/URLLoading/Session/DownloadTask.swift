import HTTPClient
import System

/// A task whose content goes to a temporary file (D9, D10, D12).
///
/// It asks for no content coding, so that it can be gone on with, and its answer is not stored in the cache.
public final class DownloadTask: SessionTask, @unchecked Sendable {
    // Safety: everything stored is constant.

    /// What it goes on with; `nil` for a task that begins at the first octet.
    let givenResumeData: [UInt8]?

    init(
        _ identifier: Int, in session: Session, _ request: LoadRequest?, completion: TaskCompletion,
        resumeData: [UInt8]? = nil
    ) {
        givenResumeData = resumeData
        super.init(identifier, in: session, request, completion: completion)
    }

    /// Pauses for good: ends the task as `cancelled` and hands over what a later task, in this process or another, goes on
    /// from (`Session.downloadTask(withResumeData:)`). It is good for one such task that gets an answer.
    ///
    /// `nil` where there is nothing to go on from: the task is over, has received nothing, is no GET, or the server named
    /// no strong validator or takes no ranges. A task that fails by itself has the same in its error. The handler is called once, on the delegate queue, before the task's last
    /// calls.
    public func cancel(byProducingResumeData completionHandler: @escaping @Sendable ([UInt8]?) -> Void) {
        cancel(producing: completionHandler) {
            session.order.append { completionHandler(nil) }
        }
    }

    /// The same for those who wait.
    public func cancelByProducingResumeData() async -> [UInt8]? {
        let question = Question<[UInt8]?>(nil)
        cancel { question.resolve($0) }
        return await question.answer()
    }
}
