public import HTTPClient
public import HTTPMessage
public import System
import Transport

/// One resource and what becomes of it.
public struct DownloadPlan {
    /// What is asked for.
    public var request: HTTPRequest
    /// Content of the request that is read while it is sent.
    public var content: (any RequestContent)?
    /// Where the content received goes.
    public var destination: Destination
    /// What a destination that is a descriptor is called in messages.
    public var descriptorName = "standard output"
    /// Paths are relative to this open folder, which is lent.
    public var folder: Int32
    /// A folder that goes before every name.
    public var outputFolder: String?
    /// Whether folders that a path names are made.
    public var createsFolders = false
    /// Whether answers of status 400 and above are saved like any other.
    public var savesErrorAnswers = true
    /// Whether a name that the server chose is refused where a file has it, in place of getting a number.
    public var refusesExisting = false
    /// Whether a name that another transfer of the run has gets a number.
    public var keepsNamesApart = true
    /// What content is refused where the destination is a descriptor, which then is a terminal.
    public var binaryCheck = BinaryCheck.none

    /// What makes content binary.
    public enum BinaryCheck: Hashable, Sendable {
        /// Nothing.
        case none
        /// A NUL.
        case nul
        /// Control characters that no text has: all but BS, TAB, LF, FF and CR. An escape could rewrite what the
        /// terminal shows, or what is typed at it.
        case controls
    }

    /// Whether a part (status 206) must be the one that was asked for.
    public var checksParts = true
    /// Whether what was received of a file stays as `NAME.part` where the transfer fails, or the file cannot be named.
    public var keepsParts = true
    /// Whether an answer makes an empty file whose status says that it has no content (RFC 9110, section 6.4.1). One to
    /// HEAD and a 304 never do, unless heads are written: they speak of content that is elsewhere.
    public var savesNoContent = true
    /// Whether the beginning of an answer that is not saved is read, to be shown.
    public var readsExcerpt = true
    /// Whether heads go before the content.
    public var includesHeads = false
    /// How a head is written before the content; `nil` as it came.
    public var headText: (@Sendable (HTTPResponse) -> [UInt8])?
    /// How a trailer section is written behind the content; `nil`: it is not.
    public var trailerText: (@Sendable (HTTPFields) -> [UInt8])?
    /// Whether content is received and dropped: heads are all that is wanted.
    public var dropsContent = false
    /// What a file is called whose name the URI gives; `nil`: after the last segment, decoded.
    public var nameFromURI: String?
    /// Told what is written, heads and content, on the loop; not what is spliced.
    package var copied: (@NetworkActor (_ octets: Span<UInt8>, _ isHead: Bool) -> Void)?
    /// Whether a file gets the time of Last-Modified.
    public var setsModified = false
    /// Files that the request's content comes from: the answer replaces none of them.
    public var sources: [FileIdentity] = []
    /// What Last-Modified of an answer of status 200 must be; otherwise the transfer ends as `conditionNotMet`.
    public var timeCondition: TimeCondition?
    /// The time, by which dates with two-digit years are read.
    public var now: HTTPDate
    /// Names of the run.
    public var takenNames: TakenNames
    /// How it goes on with what is there already. That needs a GET for the whole of a representation, saved as it is sent.
    public var resumption = Resumption.none
    /// Whether what is no rest is a failure, as with curl's `-C`, in place of a reason to load the whole.
    public var resumesAsCurl = false
    /// So many octets are asked for at a time (D7); `nil` asks for all at once.
    public var pieceSize: UInt64?
    /// So many octets are asked for once more when a download goes on, and compared with those that are there.
    public var resumeOverlap: UInt64 = 0
    /// The digest that the content must have, as it is saved.
    public var checksum: Checksum?
    /// Whether the digests that the server names are checked: Repr-Digest, Content-Digest (RFC 9530) and Content-MD5.
    public var checksDigests = false
    /// Whether the content is on its device before the file gets its name, and the name before the download is over.
    public var synchronizes = false
    /// When a failed transfer is tried again.
    public var retries = RetryPolicy.none
    /// Who knows of networks. With it, a transfer that fails while there is no way to the host is tried again when there is
    /// one, which counts as no retry; and a wait before a retry ends early when routes or addresses change. `nil`: nobody.
    public var connectivity: (any Connectivity)?
    /// Limits of the transfer.
    public var options = TransferOptions()
    /// Where the caller takes part.
    public var hooks = TransferHooks()

    /// A plan with everything else at its default. Paths are relative to the working directory where no folder is lent, and
    /// the time is the system's unless another is told.
    public init(
        _ request: HTTPRequest, to destination: Destination, in folder: Int32 = File.workingDirectory,
        now: HTTPDate = HTTPDate(secondsSinceEpoch: WallClock.system.secondsSinceEpoch),
        takenNames: TakenNames = TakenNames()
    ) {
        self.request = request
        self.destination = destination
        self.folder = folder
        self.now = now
        self.takenNames = takenNames
    }
}

extension DownloadPlan {
    /// Whether what is there of a representation can be gone on with, and pieces be put together: one GET for all of it,
    /// whose octets are saved as they are sent, and nothing else.
    var isResumable: Bool {
        request.method == .get && content == nil && (request.content?.isEmpty ?? true)
            && !request.fields.contains(.range) && !request.fields.contains(.ifRange)
            && options.contentForm == .asSent && !includesHeads && !dropsContent
            && options.requestTarget == nil && destination != .nowhere
    }

    /// Whether content goes to somebody as it comes, and cannot be taken back.
    var hasReader: Bool {
        if case .descriptor = destination { true } else { false }
    }

    var resumptionManner: ResumeDecision.Manner {
        resumption.isAsked ? (resumesAsCurl ? .asCurl : .asked) : .automatic
    }

    /// Whether there is a file to be made of the answer: a file that is there may be what it speaks of.
    func makesFile(_ response: HTTPResponse) -> Bool {
        switch response.status {
        case .notModified: false
        case .noContent, .resetContent: savesNoContent
        default: request.method != .head
        }
    }
}
