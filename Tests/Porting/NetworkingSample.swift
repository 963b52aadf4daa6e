// The documents' AFNetworking (D15, D16).

func requestOperation(_ base: String, folder: String) throws {
    let operation = HTTPRequestOperation(request: LoadRequest(try URI(parsing: "\(base)/movie.mp4")))
    let done = Latch()
    let last = Shared<Int64>(0)
    operation.setDownloadProgressBlock { bytesRead, totalBytesRead, totalBytesExpectedToRead in
        check(
            bytesRead <= totalBytesRead && totalBytesExpectedToRead == Int64(Served.movie.count),
            "progress block")
        last.set(totalBytesRead)
    }
    operation.setCompletionBlock(
        success: { operation, responseObject in
            check(responseObject == Served.movie, "AFHTTPRequestOperation")
            try? responseObject.write(toFile: "\(folder)/operation.mp4", atomically: true)
            done.open()
        },
        failure: { operation, error in
            check(false, "\(error)")
            done.open()
        })
    operation.start()
    done.wait()
    check(last.value == Int64(Served.movie.count), "all was told")
    check(FileManager.default.fileExists(atPath: "\(folder)/operation.mp4"), "written")
}

func requestOperationManager(_ base: String) throws {
    let manager = HTTPRequestOperationManager(baseURL: try URI(parsing: "\(base)/"))
    let operationQueue = manager.operationQueue
    // As the reachability sample does: suspended on cellular, let go on Wi-Fi.
    operationQueue.isSuspended = true
    let done = Latch()
    try manager.get(
        "logo.png",
        success: { operation, data in
            check(data == Served.logo, "manager")
            done.open()
        },
        failure: { operation, error in
            check(false, "\(error)")
            done.open()
        })
    check(operationQueue.operationCount == 1, "it waits")
    operationQueue.isSuspended = false
    done.wait()
    let failed = Latch()
    try manager.get(
        "none", success: { _, _ in check(false, "404 is no success") },
        failure: { operation, error in
            check(operation.response?.status == .notFound, "failure block: \(error)")
            failed.open()
        })
    failed.wait()
}

func sessionManager(_ base: String, folder: String) throws {
    var configuration = SessionConfiguration.default
    configuration.temporaryDirectory = "\(folder)/tmp"
    let manager = SessionManager(sessionConfiguration: configuration)
    let written = Shared<Int64>(0)
    manager.setDownloadTaskDidWriteDataBlock { session, downloadTask, bytesWritten, total, expected in
        written.set(total)
    }
    let url = try URI(parsing: "\(base)/logo.png")
    for isOverruled in [false, true] {
        if isOverruled {
            manager.setDownloadTaskDidFinishDownloadingBlock { session, downloadTask, location in
                "\(folder)/by-session.png"
            }
        }
        let done = Latch()
        let task = manager.downloadTask(
            with: LoadRequest(url),
            destination: { targetPath, response in
                "\(folder)/\(response?.suggestedFilename ?? "")"
            },
            completionHandler: { response, filePath, error in
                let expected = isOverruled ? "\(folder)/by-session.png" : "\(folder)/logo.png"
                check(error == nil && filePath == expected, "filePath \(filePath ?? "-")")
                done.open()
            })
        task.resume()
        done.wait()
    }
    check(written.value == Int64(Served.logo.count), "didWriteData block")
    for name in ["logo.png", "by-session.png"] {
        let saved = FileManager.default.contents(atPath: "\(folder)/\(name)")
        check(saved.map { [UInt8]($0) } == Served.logo, name)
    }
}

/// The names of the rest of the documents, beside Foundation's.
func indicatorAndNames() {
    ActivityIndicator.shared.isEnabled = true
    check(!ActivityIndicator.shared.isVisible, "nothing is loaded")
    ActivityIndicator.shared.isEnabled = false
    check(TransferProgress(received: 1, expected: 4).percentText == "25.00%", "percentText")
    check(AcceptRanges([.acceptRanges: "bytes"]) == .bytes, "AcceptRanges")
    check(CachePolicy(name: "reloadIgnoringCacheData") == .reloadIgnoringLocalCacheData, "CachePolicy")
    // Foundation's own, unqualified.
    check(URLSession.shared !== URLSession(configuration: .ephemeral), "URLSession")
    check(URLRequest(url: URL(fileURLWithPath: "/")).cachePolicy == .useProtocolCachePolicy, "URLRequest")
    check(
        URLCache.shared.memoryCapacity >= 0 && OperationQueue.main.maxConcurrentOperationCount == 1,
        "URLCache")
}
