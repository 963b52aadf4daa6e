import Download
import Glibc
import HTTPClient
import System

/// A file of a private folder, removed when nobody holds it any more, unless it is to be kept. Its path holds nothing:
/// who hands that out holds the value until the path is no more used.
final class TemporaryFile: Sendable {
    /// The folder it lies in.
    let folder: PrivateFolder
    /// What tells it from all other files.
    let identity: FileIdentity
    private let opened: FileDescriptor
    private let state: Lock<State>

    private struct State {
        var name: String
        var isKept: Bool
    }

    /// An open file of that name.
    init(
        _ name: String, in folder: PrivateFolder, _ opened: consuming FileDescriptor, isKept: Bool = false
    ) throws(SystemError) {
        self.folder = folder
        identity = FileIdentity(try File.status(of: opened.rawValue))
        self.opened = opened
        state = Lock(State(name: name, isKept: isKept))
    }

    deinit { discard() }

    /// The open file, for reading and writing; lent.
    var descriptor: Int32 { opened.rawValue }
    /// Its name in the folder.
    var name: String { state.withLock { $0.name } }
    /// Its absolute path.
    var path: String { "\(folder.path)/\(name)" }

    /// Lets it stay when this value goes away.
    func keep() { state.withLock { $0.isKept = true } }

    /// Removes it, unless it was moved away. The open file can still be used.
    func remove() {
        // Where that fails somebody else has removed it, or the folder; nobody is waiting for it.
        try? File.remove(name, in: folder.descriptor)
    }

    /// Removes it, unless it is kept.
    func discard() {
        if !state.withLock({ $0.isKept }) { remove() }
    }

    /// Gives it a name that nobody else knows. Of several who hold the same file one succeeds; the others get
    /// `badResume`.
    func rename() throws(TransferError) {
        try state.withLock { (state) throws(TransferError) in
            let ending = state.name.utf8.lastIndex(of: 0x2E).map { state.name[$0...].dropFirst() } ?? "tmp"
            let fresh = TemporaryFile.freshName(String(ending))
            do throws(SystemError) {
                try File.renameWithoutReplacing(state.name, to: fresh, in: folder.descriptor)
                let found = try File.status(of: fresh, in: folder.descriptor, followsLinks: false)
                guard found.map(FileIdentity.init) == identity else {
                    throw SystemError(call: "rename", errno: ESTALE)
                }
            } catch {
                // Where the file system renames in two steps, the first may have been done.
                if error.errno != ESTALE { try? File.remove(fresh, in: folder.descriptor) }
                throw TemporaryFile.refusal(of: "\(folder.path)/\(state.name)", error)
            }
            state.name = fresh
        }
    }

    // MARK: Names

    /// A name by chance: of 64 bits, which nobody can foresee.
    static func freshName(_ suffix: String) -> String {
        var generator = SystemRandomNumberGenerator()
        let digits = String(generator.next() as UInt64, radix: 16)
        return "rawget-\(String(repeating: "0", count: 16 - digits.count))\(digits).\(suffix)"
    }

    /// Whether a file of that path can be one of these: `rawget-`, 16 digits, a dot and letters.
    static func isName(ofPath path: String) -> Bool {
        let name = Array(OutputFile.split(path).name.utf8)
        let prefix = Array("rawget-".utf8)
        guard name.count > prefix.count + 17, name.starts(with: prefix), name[prefix.count + 16] == 0x2E
        else { return false }
        return name[prefix.count..<prefix.count + 16].allSatisfy {
            (0x30...0x39).contains($0) || (0x61...0x66).contains($0)
        } && name[(prefix.count + 17)...].allSatisfy { (0x61...0x7A).contains($0) }
    }

    // MARK: Files of earlier

    /// Takes over a file that was kept: its name is a fresh one then, so that it can be taken over once. It must be as
    /// it was left. Throws `badResume`, and nothing has changed. Unless it `takesOver`, the file keeps its name, and stays.
    static func adopt(
        _ path: String, identity: FileIdentity, size: UInt64, takesOver: Bool = true
    ) throws(TransferError) -> TemporaryFile {
        // What tells of the file may come from anywhere: nothing but a temporary file is touched on its word.
        guard isName(ofPath: path), path.hasPrefix("/"), !path.utf8.contains(0) else {
            throw TransferError(
                .badResume, during: .prepare, "what was received is in no temporary file of this program")
        }
        let (parent, name) = OutputFile.split(path)
        let folder: PrivateFolder
        do throws(TransferError) { folder = try PrivateFolder(path: parent, isMade: false) } catch {
            throw TransferError(.badResume, during: .prepare, error.detail, errno: error.errno)
        }
        let file: TemporaryFile
        do throws(SystemError) {
            let flags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
            let opened = try File.open(name, in: folder.descriptor, flags: flags)
            let status = try File.status(of: opened.rawValue)
            guard status.kind == .regular, status.owner == File.ownUser, status.size == size,
                FileIdentity(status) == identity
            else { throw SystemError(call: "open", errno: ESTALE) }
            file = try TemporaryFile(name, in: folder, opened, isKept: true)
        } catch {
            throw refusal(of: path, error)
        }
        guard takesOver else { return file }
        // Until it has a name of its own it may be somebody else's.
        try file.rename()
        file.state.withLock { $0.isKept = false }
        return file
    }

    private static func refusal(of path: String, _ error: SystemError) -> TransferError {
        let cause =
            switch error.errno {
            case ENOENT: "it is not there any more, or somebody else goes on with it"
            case ESTALE, ELOOP: "it is not the file that was left"
            default: TransferError.cause(error)
            }
        return TransferError(
            .badResume, during: .prepare, "could not go on with \(path): \(cause)", errno: error.errno)
    }
}
