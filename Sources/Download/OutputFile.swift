import Glibc
import HTTPClient
import System

/// The file that content is written to: a part beside its target until it is whole, or the target itself where that
/// is no regular file.
struct OutputFile: ~Copyable {
    /// Where it will stand, relative to `folder`.
    let target: String
    /// Where it stands now; `nil` when the target itself is written.
    let part: String?
    let descriptor: FileDescriptor
    private let folder: Int32
    private let mayReplace: Bool

    /// Most numbers tried for a free name.
    static let mostNumbers = 10_000

    /// Opens a part for `name`, or the target in place.
    init(_ name: OutputName, in folder: Int32, createsFolders: Bool) throws(TransferError) {
        self.folder = folder
        mayReplace = name.mayReplace
        if createsFolders { try OutputFile.makeFolders(of: name.path, in: folder) }
        let opened: Opened
        do throws(SystemError) { opened = try OutputFile.open(name, in: folder) } catch {
            throw TransferError(storing: name.path, error)
        }
        target = opened.target
        part = opened.part
        descriptor = opened.descriptor
    }

    private struct Opened: ~Copyable {
        let target: String
        let part: String?
        let descriptor: FileDescriptor
    }

    private static func open(_ name: OutputName, in folder: Int32) throws(SystemError) -> Opened {
        var path = name.path
        var status = try File.status(of: path, in: folder, followsLinks: false)
        if name.isExplicit, status?.kind == .symbolicLink {
            path = try resolve(path, in: folder)
            status = try File.status(of: path, in: folder, followsLinks: false)
        }
        switch status?.kind {
        case .folder: throw SystemError(call: "open", errno: EISDIR)
        case .special where name.isExplicit:
            let descriptor = try File.open(path, in: folder, flags: O_WRONLY | O_NOCTTY)
            return Opened(target: path, part: nil, descriptor: descriptor)
        default: break
        }
        let part = try openPart(for: path, in: folder)
        // A file that is replaced keeps its permissions.
        if name.mayReplace, let status, status.kind == .regular {
            try File.setPermissions(status.permissions & 0o777, of: part.descriptor.rawValue)
        }
        return Opened(target: path, part: part.path, descriptor: part.descriptor)
    }

    private struct Part: ~Copyable {
        let descriptor: FileDescriptor
        let path: String
    }

    /// `NAME.part`, made now; one that stands there belongs to somebody else, and `NAME.1.part` is next.
    private static func openPart(
        for path: String, in folder: Int32
    ) throws(SystemError) -> Part {
        let (parent, name) = split(path)
        let stem = parent + shortened(name, to: 240)
        let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW
        for number in 0..<mostNumbers {
            let part = number == 0 ? "\(stem).part" : "\(stem).\(number).part"
            do throws(SystemError) {
                return Part(descriptor: try File.open(part, in: folder, flags: flags), path: part)
            } catch {
                guard error.errno == EEXIST else { throw error }
            }
        }
        throw SystemError(call: "open", errno: EEXIST)
    }

    /// Closes the whole file and gives it its name. `take` answers whether a name is free for this transfer.
    /// Returns the name it got.
    consuming func finish(
        taking take: (String) -> Bool, refusesExisting: Bool
    ) throws(TransferError) -> String {
        let (target, part, folder, mayReplace) = (target, part, folder, mayReplace)
        do throws(SystemError) {
            // Some file systems hold a failed write back until then: a name is given to what they took.
            try descriptor.closeReportingErrors()
            guard let part else { return target }
            if mayReplace {
                try File.rename(part, to: target, in: folder)
                return target
            }
            for number in 0..<OutputFile.mostNumbers {
                let name = number == 0 ? target : "\(target).\(number)"
                guard number == 0 || take(name) else { continue }
                do throws(SystemError) {
                    try File.renameWithoutReplacing(part, to: name, in: folder)
                    return name
                } catch {
                    guard error.errno == EEXIST, !refusesExisting else { throw error }
                }
            }
            throw SystemError(call: "rename", errno: EEXIST)
        } catch {
            throw TransferError(storing: target, error, kept: part)
        }
    }

    /// Removes what was begun.
    func discard() {
        guard let part else { return }
        // Nothing can be done about a part that cannot be removed; the transfer's own failure is what counts.
        try? File.remove(part, in: folder)
    }

    // MARK: Paths

    private static func makeFolders(of path: String, in folder: Int32) throws(TransferError) {
        let parent = split(path).parent
        var made = parent.hasPrefix("/") ? "/" : ""
        for part in parent.split(separator: "/") {
            made += made.isEmpty || made == "/" ? String(part) : "/\(part)"
            do throws(SystemError) { try File.makeFolder(made, in: folder) } catch {
                throw TransferError(storing: made, error)
            }
        }
    }

    /// Follows links by hand: the file they lead to is replaced, so its own folder must hold the part.
    private static func resolve(_ path: String, in folder: Int32) throws(SystemError) -> String {
        var path = path
        for _ in 0..<40 {
            guard try File.status(of: path, in: folder, followsLinks: false)?.kind == .symbolicLink else {
                return path
            }
            let destination = try File.destination(ofLink: path, in: folder)
            path = destination.hasPrefix("/") ? destination : split(path).parent + destination
        }
        throw SystemError(call: "open", errno: ELOOP)
    }

    /// The folder, with its slash, and the last name.
    static func split(_ path: String) -> (parent: String, name: String) {
        guard let slash = path.utf8.lastIndex(of: 0x2F) else { return ("", path) }
        let next = path.utf8.index(after: slash)
        return (String(path[..<next]), String(path[next...]))
    }

    /// `name` cut at a character so that a suffix fits behind it.
    private static func shortened(_ name: String, to octets: Int) -> String {
        guard name.utf8.count > octets else { return name }
        var cut = ""
        var count = 0
        for character in name {
            count += character.utf8.count
            guard count <= octets else { break }
            cut.append(character)
        }
        return cut
    }
}

extension TransferError {
    /// A file that could not be written, with what to do about it.
    init(storing path: String, _ error: SystemError, kept part: String? = nil) {
        let advice =
            switch error.errno {
            case ENOSPC: "no space is left on the device"
            case EDQUOT: "the disk quota is used up"
            case EACCES, EPERM: "permission denied"
            case ENOENT: "its folder does not exist (--create-dirs makes it)"
            case ENAMETOOLONG: "the name is too long (-o gives another)"
            case EROFS: "the file system is read-only"
            case EISDIR: "a folder of that name exists (-o gives another)"
            case ENOTDIR: "part of its path is no folder"
            case EFBIG: "the file would be larger than is allowed"
            case EEXIST: "a file of that name exists and is not replaced"
            case EPIPE: "the reader has closed the pipe"
            case ELOOP: "too many symbolic links"
            default: error.explanation
            }
        let rest = part.map { "; what was received is kept in \($0)" } ?? ""
        self.init(
            .writeFailed, during: .store, "could not write \(path): \(advice)\(rest)", errno: error.errno)
    }
}
