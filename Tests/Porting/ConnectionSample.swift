/// The documents' NSURLConnection with a delegate: a file handle, a progress text, and going on where it stopped
/// (D4, D5, D8, D25).
final class ConnectionDownload: URLConnectionDelegate {
    private let filePath: String
    private let state = NSLock()
    nonisolated(unsafe) private var writer: FileWriter?
    nonisolated(unsafe) private var totalLength: Int64 = 0
    nonisolated(unsafe) private var currentLength: Int64 = 0
    nonisolated(unsafe) private(set) var progressText = ""
    nonisolated(unsafe) private(set) var calls: [String] = []
    nonisolated(unsafe) private var connection: URLConnection?
    /// The connection is cancelled behind so many octets, as if a person had pressed "pause".
    private let pausesAt: Int64?
    let done = Latch()

    init(savingTo filePath: String, pausingAt pausesAt: Int64? = nil) {
        self.filePath = filePath
        self.pausesAt = pausesAt
    }

    /// Begins, or goes on behind what is on the disk.
    func start(_ url: URI) {
        var request = LoadRequest(url)
        let attributes = try? FileManager.default.attributesOfItem(atPath: filePath)
        currentLength = (attributes?[.size] as? NSNumber)?.int64Value ?? 0
        request.setValue("bytes=\(currentLength)-", forHTTPHeaderField: "Range")
        connection = URLConnection(request: request, delegate: self)
        connection?.start()
    }

    func connection(
        _ connection: URLConnection, willSend request: LoadRequest, redirectResponse: HTTPResponse?
    ) -> LoadRequest? {
        calls.append("willSend")
        return request
    }

    func connection(_ connection: URLConnection, didReceive response: HTTPResponse) {
        calls.append("didReceiveResponse")
        totalLength = response.expectedContentLength + currentLength
        do { writer = try FileWriter(appendingTo: filePath) } catch { print("could not open: \(error)") }
    }

    func connection(_ connection: URLConnection, didReceive data: [UInt8]) {
        if calls.last != "didReceiveData" { calls.append("didReceiveData") }
        do { try writer?.write(data) } catch { print("could not save: \(error)") }
        currentLength += Int64(data.count)
        let progress = TransferProgress(received: UInt64(currentLength), expected: UInt64(totalLength))
        progressText = progress.percentText ?? ""
        if let pausesAt, currentLength >= pausesAt {
            connection.cancel()
            done.open()
        }
    }

    func connectionDidFinishLoading(_ connection: URLConnection) {
        calls.append("didFinishLoading")
        writer = nil
        done.open()
    }

    func connection(_ connection: URLConnection, didFailWith error: TransferError) {
        calls.append("didFailWithError")
        print("failed: \(error)")
        done.open()
    }
}

func connectionWithDelegate(_ base: String, folder: String) throws {
    let url = try URI(parsing: "\(base)/moved/movie.mp4")
    let path = "\(folder)/movie.mp4"
    let first = ConnectionDownload(savingTo: path, pausingAt: 100_000)
    first.start(url)
    first.done.wait()
    let second = ConnectionDownload(savingTo: path)
    second.start(url)
    second.done.wait()
    check(
        second.calls == ["willSend", "willSend", "didReceiveResponse", "didReceiveData", "didFinishLoading"],
        "order of calls: \(second.calls)")
    check(second.progressText == "100.00%", "progress \(second.progressText)")
    check(FileManager.default.contents(atPath: path).map { [UInt8]($0) } == Served.movie, "NSFileHandle")
}
