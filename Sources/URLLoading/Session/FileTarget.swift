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
    /// What is to be gone on with, as long as no answer has brought more: until then its file is not touched, and it stays
    /// good for another try.
    private var pending: ResumeData?

    init(_ folder: PrivateFolder) { self.folder = folder }

    /// Goes on with what resume data names. Throws `badResume` where it is not what the data says.
    func resume(_ data: ResumeData) throws(TransferError) -> PartialRepresentation {
        try data.checkFile()
        pending = data
        return data.part
    }

    /// Takes the file of resume data over, so that nobody else can. Throws `badResume` where somebody else has.
    func goOn() throws(TransferError) {
        if let data = pending.take() { file = try data.takeFile() }
    }

    func begin(_ response: HTTPResponse, length: UInt64?) throws(TransferError) {
        try goOn()
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
        if let pending { return pending.octets }
        guard let file, load.part.length > 0, load.part.isContinuable, load.request.canBeContinued
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
