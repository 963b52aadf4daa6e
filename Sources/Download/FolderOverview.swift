import Glibc
import System

/// What one look into a folder tells of many names: which of them need a look of their own.
///
/// A look at each costs about a tenth of a small file. What comes into the folder later is found when it is in the way.
struct FolderOverview {
    /// Records, and all that is no regular file.
    private var notable: Set<[UInt8]> = []

    /// Most names that are gone through.
    static let mostNames = 65_536

    /// Goes through the folder `path`; `nil` where it has too many names, or cannot be read.
    init?(of path: String, in folder: Int32) {
        do throws(SystemError) {
            let opened = try File.open(
                path.isEmpty ? "." : path, in: folder, flags: O_RDONLY | O_DIRECTORY | O_NOCTTY)
            var count = 0
            var found: Set<[UInt8]> = []
            try File.forEachName(in: opened.rawValue) { name, isRegular in
                count += 1
                if !isRegular || name.starts(with: ".".utf8) { found.insert(name) }
                return count <= FolderOverview.mostNames
            }
            guard count <= FolderOverview.mostNames else { return nil }
            notable = found
        } catch {
            return nil
        }
    }

    /// Whether that name in the folder must be looked at.
    func isNotable(_ name: String) -> Bool { !notable.isEmpty && notable.contains(Array(name.utf8)) }

    /// A record was written.
    mutating func note(_ name: String) { notable.insert(Array(name.utf8)) }
}

/// The folders of a run, of which those get an overview that many files go to.
struct FolderOverviews {
    /// Looks into one folder that are made before it gets an overview.
    static let fewLooks = 8

    private enum Entry {
        case looks(Int)
        case overview(FolderOverview)
        case none
    }

    private var entries: [String: Entry] = [:]

    /// Whether that name must be looked at; always as long as there is no overview of its folder.
    mutating func mustLook(at path: String, in folder: Int32) -> Bool {
        let (parent, name) = OutputFile.split(path)
        switch entries[parent] ?? .looks(0) {
        case .looks(let count) where count < FolderOverviews.fewLooks: entries[parent] = .looks(count + 1)
        case .looks:
            entries[parent] = FolderOverview(of: parent, in: folder).map { .overview($0) } ?? Entry.none
            return mustLook(at: path, in: folder)
        case .overview(let overview): return overview.isNotable(name)
        case .none: break
        }
        return true
    }

    /// A record was written at `path`.
    mutating func note(_ path: String) {
        let (parent, name) = OutputFile.split(path)
        guard case .overview(var overview) = entries[parent] else { return }
        overview.note(name)
        entries[parent] = .overview(overview)
    }
}
