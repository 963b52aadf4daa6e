/// The names that files of a run have in a fixture, where all lie in one folder: paths that begin elsewhere, or climb
/// out of it, are given names inside.
struct LocalNames {
    private var names: [String: String] = [:]
    private var taken: Set<String> = []

    /// The name of what the run called `path`.
    mutating func name(of path: String) -> String {
        let plain = LocalNames.plain(path)
        if let name = names[plain] { return name }
        var name = plain
        if !LocalNames.isInside(plain) {
            let last = plain.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) }
            let base = last == nil || last == ".." || last == "-" ? "file" : last ?? "file"
            name = base
            var number = 2
            // The last name stays: URLs may be made of it.
            while taken.contains(name) {
                name = "\(number)/\(base)"
                number += 1
            }
        }
        names[plain] = name
        taken.insert(name)
        return name
    }

    /// The name of a file in a folder of the run.
    mutating func name(of path: String, in folder: String?) -> String {
        guard let folder, !folder.isEmpty else { return name(of: path) }
        let parent = name(of: folder)
        let plain = LocalNames.plain(path.utf8.first == UInt8(ascii: "/") ? String(path.dropFirst()) : path)
        return parent == "."
            ? name(of: plain) : "\(parent)/\(LocalNames.isInside(plain) ? plain : name(of: plain))"
    }

    /// The name of a file whose path already has the folder of the run in it.
    mutating func name(ofFound path: String, in folder: String?) -> String {
        guard let folder, !folder.isEmpty else { return name(of: path) }
        let (plain, parent) = (LocalNames.plain(path), LocalNames.plain(folder))
        if parent == "." { return name(of: path) }
        guard plain.hasPrefix(parent + "/") else { return name(of: path) }
        return name(of: String(plain.dropFirst(parent.count + 1)), in: folder)
    }

    /// The folder a name lies in; `nil` where it is the one of the run.
    static func parent(of name: String) -> String? {
        guard let slash = name.utf8.lastIndex(of: UInt8(ascii: "/")) else { return nil }
        return String(name[..<slash])
    }

    /// The path without empty parts and single dots.
    static func plain(_ path: String) -> String {
        let slash = UInt8(ascii: "/")
        let parts = path.utf8.split(separator: slash).filter { !$0.elementsEqual(".".utf8) }
        let text = parts.map { String(Substring($0)) }.joined(separator: "/")
        if path.utf8.first == slash { return "/" + text }
        return text.isEmpty ? "." : text
    }

    /// The path without climbing parts; `nil` where it leaves the folder, or begins elsewhere.
    static func resolved(_ path: String) -> String? {
        var parts: [Substring.UTF8View] = []
        let plain = plain(path)
        guard plain.utf8.first != UInt8(ascii: "/") else { return nil }
        for part in plain.utf8.split(separator: UInt8(ascii: "/")) {
            guard part.elementsEqual("..".utf8) else {
                parts.append(part)
                continue
            }
            guard parts.popLast() != nil else { return nil }
        }
        return parts.isEmpty ? nil : parts.map { String(Substring($0)) }.joined(separator: "/")
    }

    /// Whether a path as `plain` makes it stays in the folder.
    static func isInside(_ plain: String) -> Bool {
        plain.utf8.first != UInt8(ascii: "/") && plain != "-"
            && !plain.utf8.split(separator: UInt8(ascii: "/")).contains { $0.elementsEqual("..".utf8) }
    }
}
