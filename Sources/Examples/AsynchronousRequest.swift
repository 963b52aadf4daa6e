import Rawget

extension Example {
    /// A request whose answer a closure gets, on a queue of the caller's choice, and saves.
    static let asynchronousRequest = Example(
        "D3", "NSURLConnection sendAsynchronousRequest:", "URLConnection.sendAsynchronousRequest"
    ) { stage in
        let queue = TransferQueue(name: "answers")
        let ending = Ending()
        let request = LoadRequest(try stage.uri(.archive))
        URLConnection.sendAsynchronousRequest(request, queue: queue) { response, content, error in
            defer { ending.come() }
            guard let response, let content else { return stage.fail(error) }
            do throws(TransferError) {
                let path = stage.path(response.suggestedFilename)
                // Whoever looks sees the old file or the new one, and no half of it.
                try content.write(toFile: path, atomically: true)
                stage.check(
                    "saved as \(response.suggestedFilename)", stage.isWhole(.archive, at: path))
            } catch {
                stage.fail(error)
            }
        }
        await ending.wait()

        // The same in the language's own way.
        let (response, content) = try await URLConnection.send(request)
        stage.check(
            "await URLConnection.send: \(response.statusText)", stage.isWhole(.archive, content))
    }
}
