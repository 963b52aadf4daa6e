import Glibc
import Replay
import System

/// Finds and reads the fixtures that a person names.
struct FixtureFiles {
    /// One of them.
    struct Entry: Sendable {
        /// Its path, as given or found.
        var name: String
        /// What it says, or what is wrong with it.
        var content: Result<Fixture, FixtureSyntaxError>
    }

    /// Largest file that is read: 16 MiB.
    static let largestFile = 16 << 20
    /// Deepest folder that is looked into.
    private static let maximumDepth = 32

    let folder: Int32

    /// All that `paths` name: files as they are, of folders every `.wire` file in them, sorted. Throws when a path
    /// cannot be read or there is no fixture at all.
    func entries(_ paths: [String]) throws(UsageError) -> [Entry] {
        var entries: [Entry] = []
        for path in paths {
            do throws(SystemError) {
                guard let status = try File.status(of: path, in: folder, followsLinks: true) else {
                    throw SystemError(call: "open", errno: ENOENT)
                }
                if status.kind == .folder {
                    try collect(path, depth: 0, into: &entries)
                } else {
                    entries.append(try read(path))
                }
            } catch {
                throw UsageError(
                    "could not read \(path.escapedForTerminal): \(error.explanation)", exit: 26)
            }
        }
        guard !entries.isEmpty else {
            throw UsageError(
                "there is no .wire file in \(paths.map(\.escapedForTerminal).joined(separator: ", "))")
        }
        return entries
    }

    private func collect(_ path: String, depth: Int, into entries: inout [Entry]) throws(SystemError) {
        guard depth < FixtureFiles.maximumDepth else { throw SystemError(call: "open", errno: ELOOP) }
        let names: [[UInt8]]
        do {
            let open = try File.open(path, in: folder, flags: O_RDONLY | O_DIRECTORY)
            names = try File.namesAsOctets(in: open.rawValue)
        }
        for octets in names where octets.first != UInt8(ascii: ".") {
            guard let name = String(validating: octets, as: UTF8.self) else {
                guard octets.ends(with: ".wire") else { continue }
                let problem = FixtureProblem(line: 0, "its name is not UTF-8")
                entries.append(
                    Entry(
                        name: "\(path)/\(VisibleOctets(octets))",
                        content: .failure(FixtureSyntaxError([problem]))))
                continue
            }
            let inner = path.hasSuffix("/") ? path + name : "\(path)/\(name)"
            guard let status = try File.status(of: inner, in: folder, followsLinks: false) else { continue }
            if status.kind == .folder {
                try collect(inner, depth: depth + 1, into: &entries)
            } else if status.kind == .regular, name.hasSuffix(".wire") {
                entries.append(try read(inner))
            }
        }
    }

    private func read(_ path: String) throws(SystemError) -> Entry {
        let file = try File.open(path, in: folder, flags: O_RDONLY)
        let octets = try File.contents(of: file.rawValue, limit: FixtureFiles.largestFile)
        do throws(FixtureSyntaxError) {
            return Entry(name: path, content: .success(try FixtureParser.parse(octets)))
        } catch {
            return Entry(name: path, content: .failure(error))
        }
    }
}

extension [UInt8] {
    /// Whether the last octets are these.
    fileprivate func ends(with text: String) -> Bool { suffix(text.utf8.count).elementsEqual(text.utf8) }
}
