import Rawget

extension Example {
    /// One call that blocks, for something small.
    static let contentsOfURI = Example(
        "D1", "NSData dataWithContentsOfURL:", "[UInt8](contentsOf:)"
    ) { stage in
        let uri = try stage.uri(.archive)
        // Whoever calls is blocked: so that is no thread which has more to do, but one of a queue.
        let queue = TransferQueue(name: "calls that block")
        let ending = Ending()
        queue.addOperation {
            do throws(TransferError) {
                // Past the limit it fails; who names none gets 256 MiB.
                let content = try [UInt8](contentsOf: uri, maximumLength: 1 << 20)
                stage.check("\(content.count) octets in memory", stage.isWhole(.archive, content))
            } catch {
                stage.fail(error)
            }
            ending.come()
        }
        await ending.wait()
    }
}
