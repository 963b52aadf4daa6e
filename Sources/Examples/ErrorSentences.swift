import Rawget

extension Example {
    /// What went wrong, as a sentence to show and a code to branch on.
    static let errorSentences = Example(
        "D19, D26", "NSError localizedDescription", "TransferError.description, .code"
    ) { stage in
        let session = stage.session
        var codes: [TransferError.Code] = []
        func show(_ error: TransferError?) {
            guard let error else { return stage.fail(nil) }
            codes.append(error.code)
            stage.say("   \(error.code.name): \(error)")
        }

        do throws(TransferError) {
            try HTTPRequestOperationManager().get("http://a host/")
        } catch { show(error) }
        // 60 s for those who choose none (D19).
        let silent = LoadRequest(try stage.uri(.silent), timeoutInterval: .milliseconds(200))
        do throws(TransferError) {
            _ = try await session.data(for: silent)
        } catch { show(error) }
        let unheard = try URI(parsing: "http://127.0.0.1:1/")
        do throws(TransferError) {
            _ = try await session.data(from: unheard)
        } catch { show(error) }
        let task = session.dataTask(with: try stage.uri(.silent))
        task.cancel()
        for await _ in task.states {}
        show(task.error)
        do throws(TransferError) {
            try Array("content".utf8).write(toFile: stage.path("no/such/folder"), atomically: true)
        } catch { show(error) }

        stage.check(
            "five failures, five codes",
            codes == [.badURI, .timedOut, .couldNotConnect, .cancelled, .writeFailed])
    }
}
