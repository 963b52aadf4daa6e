public import HTTPMessage

/// Where a download's content goes.
public enum Destination: Hashable, Sendable {
    /// An open descriptor, lent: standard output. Content is written as it comes.
    case descriptor(Int32)
    /// A path that a person chose. A regular file there is replaced, when the content is whole.
    case path(String)
    /// The last segment of the requested URI. A regular file of that name is replaced, when the content is whole.
    case requestedName
    /// A name from Content-Disposition, else the last segment of the *requested* URI (a redirect never names a file),
    /// else `index.html`. A name that the server chose never replaces a file: it gets a number.
    case suggestedName
    /// Nowhere: content is received and dropped.
    case nowhere
}

/// A file name and who chose it.
struct OutputName: Hashable, Sendable {
    /// The name given to content whose URI names none.
    static let fallback = "index.html"

    /// Relative to the folder of the download.
    var path: String
    /// What a number is put behind.
    var base: String
    /// A person, by a path or a URI: an existing file may be replaced.
    var mayReplace: Bool
    /// A path given in so many words: a symbolic link is followed, and what is no regular file is written in place.
    var isExplicit: Bool

    /// The name of `destination` for what `uri` was answered with; `nil` where no file is written.
    /// `nameFromURI` is what the URI gives, where that is not its last segment decoded.
    init?(
        _ destination: Destination, uri: URI, response: HTTPResponse, in outputFolder: String?,
        nameFromURI: String? = nil
    ) {
        // Made for those who need it: it looks at every character.
        var requested: String { nameFromURI ?? FileName(uri)?.text ?? OutputName.fallback }
        switch destination {
        case .descriptor, .nowhere: return nil
        case .path(let path):
            self.init(path: path, mayReplace: true, isExplicit: true)
        case .requestedName:
            self.init(path: requested, mayReplace: true, isExplicit: false)
        case .suggestedName:
            if let name = OutputName.suggested(by: response) {
                self.init(path: name, mayReplace: false, isExplicit: false)
            } else {
                self.init(path: requested, mayReplace: true, isExplicit: false)
            }
        }
        if let outputFolder, !outputFolder.isEmpty {
            path = outputFolder.hasSuffix("/") ? outputFolder + path : "\(outputFolder)/\(path)"
            base = path
        }
    }

    /// A name that was found earlier.
    init(target: String, mayReplace: Bool) {
        self.init(path: target, mayReplace: mayReplace, isExplicit: false)
    }

    private init(path: String, mayReplace: Bool, isExplicit: Bool) {
        self.path = path
        base = path
        self.mayReplace = mayReplace
        self.isExplicit = isExplicit
    }

    fileprivate static func suggested(by response: HTTPResponse) -> String? {
        // Of several lines the first counts: joined they would be one line with a longer name.
        guard let value = response.fields.values(of: .contentDisposition).first,
            let disposition = ContentDisposition(parsing: value)
        else { return nil }
        return FileName(disposition)?.text
    }
}

extension HTTPResponse {
    /// The file name that Content-Disposition suggests, reduced to a safe one (RFC 6266, section 4.3); else the last
    /// segment of `uri`; else `index.html`.
    public func suggestedFilename(for uri: URI) -> String {
        OutputName(.suggestedName, uri: uri, response: self, in: nil)?.path ?? OutputName.fallback
    }

    /// The name for the URI that was asked for, of a response that a loading style delivers (D5); a redirect never names a
    /// file. Without such a URI the name of Content-Disposition, else `index.html`.
    public var suggestedFilename: String {
        if let requestedURI { return suggestedFilename(for: requestedURI) }
        return OutputName.suggested(by: self) ?? OutputName.fallback
    }
}

/// The names that the transfers of one run have taken, so that no two share one; their parts count too.
public final class TakenNames {
    // Octets, not Strings: two names that differ in their octets are two files, though Swift calls them equal.
    // One or two names are the rule, and looking through them costs less than the set's type costs a start.
    private var fewNames: [[UInt8]] = []
    private var names: Set<[UInt8]>?
    private static let few = 16
    private var lastNumbers: [[UInt8]: Int] = [:]
    /// What needs a look in the folders that files go to.
    var folders = FolderOverviews()

    /// No name is taken.
    public init() {}

    /// Takes `path`; false when another transfer has it.
    func take(_ path: String) -> Bool {
        let name = TakenNames.plain(path)
        if names != nil { return names?.insert(name).inserted ?? false }
        guard !fewNames.contains(name) else { return false }
        fewNames.append(name)
        if fewNames.count > TakenNames.few {
            names = Set(fewNames)
            fewNames = []
        }
        return true
    }

    /// Gives a name back that was not used.
    func giveBack(_ path: String) {
        let name = TakenNames.plain(path)
        names?.remove(name)
        fewNames.removeAll { $0 == name }
    }

    /// The next number to try behind a name that is taken, from 1; each is given once.
    func nextNumber(for path: String) -> Int {
        let number = lastNumbers[Array(path.utf8), default: 0] + 1
        lastNumbers[Array(path.utf8)] = number
        return number
    }

    /// The same file under the same octets: without `./` and doubled slashes.
    private static func plain(_ path: String) -> [UInt8] {
        // Most names have neither a dot nor an empty part before or between slashes.
        guard path.utf8.contains(0x2F) else { return Array(path.utf8) }
        var before: UInt8 = 0
        // No part that is empty, or begins with a dot.
        let isPlain = path.utf8.allSatisfy { octet in
            defer { before = octet }
            return before != 0x2F && (before != 0 || octet != 0x2E) || octet != 0x2F && octet != 0x2E
        }
        if isPlain, before != 0x2F { return Array(path.utf8) }
        let parts = path.utf8.split(separator: 0x2F).filter { !$0.elementsEqual([0x2E]) }
        return (path.utf8.first == 0x2F ? [0x2F] : []) + Array(parts.joined(separator: [0x2F]))
    }
}
