import Rawget

extension Example {
    /// A task that is paused for good, and another one that goes on, in another session or another process.
    static let pauseAndGoOn = Example(
        "D12", "cancelByProducingResumeData:, downloadTaskWithResumeData:",
        "cancelByProducingResumeData(), download(resumeFrom:)"
    ) { stage in
        let task = stage.session.downloadTask(with: try stage.uri(.interrupted))
        task.resume()
        for await progress in task.progressUpdates where progress.fraction ?? 0 > 0.49 { break }
        // `nil` where nothing came, or the server cannot prove that the rest belongs to it.
        guard let paused = await task.cancelByProducingResumeData() else { return stage.fail(task.error) }
        // It keeps as a file does, and names the temporary file with what came.
        try paused.write(toFile: stage.path("resume.data"), atomically: true)
        let known = try ResumeData(parsing: paused)
        stage.say(
            "   paused at \(known.countOfBytesReceived) of \(known.countOfBytesExpected ?? 0) octets; \(paused.count) octets of resume data"
        )

        // As if in another process.
        let kept = try [UInt8](contentsOfFile: stage.path("resume.data"))
        let (location, response) = try await stage.session.download(resumeFrom: kept)
        let target = stage.path("resumed.zip")
        try DownloadedFile.move(location, to: target)
        stage.check(
            "gone on with in another session: \(response.fields[.contentRange] ?? response.statusText)",
            stage.isWhole(.archive, at: target))
        do throws(TransferError) {
            _ = try await stage.session.download(resumeFrom: kept)
            stage.fail(nil)
        } catch {
            stage.check("once: a second time it is \(error.code.name)", error.code == .badResume)
        }
    }
}
