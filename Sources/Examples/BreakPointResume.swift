import Rawget

extension Example {
    /// A download that goes on where the file on disk ends, also after the death of the process.
    ///
    /// The length is all that this style knows: where the server has a new version, the file is made of two. `Downloader.resume`
    /// and resume data prove that it has none.
    static let breakPointResume = Example(
        "D8", "the length of the file on disk", "FileWriter(appendingTo:), Range: bytes=N-"
    ) { stage in
        let path = stage.path("break-point.zip")
        // Three processes, as it were: nothing but the file goes from one to the next.
        for outcome in ["cancelled", "finished", "complete already"] {
            let appender = try Appender(stage, path)
            var request = LoadRequest(try stage.uri(.interrupted))
            // The file counts, not a cache.
            request.cachePolicy = .reloadIgnoringLocalCacheData
            request.setValue("bytes=\(appender.start)-", forHTTPHeaderField: "Range")
            _ = URLConnection(request: request, delegate: appender)
            await appender.ending.wait()
            stage.check("Range: bytes=\(appender.start)-: \(appender.outcome)", appender.outcome == outcome)
        }
        stage.check("break-point.zip is the archive", stage.isWhole(.archive, at: path))
    }
}

/// Writes behind what is there of a file. It pauses once, in the middle.
private final class Appender: URLConnectionDelegate, @unchecked Sendable {
    // Safety: the calls come one at a time, and nobody else looks before the last of them.
    let ending = Ending()
    /// Octets that were there.
    let start: UInt64
    private(set) var outcome = ""
    private let stage: ExampleStage
    private var writer: FileWriter?
    private var total: Int64 = -1

    init(_ stage: ExampleStage, _ path: String) throws(TransferError) {
        self.stage = stage
        let writer = try FileWriter(appendingTo: path)
        (self.writer, start) = (writer, writer.offset)
    }

    func connection(_ connection: URLConnection, didReceive response: HTTPResponse) {
        do throws(TransferError) {
            switch response.status {
            case .partialContent: total = response.expectedContentLength + Int64(start)
            case .ok:
                // The whole, whatever was asked for.
                writer = try writer.map { (old) throws(TransferError) in try FileWriter(creating: old.path) }
                total = response.expectedContentLength
            case .rangeNotSatisfiable: end(connection, "complete already")
            default: end(connection, "failed: \(response.statusText)")
            }
        } catch { end(connection, "failed: \(error)") }
    }

    func connection(_ connection: URLConnection, didReceive piece: [UInt8]) {
        guard let writer else { return }
        do throws(TransferError) { try writer.write(piece) } catch {
            return end(connection, "failed: \(error)")
        }
        // Pausing is cancelling: what is on disk stays.
        if start == 0, Int64(writer.offset) >= total / 2 { end(connection, "cancelled") }
    }

    func connectionDidFinishLoading(_ connection: URLConnection) { end(connection, "finished") }

    func connection(_ connection: URLConnection, didFailWith error: TransferError) {
        end(connection, "failed: \(error)")
    }

    private func end(_ connection: URLConnection, _ outcome: String) {
        connection.cancel()
        self.outcome = outcome
        writer = nil
        ending.come()
    }
}
