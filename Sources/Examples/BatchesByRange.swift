import Rawget

extension Example {
    /// A large file as a row of requests for a mebibyte each; both ends of a range are included.
    static let batchesByRange = Example(
        "D7", "batches by Range", "Range: bytes=0-1048575; DownloadPlan.pieceSize"
    ) { stage in
        let size: UInt64 = 1 << 20
        let uri = try stage.uri(.large)

        // By hand.
        let path = stage.path("batches.bin")
        let writer = try FileWriter(creating: path)
        var total: UInt64?
        var requests = 0
        while writer.offset < total ?? .max {
            var request = LoadRequest(uri)
            request.setValue(
                "bytes=\(writer.offset)-\(writer.offset + size - 1)", forHTTPHeaderField: "Range")
            let (response, content) = try await URLConnection.send(request)
            // A server may answer with another part, or with all of it.
            let range = response.fields[.contentRange].flatMap { ContentRange(parsing: $0) }
            guard response.status == .partialContent, let range, range.offsets?.lowerBound == writer.offset
            else { return stage.fail(nil) }
            try writer.write(content)
            total = range.completeLength
            requests += 1
        }
        try writer.close()
        stage.check("\(requests) requests of 1 MiB by hand", stage.isWhole(.large, at: path))

        // By the downloader, which besides sees to it that all pieces are of one version.
        let before = stage.requestCount()
        var plan = DownloadPlan(HTTPRequest(uri), to: .path(path))
        plan.pieceSize = size
        let result = try await Downloader(Client()).download(plan)
        stage.check(
            "\(stage.requestCount() - before) requests by Downloader",
            result.path == path && stage.isWhole(.large, at: path))
        try DownloadedFile.remove(path)
    }
}
