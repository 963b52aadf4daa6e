import Download
import System

/// Where a path leads, links followed: two paths to one file have one place, be the file there yet or not.
struct FilePlace {
    /// What is there.
    let status: File.Status?
    /// The deepest folder of the path that is there.
    private let folder: FileIdentity
    /// What comes behind it.
    private let rest: [Substring.UTF8View]

    /// The place of `path`; `nil` where nothing can be there.
    init?(_ path: String, in directory: Int32) {
        guard let chain = try? LinkChain(path, in: directory) else { return nil }
        status = chain.status
        let isAbsolute = chain.target.utf8.first == UInt8(ascii: "/")
        let parts = chain.target.utf8.split(separator: UInt8(ascii: "/")).filter {
            !$0.elementsEqual(".".utf8)
        }
        var count = max(0, parts.count - 1)
        while true {
            let text = parts[..<count].map { String(Substring($0)) }.joined(separator: "/")
            let parent = isAbsolute ? "/" + text : text.isEmpty ? "." : text
            if let status = try? File.status(of: parent, in: directory, followsLinks: true) {
                folder = FileIdentity(status)
                break
            }
            guard count > 0 else { return nil }
            count -= 1
        }
        var rest: [Substring.UTF8View] = []
        for part in parts[count...] {
            if part.elementsEqual("..".utf8), !rest.isEmpty { rest.removeLast() } else { rest.append(part) }
        }
        self.rest = rest
    }

    /// What is there.
    var identity: FileIdentity? { status.map { FileIdentity($0) } }

    /// Whether it is the place of `other`, too, or that of another name of the same file.
    func isSame(as other: FilePlace) -> Bool {
        if let identity, identity == other.identity { return true }
        return folder == other.folder && rest.count == other.rest.count && isPrefix(of: other)
    }

    /// Whether it is a folder on the way to `other`, or would be.
    func isAbove(_ other: FilePlace) -> Bool {
        if let identity, identity == other.folder { return true }
        return folder == other.folder && rest.count < other.rest.count && isPrefix(of: other)
    }

    private func isPrefix(of other: FilePlace) -> Bool {
        zip(rest, other.rest).allSatisfy { $0.elementsEqual($1) }
    }
}
