import Rawget

extension Example {
    /// A download with a completion handler, of the session that everybody has.
    static let sharedSession = Example(
        "D9", "sharedSession, downloadTaskWithRequest:completionHandler:",
        "Session.shared.downloadTask(with:completionHandler:)"
    ) { stage in
        // A program says `Session.shared`.
        let session = stage.session
        let ending = Ending()
        let task = session.downloadTask(with: try stage.uri(.archive)) { location, response, error in
            defer { ending.come() }
            guard let location, let response else { return stage.fail(error) }
            do throws(TransferError) {
                // The temporary file is gone when this returns: it is moved now.
                let target = stage.path(response.suggestedFilename)
                try DownloadedFile.move(location, to: target, replacing: true)
                stage.check("moved to \(response.suggestedFilename)", stage.isWhole(.archive, at: target))
            } catch {
                stage.fail(error)
            }
        }
        stage.check("a new task is \(task.state)", task.state == .suspended)
        task.resume()
        await ending.wait()
    }
}
