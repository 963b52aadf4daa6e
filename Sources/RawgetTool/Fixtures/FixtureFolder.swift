import Glibc
import Replay
import System
import Transport

/// The folder in which a fixture's commands run: what is made ready in it, and what has become of it.
@NetworkActor
final class FixtureFolder {
    /// What stands at a path, as far as the fixture is concerned.
    private enum Entry: Hashable {
        case folder
        case link(target: String)
        /// A file with this sum of its content, and its permissions.
        case file(Int, UInt32)
        case special
    }

    /// Deepest folder that is looked into.
    private static let maximumDepth = 64

    let descriptor: FileDescriptor
    /// Times that the fixture has set, by path.
    private var times: [String: Int64] = [:]
    /// What stood there when the present command began.
    private var known: [String: Entry] = [:]

    /// The folder `name`, which is made, in an open one.
    init(_ name: String, in parent: Int32) throws(SystemError) {
        try File.makeFolder(name, in: parent, permissions: 0o700)
        descriptor = try File.open(name, in: parent, flags: O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    }

    // MARK: Before a command

    /// Opens a file that is made, and the folders it needs.
    func makeFile(_ path: String) throws(SystemError) -> FileDescriptor {
        let flags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK
        return try within(path) { (folder, name) throws(SystemError) in
            try File.open(name, in: folder, flags: flags)
        }
    }

    /// Makes a folder, and those above it.
    func makeFolder(_ path: String) throws(SystemError) {
        try within(path) { (folder, name) throws(SystemError) in try File.makeFolder(name, in: folder) }
    }

    /// Makes a symbolic link.
    func makeLink(_ path: String, to target: String) throws(SystemError) {
        try within(path) { (folder, name) throws(SystemError) in
            try File.makeLink(name, to: target, in: folder)
        }
    }

    /// Sets the permissions of a file.
    func setMode(_ path: String, _ mode: UInt32) throws(SystemError) {
        let file = try within(path) { (folder, name) throws(SystemError) in
            try File.open(name, in: folder, flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
        }
        try File.setPermissions(mode, of: file.rawValue)
    }

    /// Sets the modification time of a file.
    func setTime(_ path: String, _ seconds: Int64) throws(SystemError) {
        let file = try within(path) { (folder, name) throws(SystemError) in
            try File.open(name, in: folder, flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
        }
        try File.setModified(seconds, of: file.rawValue)
        times[path] = seconds
    }

    /// Hands `body` the folder that a path leads to, which is made, and its last part. No symbolic link is followed: one
    /// that the fixture has made could lead anywhere.
    private func within<Value: ~Copyable>(
        _ path: String, _ body: (_ folder: Int32, _ name: String) throws(SystemError) -> Value
    ) throws(SystemError) -> Value {
        var parts = path.split(separator: "/").map(String.init)
        let name = parts.popLast() ?? path
        var folder = try FileDescriptor.duplicate(descriptor.rawValue)
        for part in parts {
            try File.makeFolder(part, in: folder.rawValue)
            folder = try File.open(
                part, in: folder.rawValue, flags: O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
        }
        return try body(folder.rawValue, name)
    }

    /// Remembers what stands there, just before a command.
    func remember() throws(SystemError) {
        known = try entries()
        // What an earlier command has replaced, and said so, is as old as that made it.
        for path in Array(times.keys) {
            let isReplaced = try hasAnotherTime(path)
            if isReplaced { times[path] = nil }
        }
    }

    // MARK: After it

    /// What is there and should not be, is gone or has changed, but for the paths that `named` judges.
    func surprises(besides named: Set<String>) throws(SystemError) -> [String] {
        let present = try entries()
        var surprises: [String] = []
        for (path, entry) in present.sorted(by: { $0.key < $1.key }) where !named.contains(path) {
            guard let before = known[path] else {
                // A folder that holds something named need not be named itself.
                if entry == .folder, named.contains(where: { $0.hasPrefix(path + "/") }) { continue }
                surprises.append(
                    "\(FixtureFolder.kind(of: entry)) \(path.escapedForTerminal) is left that no line names")
                continue
            }
            let isReplaced = try hasAnotherTime(path)
            if before != entry || isReplaced {
                surprises.append(
                    "\(path.escapedForTerminal) was there before and has changed, which no line says")
            }
        }
        for path in known.keys.sorted() where present[path] == nil && !named.contains(path) {
            surprises.append("\(path.escapedForTerminal) was there before and is gone, which no line says")
        }
        return surprises
    }

    /// Whether a file, though perhaps of the same content, is not as old as the fixture has made it.
    private func hasAnotherTime(_ path: String) throws(SystemError) -> Bool {
        guard let seconds = times[path] else { return false }
        return try File.status(of: path, in: descriptor.rawValue, followsLinks: false)?.modified != seconds
    }

    private static func kind(of entry: Entry) -> String {
        switch entry {
        case .folder: "the folder"
        case .link: "the link"
        case .file: "the file"
        case .special: "something that is no file,"
        }
    }

    /// What stands there, each file with its first octets.
    func observed() throws(SystemError) -> [String: FixtureObservation.Entry] {
        var observed: [String: FixtureObservation.Entry] = [:]
        for (path, entry) in try entries() {
            switch entry {
            case .folder: observed[path] = .folder
            case .link(let target): observed[path] = .link(target: target)
            case .special: observed[path] = .special
            case .file(let sum, let permissions):
                let file = try File.open(path, in: descriptor.rawValue, flags: O_RDONLY | O_NOFOLLOW)
                let content = try File.readSome(
                    FixtureObservation.File.mostContent, at: 0, from: file.rawValue)
                let modified = try File.status(of: file.rawValue).modified
                observed[path] = .file(
                    .init(content: content, sum: sum, permissions: permissions, modified: modified))
            }
        }
        return observed
    }

    private func entries() throws(SystemError) -> [String: Entry] {
        var entries: [String: Entry] = [:]
        try collect(in: descriptor.rawValue, prefix: "", depth: 0, into: &entries)
        return entries
    }

    private func collect(
        in folder: Int32, prefix: String, depth: Int, into entries: inout [String: Entry]
    ) throws(SystemError) {
        guard depth < FixtureFolder.maximumDepth else { throw SystemError(call: "readdir", errno: ELOOP) }
        for octets in try File.namesAsOctets(in: folder) {
            guard let name = String(validating: octets, as: UTF8.self) else {
                // No line of a fixture can name it.
                entries[prefix + VisibleOctets(octets).description] = .special
                continue
            }
            guard let status = try File.status(of: name, in: folder, followsLinks: false) else { continue }
            let path = prefix + name
            switch status.kind {
            case .folder:
                entries[path] = .folder
                let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW
                let inner = try File.open(name, in: folder, flags: flags)
                try collect(in: inner.rawValue, prefix: path + "/", depth: depth + 1, into: &entries)
            case .symbolicLink:
                entries[path] = .link(target: try File.destination(ofLink: name, in: folder))
            case .regular:
                let file = try File.open(name, in: folder, flags: O_RDONLY | O_NOFOLLOW)
                entries[path] = .file(try FixtureFolder.sum(of: file.rawValue), status.permissions)
            case .special: entries[path] = .special
            }
        }
    }

    /// A sum of a file's content that means nothing outside this process.
    private static func sum(of file: Int32) throws(SystemError) -> Int {
        var hasher = Hasher()
        var offset: UInt64 = 0
        while true {
            let octets = try File.readSome(1 << 18, at: offset, from: file)
            guard !octets.isEmpty else { return hasher.finalize() }
            octets.withUnsafeBytes { hasher.combine(bytes: $0) }
            offset += UInt64(octets.count)
        }
    }
}
