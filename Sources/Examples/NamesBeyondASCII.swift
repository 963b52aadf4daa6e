import Rawget

extension Example {
    /// An address with characters beyond ASCII, the name that it gives, and where the file is meanwhile.
    static let namesBeyondASCII = Example(
        "D21, D22", "stringByAddingPercentEscapes, the temporary folder", "URI, FileName, temporaryDirectory"
    ) { stage in
        // What is no ASCII is sent as UTF-8, percent-encoded; a query is no part of the name.
        let text = "\(stage.server)\(ExampleResource.archive.rawValue)?r=1"
        let uri = try URI(parsing: text)
        stage.say("   \(uri.requestTarget)")
        guard let name = FileName(uri)?.text else { return stage.fail(nil) }

        let (location, _) = try await stage.session.download(from: uri)
        stage.check(
            "received as a .tmp in a private folder",
            location.hasPrefix("\(stage.temporaryFolder)/") && location.hasSuffix(".tmp"))
        // Over file systems it is copied beside the target and renamed there.
        try DownloadedFile.move(location, to: stage.path(name))
        stage.check(
            "moved to \(name)",
            stage.isWhole(.archive, at: stage.path(name)) && (try? [UInt8](contentsOfFile: location)) == nil)
    }
}
