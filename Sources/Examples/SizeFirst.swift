import Rawget

extension Example {
    /// The size and the type, without the content.
    static let sizeFirst = Example("D6", "a HEAD request first", "LoadRequest(uri, method: .head)") { stage in
        let request = LoadRequest(try stage.uri(.archive), method: .head)
        let (response, content) = try await URLConnection.send(request)
        let ranges = AcceptRanges(response.fields)
        stage.check(
            "\(response.expectedContentLength) octets, \(response.fields[.contentType] ?? "of no type"), ranges of \(ranges)",
            response.expectedContentLength == ExampleResource.archive.length && ranges == .bytes
                && content.isEmpty)
    }
}
