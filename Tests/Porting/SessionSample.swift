// The documents' NSURLSession: a completion, a delegate, pausing and going on (D9 to D14).

func sharedSession(_ base: String, folder: String) throws {
    let request = LoadRequest(try URI(parsing: "\(base)/logo.png"))
    let done = Latch()
    let target = "\(folder)/session.png"
    _ = FileManager.default.createFile(atPath: target, contents: Data("old".utf8))
    let task = Session.shared.downloadTask(with: request) { location, response, error in
        if let location, error == nil {
            do {
                if FileManager.default.fileExists(atPath: target) {
                    try FileManager.default.removeItem(atPath: target)
                }
                try FileManager.default.copyItem(atPath: location, toPath: target)
            } catch {
                print("could not save: \(error)")
            }
        }
        done.open()
    }
    check(task.state == .suspended, "tasks start suspended")
    task.resume()
    done.wait()
    check(FileManager.default.contents(atPath: target).map { [UInt8]($0) } == Served.logo, "sharedSession")
}

/// A controller with three buttons: begin, pause, go on.
final class SessionDownload: SessionDelegate {
    private let target: String
    nonisolated(unsafe) private(set) var calls: [String] = []
    nonisolated(unsafe) private(set) var written: Int64 = 0
    nonisolated(unsafe) private(set) var text = ""
    let begun = Latch()
    let done = Latch()

    init(savingTo target: String) { self.target = target }

    func session(
        _ session: Session, downloadTask: DownloadTask, didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) {
        if calls.last != "didWriteData" { calls.append("didWriteData") }
        written += bytesWritten
        text = String(format: "%.2f%%", Double(totalBytesWritten) / Double(totalBytesExpectedToWrite) * 100)
        begun.open()
    }

    func session(
        _ session: Session, downloadTask: DownloadTask, didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64
    ) { calls.append("didResumeAtOffset") }

    func session(_ session: Session, downloadTask: DownloadTask, didFinishDownloadingTo location: String) {
        calls.append("didFinishDownloadingTo")
        do { try DownloadedFile.move(location, to: target) } catch { print("could not save: \(error)") }
    }

    func session(_ session: Session, task: SessionTask, didCompleteWith error: TransferError?) {
        calls.append(error.map { "\($0)" } ?? "success")
        done.open()
    }
}

/// A session as the documents configure it.
func makeSession(_ delegate: SessionDownload?, folder: String) -> Session {
    var configuration = SessionConfiguration.default
    configuration.timeoutIntervalForRequest = .seconds(20)
    configuration.allowsCellularAccess = true
    configuration.httpMaximumConnectionsPerHost = 4
    configuration.discretionary = false
    configuration.temporaryDirectory = "\(folder)/tmp"
    return Session(configuration: configuration, delegate: delegate, delegateQueue: nil)
}

/// The first half: pauses, and leaves the resume data in a file, for another process.
func pauseSession(_ base: String, folder: String) throws {
    let download = SessionDownload(savingTo: "\(folder)/session.mp4")
    let session = makeSession(download, folder: folder)
    let task = session.downloadTask(with: try URI(parsing: "\(base)/slow/movie.mp4"))
    task.resume()
    download.begun.wait()
    check(task.state == .running && task.state.rawValue == 0, "running")
    let paused = Latch()
    task.cancel(byProducingResumeData: { data in
        _ = FileManager.default.createFile(atPath: "\(folder)/resume.data", contents: data.map { Data($0) })
        paused.open()
    })
    paused.wait()
    download.done.wait()
    check(download.calls == ["didWriteData", "cancelled"], "pause: \(download.calls)")
}

/// The second half, in a process of its own.
func resumeSession(folder: String) throws {
    guard let data = FileManager.default.contents(atPath: "\(folder)/resume.data") else {
        return check(false, "there is no resume data")
    }
    let download = SessionDownload(savingTo: "\(folder)/session.mp4")
    let session = makeSession(download, folder: folder)
    session.downloadTask(withResumeData: [UInt8](data)).resume()
    download.done.wait()
    check(
        download.calls == ["didResumeAtOffset", "didWriteData", "didFinishDownloadingTo", "success"],
        "resume: \(download.calls)")
    check(download.text == "100.00%" && download.written < Served.movie.count, "only the rest was loaded")
    let saved = FileManager.default.contents(atPath: "\(folder)/session.mp4")
    check(saved.map { [UInt8]($0) } == Served.movie, "the content is whole")
    check(
        (try? FileManager.default.contentsOfDirectory(atPath: "\(folder)/tmp")) == [], "nothing is left over")
}
