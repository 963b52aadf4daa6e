import Rawget

extension Example {
    /// A request that is sent and waited for.
    static let synchronousRequest = Example(
        "D2", "NSURLConnection sendSynchronousRequest:", "URLConnection.sendSynchronousRequest"
    ) { stage in
        let request = LoadRequest(try stage.uri(.archive))
        let queue = TransferQueue(name: "calls that block")
        let ending = Ending()
        queue.addOperation {
            do throws(TransferError) {
                let (response, content) = try URLConnection.sendSynchronousRequest(request)
                stage.check(
                    "\(response.statusText), \(content.count) octets in memory",
                    stage.isWhole(.archive, content))
            } catch {
                stage.fail(error)
            }
            ending.come()
        }
        await ending.wait()
        await refuseOnLoop(request, stage)
    }

    /// The thread of the network loop would have to load what it waits for.
    @NetworkActor
    private static func refuseOnLoop(_ request: LoadRequest, _ stage: ExampleStage) {
        do throws(TransferError) {
            _ = try URLConnection.sendSynchronousRequest(request)
            stage.fail(nil)
        } catch {
            stage.check(
                "on the network loop's own thread it throws \(error.code.name)", error.code == .badRequest)
        }
    }
}
