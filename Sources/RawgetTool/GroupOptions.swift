import HTTPCache
import HTTPClient
import HTTPMessage

/// What one group of the command line (up to `--next`) says about its transfers.
struct GroupOptions: Hashable, Sendable {
    /// Which addresses of a host may be used.
    enum AddressFamily: Hashable, Sendable { case any, ipv4, ipv6 }

    /// What an error status does.
    enum ErrorAnswer: Hashable, Sendable {
        /// As the command's defaults say.
        case asUsual
        /// Nothing is saved, exit 22 (`-f`).
        case fail
        /// Content is saved, exit 22 (`--fail-with-body`).
        case failWithBody
    }

    /// `--output-dir`.
    var outputFolder: String?
    /// `--create-dirs`.
    var createsFolders = false
    /// `--remote-name-all`: a URL without an output of its own is saved as by `-O`.
    var usesRemoteNames = false
    /// `-J`: the server may choose the name.
    var usesServerName = false
    /// `-R`: the file gets the time of the representation.
    var setsRemoteTime = false
    /// `-N`.
    var isUnbuffered = false

    /// `-I`: HEAD, and the head is the output.
    var isHead = false
    /// `-g`; `nil`: as is the custom, which is curl's or not.
    var isGlobOff: Bool?
    /// `-i`: the head stands before the content.
    var includesHead = false
    /// `-D`.
    var headFile: FileArgument?
    /// `-H`, in order.
    var fields: [FieldOption] = []
    /// `-X`.
    var method: String?
    /// `-A`; empty means none is sent.
    var userAgent: String?
    /// `-e` without `;auto`.
    var referer: String?
    /// `-e …;auto`: redirects send where they come from.
    var setsRefererOnRedirect = false
    /// `-r`, as given.
    var range: String?
    /// `-f` and `--fail-with-body`.
    var errorAnswer = ErrorAnswer.asUsual
    /// Whether both choices were made, which curl refuses.
    var hasTwoErrorAnswers = false

    /// `--compressed`.
    var offersCodings = false
    /// `--raw`, which wins.
    var isRaw = false
    /// How the content is to come.
    var contentForm: ContentForm { isRaw ? .raw : offersCodings ? .decoded : .asSent }
    /// `-z`, as given.
    var timeCondition: String?
    /// `--path-as-is`.
    var keepsDotSegments = false
    /// `--request-target`.
    var requestTarget: String?
    /// `--cache-policy`; `nil`: nothing is kept or looked for.
    var cachePolicy: CachePolicy?
    /// `-0`.
    var isHTTP10 = false
    /// `--http0.9`.
    var allowsHTTP09 = false
    /// `--ignore-content-length`.
    var ignoresContentLength = false

    /// `--speed-limit`, in octets a second; 0 sets none.
    var minimumSpeed: UInt64?
    /// `-y`; zero sets none.
    var speedTime: Duration?
    /// `-m`: the longest time of a transfer; `nil` and zero are no limit.
    var maximumTime: Duration?
    /// `--connect-timeout`.
    var connectTimeout: Duration?
    /// `--max-filesize`, in octets.
    var maximumSize: UInt64?
    /// `--limit-rate`, in octets a second.
    var rateLimit: UInt64?
    /// How downloads go on, are tried again and checked.
    var resuming = ResumingOptions()
    /// `-w`.
    var writeOut: TextArgument?

    /// `-L` and `--no-location`; `nil` is the mode's default.
    var followsRedirects: Bool?
    /// `--location-trusted`.
    var trustsAllOrigins = false
    /// `--max-redirs`; below zero there is no limit.
    var maximumRedirects: Int?
    /// `--post301` and the like.
    var keepsPOST: RedirectPolicy.Statuses = []
    /// `--proto`.
    var schemes: RedirectPolicy.Schemes = [.http, .https]
    /// `--proto-default`.
    var defaultScheme = "http"
    /// `--proto-redir`.
    var redirectSchemes: RedirectPolicy.Schemes = [.http, .https]
    /// `-u`, as given.
    var user: String?
    /// `--oauth2-bearer`.
    var bearerToken: String?
    /// `-b`, in order.
    var cookies: [String] = []

    /// `-d` and its kin, in order.
    var data: [DataOption] = []
    /// `--json` was given.
    var isJSON = false
    /// `--url-query`, in order.
    var queries: [DataOption] = []
    /// `-G`.
    var putsDataInQuery = false
    /// `-T`, in order; `-` is standard input.
    var uploads: [String] = []
    /// `--expect100-timeout`.
    var continueTimeout: Duration?

    /// `-x`: only an empty one is obeyed.
    var proxy = ""
    /// `--resolve`, in order.
    var addresses: [ResolveRule] = []
    /// `--connect-to`, in order.
    var connectRules: [ConnectRule] = []
    /// `-4` and `-6`.
    var addressFamily = AddressFamily.any
    /// `--unix-socket`.
    var unixSocket: String?
    /// How servers prove who they are, and this side.
    var tls = TLSOptions()
    /// `--interface`, `--keepalive-time` and the like.
    var sockets = SocketSettings()
}

/// What the command line says about the run as a whole.
struct RunOptions: Hashable, Sendable {
    /// How progress is shown.
    enum Progress: Hashable, Sendable { case meter, bar, none }

    /// `--as-curl`, or called by the name `curl`.
    var isCurl = false
    /// `-s`.
    var isSilent = false
    /// `-S`: errors are shown in spite of `-s`.
    var showsErrors = false
    /// `-v`.
    var isVerbose = false
    /// `-#` and `--no-progress-meter`.
    var progress = Progress.meter
    /// `--fail-early`.
    var failsEarly = false
    /// `--stderr`.
    var messageFile: FileArgument?
    /// `--record`.
    var recordFile: String?
    /// `-Z`.
    var isParallel = false
    /// `--parallel-max`.
    var parallelMaximum = 50
}

/// A file an option names; `-` is standard input or output.
enum FileArgument: Hashable, Sendable {
    case standard
    case path(String)

    /// The file that `text` names.
    init(_ text: String) { self = text == "-" ? .standard : .path(text) }
}

/// A text an option gives, or the file it stands in (`@file`).
enum TextArgument: Hashable, Sendable {
    case text(String)
    case file(FileArgument)

    /// The text, or the file after `@`.
    init(_ text: String) {
        self = text.hasPrefix("@") ? .file(FileArgument(String(text.dropFirst()))) : .text(text)
    }
}
