import Rawget

extension Example {
    /// Downloads that a session's delegate follows, and what can be done with a task meanwhile.
    static let sessionWithDelegate = Example(
        "D10, D11", "NSURLSession with a delegate", "Session(configuration:delegate:), SessionDelegate"
    ) { stage in
        let follower = Follower(stage)
        let session = Session(configuration: stage.configuration, delegate: follower)

        let task = session.downloadTask(with: try stage.uri(.archive))
        let changes = task.states
        task.resume()
        task.suspend()
        task.resume()
        var states: [String] = []
        for await state in changes { states.append("\(state)") }
        await follower.ending.wait()
        stage.say("   \(follower.line.text)")
        stage.check(
            "the task was \(states.joined(separator: ", "))",
            states == ["suspended", "running", "suspended", "running", "completed"]
                && stage.isWhole(.archive, at: stage.path("delegate.zip")))

        follower.begin()
        let second = session.downloadTask(with: try stage.uri(.interrupted))
        second.resume()
        // Each change of a task's progress; of the interrupted archive half comes.
        for await progress in second.progressUpdates where progress.fraction ?? 0 > 0.49 { break }
        second.cancel()
        await follower.ending.wait()
        stage.check(
            "another: \(follower.line.text); its error says \"\(second.error?.description ?? "")\"",
            second.error?.description == "cancelled" && second.progress.received == 0)
        session.finishTasksAndInvalidate()
    }
}

/// Follows one download after another.
private final class Follower: SessionDelegate, @unchecked Sendable {
    // Safety: the calls come one at a time, and nobody else looks before a task's last.
    private(set) var ending = Ending()
    private(set) var line = ProgressLine()
    private let stage: ExampleStage

    init(_ stage: ExampleStage) { self.stage = stage }

    /// Another download.
    func begin() { (ending, line) = (Ending(), ProgressLine()) }

    func session(
        _ session: Session, downloadTask: DownloadTask, didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) { line.show(totalBytesWritten, of: totalBytesExpectedToWrite) }

    func session(_ session: Session, downloadTask: DownloadTask, didFinishDownloadingTo location: String) {
        // The file is gone when this returns.
        do throws(TransferError) {
            try DownloadedFile.move(location, to: stage.path("delegate.zip"))
        } catch {
            stage.fail(error)
        }
    }

    /// The last call, of a task that has succeeded, too.
    func session(_ session: Session, task: SessionTask, didCompleteWith error: TransferError?) {
        line.show(task.progress)
        ending.come()
    }
}
