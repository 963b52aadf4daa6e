import Rawget

extension Example {
    /// A manager that asks a closure where each file goes; what the whole session's closure says goes before that.
    static let managerWithDestination = Example(
        "D16", "AFURLSessionManager",
        "SessionManager.downloadTask(with:progress:destination:completionHandler:)"
    ) { stage in
        let manager = SessionManager(sessionConfiguration: stage.configuration)
        let uri = try stage.uri(.archive)
        for isForSession in [false, true] {
            if isForSession {
                manager.setDownloadTaskDidFinishDownloadingBlock { _, _, _ in stage.path("session.zip") }
            }
            let line = ProgressLine()
            let ending = Ending()
            let task = manager.downloadTask(
                with: uri,
                progress: { progress in line.show(progress) },
                destination: { _, response in stage.path("own-\(response?.suggestedFilename ?? "")") }
            ) { _, path, error in
                defer { ending.come() }
                guard let path else { return stage.fail(error) }
                let name = path.dropFirst(stage.folder.utf8.count + 1)
                stage.check(
                    "\(line.text), saved as \(name)",
                    stage.isWhole(.archive, at: path) && (name == "session.zip") == isForSession)
            }
            task.resume()
            await ending.wait()
        }
        manager.invalidateSessionCancelingTasks(false)
    }
}
