import Download
import HTTPClient
import HTTPMessage
import System
import Transport

/// A temporary file that a download goes to.
@NetworkActor
final class FileTarget: LoadTarget {
    private let folder: PrivateFolder
    private var file: TemporaryFile?

    init(_ folder: PrivateFolder) { self.folder = folder }

    /// Takes over the file that resume data names. Throws `badResume` where it is not what the data says.
    func adopt(_ data: ResumeData) throws(TransferError) -> PartialRepresentation {
        file = try data.takeFile()
        return data.part
    }

    func begin(_ response: HTTPResponse, length: UInt64?) throws(TransferError) {
        guard let file else { return file = try folder.makeFile(extension: "tmp") }
        do throws(SystemError) {
            try File.truncate(file.descriptor, to: 0)
            try File.seek(to: 0, in: file.descriptor)
        } catch {
            throw TransferError(writing: file.path, error)
        }
    }

    func write(_ content: Span<UInt8>) throws(TransferError) -> SinkDemand {
        guard let file else { return .more }
        do throws(SystemError) { try File.write(content, to: file.descriptor) } catch {
            throw TransferError(writing: file.path, error)
        }
        return .more
    }

    var spliceTarget: SpliceTarget? { file.map { SpliceTarget(descriptor: $0.descriptor) } }

    var canBeginAnew: Bool { true }

    /// Lets the file stay.
    func keep() { file?.keep() }

    /// The file, handed over.
    func finish() -> TemporaryFile? { file.take() }

    /// What a later task goes on from: everything that `load` has received is on its device first. `nil` where there is
    /// nothing to go on from. The file is to be kept by whoever hands it out.
    func resumeData(of load: Load) async -> [UInt8]? {
        guard let file, load.part.length > 0, load.part.isContinuable, load.request.canBeContinued,
            load.part.coding == nil
        else { return nil }
        do throws(SystemError) {
            try await DiskSync.finish(file.descriptor, .content)
            var part = load.part
            // A device that was full may have taken less.
            let size = try File.status(of: file.descriptor).size
            if size > part.length { try File.truncate(file.descriptor, to: part.length) }
            part.length = min(part.length, size)
            guard part.length > 0 else { return nil }
            // Of what is whole the last octet is asked for once more: a request for nothing is refused (RFC 9110,
            // section 15.5.17).
            if part.length == part.completeLength, part.length > 1 {
                part.length -= 1
                try File.truncate(file.descriptor, to: part.length)
            }
            let data = try ResumeData(load.request, part, file)
            return data.octets
        } catch {
            // What is not on its device cannot be promised.
            return nil
        }
    }
}
