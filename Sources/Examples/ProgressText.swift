import Rawget

extension Example {
    /// How far a task is, as a person sees it, and the ways in which it can end.
    static let progressText = Example("D25", "the progress view and its label", "TransferProgress") { stage in
        let session = stage.session
        for (resource, state) in [
            (.archive, .finished), (.unsized, .finished), (.cut, .failed), (.interrupted, .cancelled),
        ] as [(ExampleResource, TransferProgress.State)] {
            let task = session.downloadTask(with: try stage.uri(resource))
            let line = ProgressLine()
            task.resume()
            for await progress in task.progressUpdates {
                line.show(progress)
                if resource == .interrupted, progress.fraction ?? 0 > 0.49 { task.cancel() }
            }
            stage.check("\(resource): \(line.text)", task.progress.state == state)
        }
    }
}
