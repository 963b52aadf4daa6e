import Rawget

extension Example {
    /// A connection whose delegate writes each piece behind the last and lets it go: for any size. Beside it, what the same
    /// takes in memory.
    static let connectionToFile = Example(
        "D5", "NSURLConnection and NSFileHandle", "URLConnectionDelegate, FileWriter"
    ) { stage in
        let streamer = Streamer(stage)
        _ = URLConnection(request: LoadRequest(try stage.uri(.large)), delegate: streamer)
        await streamer.ending.wait()
        stage.say("   \(streamer.line.text)")
        let path = stage.path("large.bin")
        stage.check(
            "64 MiB, none held: \(streamer.gauge.text)",
            streamer.gauge.growth < 24 << 20 && stage.isWhole(.large, at: path))
        try DownloadedFile.remove(path)

        // Second, so that memory which it gives back late is not in the first one's figures.
        let gauge = MemoryGauge(stage)
        let collector = Collector(gauge)
        _ = URLConnection(request: LoadRequest(try stage.uri(.large)), delegate: collector)
        await collector.ending.wait()
        stage.check(
            "64 MiB, all held: \(gauge.text)",
            gauge.growth > 32 << 20 && collector.content.count == ExampleResource.large.length)
    }
}

/// Writes the content to a file and shows how far it is.
private final class Streamer: URLConnectionDelegate, @unchecked Sendable {
    // Safety: the calls come one at a time, and nobody else looks before the last of them.
    let ending = Ending()
    let line = ProgressLine()
    let gauge: MemoryGauge
    private let stage: ExampleStage
    private var writer: FileWriter?
    private var expected: Int64 = -1

    init(_ stage: ExampleStage) {
        self.stage = stage
        gauge = MemoryGauge(stage)
    }

    func connection(_ connection: URLConnection, didReceive response: HTTPResponse) {
        do throws(TransferError) {
            // An empty file; what an earlier answer had brought is gone.
            writer = try FileWriter(creating: stage.path(response.suggestedFilename))
            expected = response.expectedContentLength
        } catch {
            stop(connection, error)
        }
    }

    func connection(_ connection: URLConnection, didReceive piece: [UInt8]) {
        guard let writer else { return }
        do throws(TransferError) { try writer.write(piece) } catch { return stop(connection, error) }
        line.show(Int64(writer.offset), of: expected)
        gauge.look()
    }

    func connectionDidFinishLoading(_ connection: URLConnection) {
        // Some file systems tell only now that they could not write.
        do throws(TransferError) { try writer?.close() } catch { stage.fail(error) }
        line.show(Int64(writer?.offset ?? 0), of: expected, .finished)
        ending.come()
    }

    func connection(_ connection: URLConnection, didFailWith error: TransferError) {
        stage.fail(error)
        ending.come()
    }

    /// The content cannot be saved. After the cancel no call comes.
    private func stop(_ connection: URLConnection, _ error: TransferError) {
        connection.cancel()
        stage.fail(error)
        ending.come()
    }
}
