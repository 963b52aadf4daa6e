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
    /// A person, by a path or a URI: an existing file may be replaced.
    var mayReplace: Bool
    /// A path given in so many words: a symbolic link is followed, and what is no regular file is written in place.
    var isExplicit: Bool

    /// The name of `destination` for what `uri` was answered with; `nil` where no file is written.
    init?(_ destination: Destination, uri: URI, response: HTTPResponse, in outputFolder: String?) {
        switch destination {
        case .descriptor, .nowhere: return nil
        case .path(let path):
            self.init(path: path, mayReplace: true, isExplicit: true)
        case .requestedName:
            self.init(path: FileName(uri)?.text ?? OutputName.fallback, mayReplace: true, isExplicit: false)
        case .suggestedName:
            if let name = OutputName.suggested(by: response) {
                self.init(path: name, mayReplace: false, isExplicit: false)
            } else {
                self.init(
                    path: FileName(uri)?.text ?? OutputName.fallback, mayReplace: true, isExplicit: false)
            }
        }
        if let outputFolder, !outputFolder.isEmpty {
            path = outputFolder.hasSuffix("/") ? outputFolder + path : "\(outputFolder)/\(path)"
        }
    }

    private init(path: String, mayReplace: Bool, isExplicit: Bool) {
        self.path = path
        self.mayReplace = mayReplace
        self.isExplicit = isExplicit
    }

    private static func suggested(by response: HTTPResponse) -> String? {
        guard let value = response.fields[.contentDisposition],
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
}

/// The names that the transfers of one run have taken, so that no two share one.
public final class TakenNames {
    // One or two names are the rule, and looking through them costs less than the set's type costs a start.
    private var fewNames: [String] = []
    private var names: Set<String>?
    private static let few = 16

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

    /// The same file under the same text: without `./` and doubled slashes.
    private static func plain(_ path: String) -> String {
        // Most names have neither a dot nor an empty part before or between slashes.
        guard path.utf8.contains(0x2F) else { return path }
        let parts = path.split(separator: "/").filter { $0 != "." }
        return (path.hasPrefix("/") ? "/" : "") + parts.joined(separator: "/")
    }
}
