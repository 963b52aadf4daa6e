import Glibc
import System

// Records as files: read with distrust, written aside and renamed.
extension ResumeRecord {
    /// What stands at a record's place.
    enum Reading: Hashable {
        case record(ResumeRecord)
        case nothing
        /// Not all of a record.
        case garbage
        /// What is not for this user to read or to replace.
        case foreign
    }

    /// Reads what stands at `path`. A record that somebody else owns could make this user write where he does not mean to.
    static func read(_ path: String, in folder: Int32) -> Reading {
        do throws(SystemError) {
            let file = try File.open(path, in: folder, flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
            let status = try File.status(of: file.rawValue)
            guard status.kind == .regular, status.owner == File.ownUser else { return .foreign }
            guard status.size <= UInt64(longest) else { return .foreign }
            let octets = try File.contents(of: file.rawValue, limit: longest)
            if let record = ResumeRecord(octets) { return .record(record) }
            // What a crash of the machine can have left; anything else under that name is somebody's.
            let isTorn =
                octets.allSatisfy { $0 == 0 } || octets.starts(with: "rawget 1\nurl ".utf8)
                || "rawget 1\nurl ".utf8.starts(with: octets)
            return isTorn ? .garbage : .foreign
        } catch {
            return error.errno == ENOENT ? .nothing : .foreign
        }
    }

    /// Opens the part at `path`, if it is that file still, or the empty one that was to be made.
    static func openPart(_ path: String, in folder: Int32, as file: FileIdentity?) -> FileDescriptor? {
        guard
            let descriptor = try? File.open(
                path, in: folder, flags: O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY),
            let status = try? File.status(of: descriptor.rawValue), status.kind == .regular,
            status.owner == File.ownUser, file.map({ FileIdentity(status) == $0 }) ?? (status.size == 0)
        else { return nil }
        return descriptor
    }

    /// How many octets of the open part count: all, where the machine has not been started anew since the record was
    /// written, else those that were on the device. `nil` where there are fewer than the record says: somebody has cut it.
    func trustedLength(of descriptor: Int32) -> UInt64? {
        guard let status = try? File.status(of: descriptor), status.size >= representation.length else {
            return nil
        }
        let isSameBoot = !boot.isEmpty && boot == File.bootIdentifier
        return isSameBoot && !isEnded ? status.size : representation.length
    }

    /// Where the record is written before it is renamed.
    static func aside(_ path: String) -> String { "\(path).new" }

    /// Whether a record stands at `path`, or a part of one.
    static func isOwn(_ path: String, in folder: Int32) -> Bool {
        switch read(path, in: folder) {
        case .record, .garbage: true
        case .nothing, .foreign: false
        }
    }

    /// Writes the record at `slot`, at once or not at all. Throws EEXIST where another process has put one there since it
    /// was looked at.
    func write(to slot: RecordSlot, in folder: Int32) throws(SystemError) {
        let aside = ResumeRecord.aside(slot.path)
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW
        // It may hold what is secret in an address.
        let permissions: UInt32 = 0o600
        let octets = octets
        guard octets.count <= ResumeRecord.longest else { throw SystemError(call: "write", errno: EFBIG) }
        let file: FileDescriptor
        do throws(SystemError) {
            file = try File.open(aside, in: folder, flags: flags, permissions: permissions)
        } catch {
            guard error.errno == EEXIST else { throw error }
            // Left by a process that was killed, or somebody else's.
            guard ResumeRecord.isOwn(aside, in: folder) else { throw error }
            try File.remove(aside, in: folder)
            file = try File.open(aside, in: folder, flags: flags, permissions: permissions)
        }
        do throws(SystemError) {
            try File.write(octets.span, to: file.rawValue)
            try file.closeReportingErrors()
            if slot.isStale {
                try File.rename(aside, to: slot.path, in: folder)
            } else {
                try File.renameWithoutReplacing(aside, to: slot.path, in: folder)
            }
        } catch {
            // What cannot be removed is in nobody's way.
            try? File.remove(aside, in: folder)
            throw error
        }
    }
}
