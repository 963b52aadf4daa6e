import Glibc
import HTTPClient
package import System

/// The file that content is written to: a part beside its target until it is whole, or the target itself where that
/// is no regular file.
package struct OutputFile: ~Copyable {
    /// Where it will stand, relative to `folder`.
    let target: String
    /// Where it stands now; `nil` when the target itself is written.
    let part: String?
    let descriptor: FileDescriptor
    private let folder: Int32
    /// Whether a file that stands there by then is replaced.
    let mayReplace: Bool
    private let base: String

    /// Most numbers tried for a free name.
    static let mostNumbers = 1_000_000

    /// Opens a part for `name`, or the target in place. `willMake` is told the path of a part before it is made, the
    /// target, and whether that may be replaced.
    init(
        _ name: OutputName, in folder: Int32, createsFolders: Bool, names: TakenNames,
        willMake: (_ part: String, _ target: String, _ mayReplace: Bool) -> Void = { _, _, _ in }
    ) throws(TransferError) {
        self.folder = folder
        base = name.base
        if createsFolders { try OutputFile.makeFolders(of: name.path, in: folder) }
        let opened: Opened
        do throws(SystemError) { opened = try OutputFile.open(name, in: folder, names, willMake) } catch {
            throw TransferError(storing: name.path, error)
        }
        target = opened.target
        part = opened.part
        mayReplace = opened.mayReplace
        descriptor = opened.descriptor
    }

    /// A file that is open already: `part` will get the name, or is `nil` where the file has it.
    init(_ name: OutputName, part: String?, in folder: Int32, _ descriptor: consuming FileDescriptor) {
        target = name.path
        base = name.base
        mayReplace = name.mayReplace
        self.folder = folder
        self.part = part
        self.descriptor = descriptor
    }

    private struct Opened: ~Copyable {
        let target: String
        let part: String?
        let mayReplace: Bool
        let descriptor: FileDescriptor
    }

    private static func open(
        _ name: OutputName, in folder: Int32, _ names: TakenNames,
        _ willMake: (_ part: String, _ target: String, _ mayReplace: Bool) -> Void
    ) throws(SystemError) -> Opened {
        var path = name.path
        var mayReplace = name.mayReplace
        var status = try File.status(of: path, in: folder, followsLinks: false)
        if name.isExplicit, status?.kind == .symbolicLink {
            // A device or pipe behind a link is written through it; a file is replaced where it lies.
            if try File.status(of: path, in: folder, followsLinks: true)?.kind == .special {
                return try openInPlace(path, in: folder, flags: 0)
            }
            path = try resolve(path, in: folder)
            status = try File.status(of: path, in: folder, followsLinks: false)
        }
        switch status?.kind {
        case .special where mayReplace: return try openInPlace(path, in: folder, flags: O_NOFOLLOW)
        case .folder where mayReplace: throw SystemError(call: "open", errno: EISDIR)
        case .folder, .special: break  // a server's name gets a number instead
        case .symbolicLink:
            // Of a name from a URI: the link stays, and the file gets a number.
            mayReplace = false
        case .regular where mayReplace:
            // Renaming asks only for the folder's rights: the file's own count too, as if it were written.
            guard File.isWritable(path, in: folder) else { throw SystemError(call: "open", errno: EACCES) }
        case .regular, nil: break
        }
        let (target, replaces) = (path, mayReplace)
        let part = try openPart(for: path, in: folder, names) { willMake($0, target, replaces) }
        // A file that is replaced keeps its permissions.
        if mayReplace, let status, status.kind == .regular {
            try File.setPermissions(status.permissions & 0o777, of: part.descriptor.rawValue)
        }
        return Opened(target: path, part: part.path, mayReplace: mayReplace, descriptor: part.descriptor)
    }

    /// Opens what is no regular file. A pipe that nobody reads is refused: waiting for a reader would hold up
    /// everything else.
    private static func openInPlace(
        _ path: String, in folder: Int32, flags: Int32
    ) throws(SystemError) -> Opened {
        let descriptor = try File.open(path, in: folder, flags: O_WRONLY | O_NOCTTY | O_NONBLOCK | flags)
        return Opened(target: path, part: nil, mayReplace: false, descriptor: descriptor)
    }

    private struct Part: ~Copyable {
        let descriptor: FileDescriptor
        let path: String
    }

    /// `NAME.part`, made now; one that stands there belongs to somebody else, and `NAME.1.part` is next.
    private static func openPart(
        for path: String, in folder: Int32, _ names: TakenNames, _ willMake: (String) -> Void
    ) throws(SystemError) -> Part {
        let (parent, name) = split(path)
        let stem = parent + shortened(name, to: 240)
        let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW
        for number in 0..<mostNumbers {
            let part = number == 0 ? "\(stem).part" : "\(stem).\(number).part"
            // Another transfer's file may be of that name, and not be there yet.
            guard names.take(part) else { continue }
            willMake(part)
            do throws(SystemError) {
                return Part(descriptor: try File.open(part, in: folder, flags: flags), path: part)
            } catch {
                names.giveBack(part)
                guard error.errno == EEXIST else { throw error }
            }
        }
        throw SystemError(call: "open", errno: EEXIST)
    }

    /// Closes the whole file and gives it its name. Returns the name it got.
    /// `wasLeft` says that time has passed since the part was opened: then it is looked at once more. `keepsPart`: it stays
    /// where it cannot get its name.
    consuming func finish(
        _ names: TakenNames, refusesExisting: Bool, wasLeft: Bool, keepsPart: Bool
    ) throws(TransferError) -> String {
        let (target, part, folder, mayReplace) = (target, part, folder, mayReplace)
        let base = base
        defer { if let part { names.giveBack(part) } }
        do throws(SystemError) {
            if wasLeft, let part { try OutputFile.check(part, in: folder, is: descriptor.rawValue) }
            // Some file systems hold a failed write back until then: a name is given to what they took.
            try descriptor.closeReportingErrors()
            guard let part else { return target }
            if mayReplace {
                try File.rename(part, to: target, in: folder)
                return target
            }
            var name = target
            while true {
                do throws(SystemError) {
                    try File.renameWithoutReplacing(part, to: name, in: folder)
                    return name
                } catch {
                    guard error.errno == EEXIST, !refusesExisting else { throw error }
                }
                repeat {
                    let number = names.nextNumber(for: base)
                    guard number < OutputFile.mostNumbers else {
                        throw SystemError(call: "rename", errno: EEXIST)
                    }
                    name = "\(base).\(number)"
                } while !names.take(name)
            }
        } catch {
            // A stranger's file may be of that name.
            let own = error.errno == ESTALE ? nil : part
            guard keepsPart else {
                // That a part cannot be removed either changes nothing.
                if let own { try? File.remove(own, in: folder) }
                throw TransferError(storing: target, error)
            }
            throw TransferError(storing: target, error, kept: own)
        }
    }

    /// Whether the name still stands for the open file: somebody may have moved another one there.
    private static func check(_ part: String, in folder: Int32, is descriptor: Int32) throws(SystemError) {
        let own = try File.status(of: descriptor)
        let found = try File.status(of: part, in: folder, followsLinks: false)
        guard let found, found.device == own.device, found.inode == own.inode else {
            let parent = split(part).parent
            let isFolderThere =
                try File.status(of: parent.isEmpty ? "." : parent, in: folder, followsLinks: true) != nil
            throw SystemError(call: "rename", errno: isFolderThere ? ESTALE : ENOENT)
        }
    }

    /// Removes what was begun.
    func discard(_ names: TakenNames) {
        guard let part else { return }
        names.giveBack(part)
        // Nothing can be done about a part that cannot be removed; the transfer's own failure is what counts.
        try? File.remove(part, in: folder)
    }

    /// Whether anything is in the part.
    var isEmpty: Bool { ((try? File.status(of: descriptor.rawValue))?.size ?? 0) == 0 }

    // MARK: Paths

    private static func makeFolders(of path: String, in folder: Int32) throws(TransferError) {
        for made in File.foldersOnTheWay(to: path) {
            do throws(SystemError) { try File.makeFolder(made, in: folder) } catch {
                throw TransferError(storing: made, error)
            }
        }
    }

    /// Where a file of that name is written: a link that a person names is followed. `nil` where something else than a
    /// file has the name.
    static func place(of name: OutputName, in folder: Int32) -> String? {
        guard let status = try? File.status(of: name.path, in: folder, followsLinks: false) else {
            return name.path
        }
        switch status.kind {
        case .regular, .folder: return name.path
        case .special: return nil
        case .symbolicLink:
            guard name.isExplicit else { return name.path }
            let target = try? File.status(of: name.path, in: folder, followsLinks: true)
            return target?.kind == .special ? nil : try? resolve(name.path, in: folder)
        }
    }

    /// Follows links by hand: the file they lead to is replaced, so its own folder must hold the part.
    package static func resolve(_ path: String, in folder: Int32) throws(SystemError) -> String {
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
    package static func split(_ path: String) -> (parent: String, name: String) {
        guard let slash = path.utf8.lastIndex(of: 0x2F) else { return ("", path) }
        let next = path.utf8.index(after: slash)
        return (String(path[..<next]), String(path[next...]))
    }

    /// `name` cut at a character so that a suffix fits behind it.
    static func shortened(_ name: String, to octets: Int) -> String {
        guard name.utf8.count > octets else { return name }
        // By scalars: one character can be longer than the whole name may be.
        var cut = String.UnicodeScalarView()
        var count = 0
        for scalar in name.unicodeScalars {
            count += UTF8.width(scalar)
            guard count <= octets else { break }
            cut.append(scalar)
        }
        return String(cut)
    }
}
