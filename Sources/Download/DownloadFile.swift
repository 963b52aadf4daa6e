import Glibc
import HTTPClient
import HTTPMessage
import System
import Transport

/// The file that a download makes: its name, its part, and the record by which another process can go on.
///
/// Content that fits `DownloadWriter.smallContent` is kept in memory until it is whole. What follows goes to the part,
/// from its beginning to its end, so that the part's size tells how much is there.
@NetworkActor
final class DownloadFile {
    /// Octets between two times that the content is brought to its device.
    static let syncInterval: UInt64 = 64 << 20
    /// Least time between them: a fast disk is not slowed down by them, and a fast network does not wait for a slow one.
    static let syncPause = Duration.seconds(1)

    let plan: DownloadPlan
    /// Gives descriptors back that are not needed.
    var makeRoom: @NetworkActor () -> Void = {}
    /// What it is to be called; `nil` as long as no answer has said so, or where no file is made.
    var name: OutputName?
    var output: OutputFile?
    /// The number of the open descriptor, which outlives no use of it.
    var number: Int32?
    /// Content that is not in the part yet.
    var pending: [UInt8] = []
    /// Octets in the part.
    var written: UInt64 = 0
    /// What stands before the content: heads.
    private var preface = 0
    /// The name as it will be given: a link leads to another, or must not be replaced.
    var recordedName: OutputName?
    /// Where the part stands; `nil` where the target is written in place.
    var part: String?
    /// The file that holds the content: its final name after `finish`, the part's before.
    var path: String?
    /// The content goes behind that of the file with the final name.
    private(set) var isInPlace = false
    /// How long that was.
    var lengthAtStart: UInt64 = 0
    /// Whether the writer itself has told of a failure.
    private(set) var hasFailed = false

    /// Where the record goes; `nil` where none is kept.
    var slot: RecordSlot?
    var record: ResumeRecord?
    /// What the content belongs to; its length is not kept up.
    private(set) var representation = PartialRepresentation()
    /// Octets that are on the device, and those on the way there.
    var synced: UInt64 = 0
    /// The bringing under way, by its number.
    var syncing: Int?
    var syncCount = 0
    var lastSync = Instant.now

    init(_ plan: DownloadPlan) { self.plan = plan }

    /// Octets of content that are here.
    var length: UInt64 { written + UInt64(pending.count) - UInt64(preface) }

    /// Whether what is here is worth keeping.
    var isEmpty: Bool { written + UInt64(pending.count) == 0 }

    // MARK: Beginnings

    /// Goes on with a part that an earlier process left. Throws `writeFailed`.
    func adopt(_ found: consuming FoundPart) throws(TransferError) {
        let (record, target, part, length) = (found.record, found.target, found.part, found.length)
        slot = found.slot
        let descriptor = found.takeDescriptor()
        representation = record.representation
        var name = OutputName(target: target, mayReplace: record.mayReplace)
        // A name that is another transfer's by now is not replaced by this one.
        if !plan.takenNames.take(target) { name.mayReplace = false }
        _ = plan.takenNames.take(part)
        self.name = name
        self.record = record
        self.part = part
        path = part
        output = OutputFile(name, part: part, in: plan.folder, descriptor)
        try resume(at: length)
        // From now on there may be more than it says.
        if record.isEnded {
            do throws(SystemError) { try writeRecord(synced: synced) } catch {
                throw TransferError(storing: target, error)
            }
        }
    }

    /// Goes on with the file `path` itself; `known` is its record from when it was a part. Throws `writeFailed`,
    /// `partInUse`.
    func adoptTarget(_ path: String, _ known: ResumeRecord?) throws(TransferError) {
        let descriptor: FileDescriptor
        do throws(SystemError) {
            descriptor = try File.open(path, in: plan.folder, flags: O_RDWR | O_NOFOLLOW | O_NOCTTY)
        } catch {
            throw TransferError(storing: path, error)
        }
        try RecordPlace.claim(descriptor.rawValue, path)
        let length = (try? File.status(of: descriptor.rawValue))?.size ?? 0
        let name = OutputName(target: path, mayReplace: true)
        _ = plan.takenNames.take(path)
        self.name = name
        self.path = path
        representation = known?.representation ?? PartialRepresentation()
        record = known
        isInPlace = true
        output = OutputFile(name, part: nil, in: plan.folder, descriptor)
        try resume(at: length)
    }

    /// What another process can make of the part.
    var continuation: TransferError.Continuation? {
        guard record != nil else { return nil }
        guard representation.isProved else { return .beginsAnew(reason: "nothing can be put behind that") }
        return representation.obstacle.map { .beginsAnew(reason: $0) } ?? .goesOn
    }

    private func resume(at length: UInt64) throws(TransferError) {
        number = output?.descriptor.rawValue
        written = length
        lengthAtStart = length
        synced = record?.representation.length ?? 0
        guard let number else { return }
        do throws(SystemError) {
            // What is behind it may never have reached the device.
            if let size = try? File.status(of: number).size, size > length {
                try File.truncate(number, to: length)
            }
            try File.seek(to: length, in: number)
        } catch {
            throw TransferError(storing: name?.path ?? "", error)
        }
    }

    /// The content of `representation` is to come, from its first octet on.
    func begin(_ representation: PartialRepresentation) { self.representation = representation }

    /// What is known of the version: by the first answer, where nothing was before.
    func learn(_ change: (inout PartialRepresentation) -> Void) { change(&representation) }

    /// What is here is of no use: `representation` comes, from its first octet on. A file that has the final name stays as
    /// it is until that is whole. Throws `writeFailed`.
    func startOver(_ representation: PartialRepresentation) throws(TransferError) {
        self.representation = representation
        pending = []
        preface = 0
        synced = 0
        if isInPlace {
            output = nil
            number = nil
            path = nil
            written = 0
            isInPlace = false
            record = nil
            return
        }
        guard let number else { return }
        do throws(SystemError) {
            // In this order: at no time does the record speak of other octets than those that are there.
            try File.truncate(number, to: 0)
            try File.seek(to: 0, in: number)
            written = 0
            try writeRecord(synced: 0)
            syncing = nil
        } catch {
            throw TransferError(storing: name?.path ?? "", error)
        }
    }

    /// Forgets what came behind the first `length` octets of content. Throws `writeFailed`.
    func rollBack(to length: UInt64) throws(TransferError) {
        let whole = length + UInt64(preface)
        guard whole < written + UInt64(pending.count) else { return }
        if whole >= written {
            pending.removeLast(pending.count - Int(whole - written))
            return
        }
        pending = []
        guard let number else { return }
        do throws(SystemError) {
            // What is on its way to the device is not what will be there.
            syncing = nil
            // First the record: at no time does it speak of more than there is.
            if synced > whole {
                try writeRecord(synced: whole)
                synced = whole
            }
            try File.truncate(number, to: whole)
            try File.seek(to: whole, in: number)
            written = whole
        } catch {
            throw TransferError(storing: name?.path ?? "", error)
        }
    }

    // MARK: Content

    /// Puts heads before the content.
    func begin(behind heads: [UInt8]) {
        pending = heads
        preface = heads.count
    }

    /// Keeps or writes content. Throws `writeFailed`.
    func append(_ content: Span<UInt8>) throws(TransferError) {
        if number == nil {
            if pending.count + content.count <= DownloadWriter.smallContent {
                pending.append(copying: content)
                return
            }
            try open(recording: true)
            try flush(recording: true)
        }
        try put(content)
    }

    /// Reads octets of the content from `offset` on into `buffer`, `count` at most. Returns how many. Throws `readFailed`.
    func read(into buffer: inout [UInt8], at offset: UInt64, _ count: Int) throws(TransferError) -> Int {
        let start = offset + UInt64(preface)
        if start >= written {
            let first = min(Int(start - written), pending.count)
            let end = min(first + count, pending.count)
            buffer.replaceSubrange(0..<(end - first), with: pending[first..<end])
            return end - first
        }
        guard let number else { return 0 }
        do throws(SystemError) {
            let wanted = Int(min(UInt64(count), written - start))
            return try File.read(into: &buffer, wanted, at: start, from: number)
        } catch {
            throw TransferError(
                .readFailed, during: .store, "could not read \(path ?? ""): \(error.explanation)",
                errno: error.errno)
        }
    }

    /// Counts octets that the kernel has put into the part.
    func didSplice(_ count: Int) {
        written += UInt64(count)
        syncIfDue()
    }

    func put(_ content: Span<UInt8>) throws(TransferError) {
        guard let number else { return }
        var done = 0
        do throws(SystemError) {
            defer { written += UInt64(done) }
            while done < content.count {
                let rest = content.extracting(droppingFirst: done)
                let count = try File.writeSome(rest, to: number)
                done += count
                if count == 0 { File.waitUntilWritable(number) }
            }
        } catch {
            hasFailed = true
            throw TransferError(storing: name?.path ?? "", error)
        }
        syncIfDue()
    }

    /// Opens the part, where that was not done yet, and writes what is kept in memory. `recording`: so that another process
    /// can go on with it. Throws `writeFailed`.
    func flush(recording: Bool) throws(TransferError) {
        if number == nil { try open(recording: recording) }
        guard !pending.isEmpty else { return }
        let octets = pending
        pending = []
        try put(octets.span)
    }

    private func open(recording: Bool) throws(TransferError) {
        guard let name else { return }
        do throws(TransferError) {
            do throws(TransferError) { try open(name, recording) } catch {
                // Kept connections may hold the last descriptors.
                guard error.errno == EMFILE || error.errno == ENFILE else { throw error }
                makeRoom()
                try open(name, recording)
            }
        } catch {
            removeRecord()
            throw error
        }
        if recording { keepRecord() }
    }

    private func open(_ name: OutputName, _ recording: Bool) throws(TransferError) {
        let opened = try OutputFile(
            name, in: plan.folder, createsFolders: plan.createsFolders, names: plan.takenNames
        ) { if recording { keepRecord(of: $0, for: OutputName(target: $1, mayReplace: $2)) } }
        part = opened.part
        path = part ?? opened.target
        number = opened.descriptor.rawValue
        output = consume opened
    }

    /// Whether what was written can be read back: of a device it cannot.
    var isReadable: Bool { number == nil || part != nil || isInPlace }

    /// Where octets may go straight from the socket.
    var spliceTarget: SpliceTarget? { number.map { SpliceTarget(descriptor: $0) } }
}
