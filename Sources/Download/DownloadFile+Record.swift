import Glibc
import HTTPClient
import HTTPMessage
import System
import Transport

// The record by which another process can go on.
extension DownloadFile {
    /// Writes the record of a part that is about to be made: a process that is killed in between leaves none that nobody
    /// knows of.
    func keepRecord(of part: String, for name: OutputName) {
        guard slot != nil else { return }
        recordedName = name
        while slot != nil {
            do throws(SystemError) { return try writeRecord(of: part, nil, synced: 0) } catch {
                // Another process has begun the same meanwhile: this one's record goes behind its.
                guard error.errno == EEXIST, let next = slot?.next, plan.takenNames.take(next.path) else {
                    return forgetRecord()
                }
                if let slot { plan.takenNames.giveBack(slot.path) }
                slot = next
            }
        }
    }

    /// Writes the record of the part that was just made.
    func keepRecord() {
        guard slot != nil, part != nil, let number else { return }
        do throws(SystemError) {
            // Nobody else has seen the part yet: the claim is for those who will.
            guard try File.claim(number) else { return }
            try writeRecord(synced: 0)
        } catch {
            forgetRecord()
        }
    }

    /// Without a record nobody goes on with the part; the download itself is not harmed.
    private func forgetRecord() {
        removeRecord()
        slot = nil
    }

    /// `isEnded`: nothing more comes, for now.
    func writeRecord(synced: UInt64, isEnded: Bool = false) throws(SystemError) {
        guard let part, let number else { return }
        try writeRecord(
            of: part, FileIdentity(try File.status(of: number)), synced: synced, isEnded: isEnded)
    }

    private func writeRecord(
        of part: String, _ file: FileIdentity?, synced: UInt64, isEnded: Bool = false
    ) throws(SystemError) {
        guard let slot, let name = recordedName ?? name else { return }
        var representation = representation
        representation.length = synced
        // The next one may not have a person's word.
        if !representation.isProved { representation.validator = nil }
        var record = ResumeRecord(
            uri: plan.request.uri.withoutUserinfoAndFragment, representation: representation,
            part: OutputFile.split(part).name, name: OutputFile.split(name.path).name,
            mayReplace: name.mayReplace, file: file, boot: File.bootIdentifier)
        record.isEnded = isEnded
        try record.write(to: slot, in: plan.folder)
        plan.takenNames.folders.note(slot.path)
        self.slot?.isStale = true
        self.record = record
        self.synced = synced
    }

    func removeRecord() {
        guard let slot else { return }
        defer { self.slot = nil }
        // It may be another download's, that is over: nobody else would ever remove that.
        guard record != nil || slot.isStale else { return plan.takenNames.giveBack(slot.path) }
        record = nil
        slot.remove(in: plan.folder, plan.takenNames)
        plan.takenNames.giveBack(slot.path)
    }

    /// Every so many octets the content is brought to its device: that is what a crash of the machine leaves.
    func syncIfDue() {
        // A file with its final name may be shorter than its record from when it was a part.
        guard record != nil, part != nil, syncing == nil, written > synced,
            written - synced >= DownloadFile.syncInterval, let number
        else { return }
        let now = Instant.now
        guard now - lastSync >= DownloadFile.syncPause else { return }
        lastSync = now
        let length = written
        syncCount += 1
        let job = syncCount
        syncing = job
        DiskSync.begin(number, .content) { [weak self] error in self?.didSync(job, length, error) }
    }

    private func didSync(_ job: Int, _ length: UInt64, _ error: SystemError?) {
        guard syncing == job else { return }
        syncing = nil
        // The content may have begun anew, or have been given its name.
        guard error == nil, record != nil, number != nil, length <= written else { return }
        do throws(SystemError) { try writeRecord(synced: length) } catch {
            // The record that is there says less, which is true.
        }
    }
}
