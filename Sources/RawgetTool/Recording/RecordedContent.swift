import HTTPClient
import System
import Transport

/// Content of a request that is noted for a recorder while it is read.
@NetworkActor
final class RecordedContent: RequestContent {
    private let content: any RequestContent
    private let file: FileArgument
    private let log: RunLog
    /// A file is noted whole at once: a server may want less of it.
    private let isNoted: Bool

    init(_ content: any RequestContent, of file: FileArgument, _ invocation: Invocation, _ log: RunLog) {
        self.content = content
        self.file = file
        self.log = log
        guard let length = content.length else {
            isNoted = false
            log.noteStream(file)
            return
        }
        isNoted = true
        // What is longer than a recording may be is read as far as it takes to know that.
        let limit = Int(clamping: min(length, UInt64(Recorder.mostOctets) + 1))
        let octets: [UInt8]? =
            switch file {
            case .standard:
                RecordedContent.octets(limit, of: invocation.standardInput)
            case .path(let path):
                if let descriptor = try? File.open(path, in: invocation.directory, flags: 0) {
                    RecordedContent.octets(limit, of: descriptor.rawValue)
                } else {
                    nil
                }
            }
        log.noteReading(octets ?? [], of: file)
    }

    /// Octets from where the file stands, which stays.
    private static func octets(_ count: Int, of descriptor: Int32) -> [UInt8]? {
        var octets: [UInt8] = []
        let start = File.position(of: descriptor)
        while octets.count < count {
            guard
                let more = try? File.readSome(
                    count - octets.count, at: start + UInt64(octets.count), from: descriptor),
                !more.isEmpty
            else { break }
            octets += more
        }
        return octets
    }

    var length: UInt64? { content.length }

    func next(atMost limit: Int, until deadline: Deadline) async throws(TransferError) -> [UInt8] {
        let octets = try await content.next(atMost: limit, until: deadline)
        if !isNoted { log.noteMore(octets, of: file) }
        return octets
    }

    func rewind() -> Bool { content.rewind() }
}
