import Rawget

extension Example {
    /// A sign that something is loading, over all requests, as the documents show in the status bar.
    static let networkActivity = Example(
        "D24", "AFNetworkActivityIndicatorManager", "ActivityIndicator.shared"
    ) { stage in
        let indicator = ActivityIndicator.shared
        let delay = indicator.activationDelay
        indicator.isEnabled = true
        // It appears after a second; here it need not take so long.
        indicator.activationDelay = .milliseconds(50)
        defer { (indicator.isEnabled, indicator.activationDelay) = (false, delay) }

        let task = stage.session.downloadTask(with: try stage.uri(.interrupted))
        let isIdle = indicator.activityCount == 0
        task.resume()
        // Half of it comes, and then nothing.
        for await progress in task.progressUpdates where progress.fraction ?? 0 > 0.49 { break }
        guard task.state == .running else { return stage.fail(task.error) }
        var seen: [Bool] = []
        for await isVisible in indicator.visibilityChanges {
            seen.append(isVisible)
            if isVisible { task.suspend() }  // what is suspended does not count
            if seen.contains(true), !isVisible { break }
        }
        task.cancel()
        stage.check(
            "hidden, visible while a task runs, hidden when it is suspended",
            isIdle && seen.drop { !$0 } == [true, false])
    }
}
