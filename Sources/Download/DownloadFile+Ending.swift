import Glibc
import HTTPClient
import System
import Transport

// What becomes of the file when no more comes.
extension DownloadFile {
    /// Writes, dates and names the whole file. Returns its path. Throws `writeFailed`.
    func finish(modified: Int64?) throws(TransferError) -> String? {
        guard name != nil else { return nil }
        // A part that was opened earlier may have been moved since.
        let wasLeft = number != nil
        do throws(TransferError) { try flush(recording: false) } catch {
            if !plan.keepsParts || output?.isEmpty ?? true { discard() }
            throw error
        }
        if wasLeft, let number, isReadable, (try? File.status(of: number))?.size != written {
            throw TransferError(
                .writeFailed, during: .store,
                "\(path ?? "") was changed by another program while it was written")
        }
        guard let file = output.take() else { return nil }
        number = nil
        if let modified, file.part != nil || isInPlace {
            do throws(SystemError) { try File.setModified(modified, of: file.descriptor.rawValue) } catch {
                // The content is whole: a date that the file system cannot keep is no reason to lose it.
            }
        }
        path = try file.finish(
            plan.takenNames, refusesExisting: plan.refusesExisting, wasLeft: wasLeft,
            keepsPart: plan.keepsParts)
        removeRecord()
        return path
    }

    /// Waits until what was written is on its device. Throws `writeFailed`.
    func synchronize() async throws(TransferError) {
        guard let number else { return }
        do throws(SystemError) { try await DiskSync.finish(number, .all) } catch {
            throw TransferError(storing: name?.path ?? "", error)
        }
    }

    /// Waits until the names in the folder of `path` are. Throws `writeFailed`.
    static func synchronizeFolder(of path: String, in folder: Int32) async throws(TransferError) {
        let parent = OutputFile.split(path).parent
        do throws(SystemError) {
            let opened = try File.open(
                parent.isEmpty ? "." : parent, in: folder, flags: O_RDONLY | O_DIRECTORY)
            try await DiskSync.finish(opened.rawValue, .all)
        } catch {
            throw TransferError(storing: path, error)
        }
    }

    /// The download has failed: what is here stays, as a part, and its record with it. Returns the path; `nil` when there
    /// is nothing to keep.
    func abandon() -> String? {
        giveBackNames()
        guard name != nil, !isEmpty, plan.keepsParts else {
            discard()
            return nil
        }
        do throws(TransferError) { try flush(recording: true) } catch {
            // The disk that failed the transfer fails this too; the first failure is the one to tell.
        }
        if output?.isEmpty ?? false {
            discard()
            return nil
        }
        return path
    }

    /// Whether anything was put behind what a file with its final name had.
    var hasGrown: Bool { written > lengthAtStart }

    /// Gives what was abandoned its final name, where nothing has that yet: so curl leaves it, and goes on with it.
    func giveName() -> String? {
        guard let part, let name,
            (try? File.renameWithoutReplacing(part, to: name.path, in: plan.folder)) != nil
        else { return nil }
        path = name.path
        self.part = nil
        return path
    }

    /// Waits until what was abandoned is on its device, and says so in the record: the machine may be started anew before
    /// somebody goes on. Then the part is nobody's.
    func settle() async {
        defer {
            output = nil
            number = nil
        }
        guard let record, let number, written > synced || !record.isEnded else { return }
        let length = written
        do throws(SystemError) {
            try await DiskSync.finish(number, .content)
            try writeRecord(synced: length, isEnded: true)
        } catch {
            // Less is known to be there, then; the octets themselves are.
        }
    }

    /// The content is not what it should be: it keeps its part, for a person to look at, but nobody goes on with it. The
    /// next download begins anew in that part. A file that had its final name before is as it was. Throws `writeFailed`.
    func disown() throws(TransferError) {
        if isInPlace { return try rollBack(to: lengthAtStart) }
        learn { $0.isProved = false }
        try flush(recording: true)
    }

    /// Removes what was begun.
    func discard() {
        if isInPlace {
            output = nil
        } else if let file = output.take() {
            file.discard(plan.takenNames)
            removeRecord()
        }
        number = nil
        part = nil
        path = nil
    }

    private func giveBackNames() {
        if let name { plan.takenNames.giveBack(name.path) }
        if let slot { plan.takenNames.giveBack(slot.path) }
    }
}
