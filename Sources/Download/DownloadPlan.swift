public import HTTPClient
public import HTTPMessage

/// One resource and what becomes of it.
public struct DownloadPlan {
    /// What is asked for.
    public var request: HTTPRequest
    /// Where its content goes.
    public var destination: Destination
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
    /// Whether content with a NUL is refused where the destination is a descriptor: it is a terminal.
    public var refusesBinary = false
    /// Where the destination is a descriptor that never blocks: a lent descriptor whose becoming readable cancels the
    /// transfer while it waits for a reader.
    public var interruption: Int32?
    /// Whether heads go before the content.
    public var includesHeads = false
    /// Whether a file gets the time of Last-Modified.
    public var setsModified = false
    /// The time, by which dates with two-digit years are read.
    public var now: HTTPDate
    /// Names of the run.
    public var takenNames: TakenNames
    /// Limits of the transfer.
    public var options = TransferOptions()
    /// Where the caller takes part.
    public var hooks = TransferHooks()

    /// A plan with everything else at its default.
    public init(
        _ request: HTTPRequest, to destination: Destination, in folder: Int32, now: HTTPDate,
        takenNames: TakenNames = TakenNames()
    ) {
        self.request = request
        self.destination = destination
        self.folder = folder
        self.now = now
        self.takenNames = takenNames
    }
}
