import Glibc
public import HTTPClient
public import HTTPMessage
public import System

/// A file, whatever its name.
public struct FileIdentity: Hashable, Sendable {
    /// The number of the device it lies on.
    public var device: UInt64
    /// Its number there.
    public var inode: UInt64

    /// The identity of what has that status.
    public init(_ status: File.Status) {
        device = status.device
        inode = status.inode
    }

    /// That file on that device.
    package init(device: UInt64, inode: UInt64) {
        self.device = device
        self.inode = inode
    }
}

/// Which representations are wanted, by the time of their last change: servers may not care for If-Modified-Since
/// (RFC 9110, section 13.1.3).
public enum TimeCondition: Hashable, Sendable {
    /// Those that were changed later.
    case newer(than: HTTPDate)
    /// Those that were changed earlier.
    case older(than: HTTPDate)

    /// Whether something last changed at `date` is wanted.
    func allows(_ date: HTTPDate) -> Bool {
        switch self {
        case .newer(let limit): date.secondsSinceEpoch > limit.secondsSinceEpoch
        case .older(let limit): date.secondsSinceEpoch < limit.secondsSinceEpoch
        }
    }
}

extension DownloadPlan {
    /// Whether the request's content comes from the file at `path`.
    func isSource(_ path: String) -> Bool {
        guard !sources.isEmpty, let status = try? File.status(of: path, in: folder, followsLinks: true) else {
            return false
        }
        return status.kind == .regular && sources.contains(FileIdentity(status))
    }

    /// Whether anything has the name `path`.
    func exists(_ path: String) -> Bool {
        (try? File.status(of: path, in: folder, followsLinks: false)) != nil
    }

    /// Whether `path` leads to a device or the like.
    func isSpecial(_ path: String) -> Bool {
        (try? File.status(of: path, in: folder, followsLinks: true))?.kind == .special
    }

    /// Throws `writeFailed` where the name that was chosen for the answer is that of a file which the request's content
    /// comes from. To be asked before the request is sent.
    public func checkDestination() throws(TransferError) {
        guard !sources.isEmpty, let path = chosenPath, isSource(path) else { return }
        throw DownloadPlan.refusal(ofSource: path)
    }

    /// The path of the file as far as no answer decides it; `nil` where one may, or there is no file.
    public var chosenPath: String? { chosenName?.path }

    /// The name of the file as far as no answer decides it; `nil` where one may, or there is no file.
    var chosenName: OutputName? {
        guard destination != .suggestedName else { return nil }
        let answer = HTTPResponse(version: .http11, status: .ok)
        return OutputName(
            destination, uri: request.uri, response: answer, in: outputFolder, nameFromURI: nameFromURI)
    }

    /// The answer would replace what was sent.
    static func refusal(ofSource path: String) -> TransferError {
        TransferError(
            .writeFailed, during: .store,
            "\(path) holds content of the request: its answer would replace it", errno: EEXIST)
    }

    /// Whether the answer is not what the condition of time asks for, though the server sent it.
    func isUnwanted(_ response: HTTPResponse) -> Bool {
        guard let timeCondition, response.status == .ok, request.method != .head,
            !request.fields.contains(.range), let value = response.fields[.lastModified],
            let date = HTTPDate(parsing: value, now: now)
        else { return false }
        return !timeCondition.allows(date)
    }
}
