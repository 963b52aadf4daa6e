import Download
import HTTPMessage

/// What a field of a response means for a download: one clause, or one for each part of its value. What it means for a
/// cache says `CacheFieldMeaning`.
struct FieldMeaning {
    /// The response that has the field.
    let response: HTTPResponse
    /// What it answers; `nil` where nobody knows.
    let request: HTTPRequest?
    /// When it came, which tells the century of a year of two digits.
    let received: HTTPDate

    /// What all lines of Cache-Control say.
    let control: CacheControl
    /// The field line on which a directive of Cache-Control stands first.
    let firstLines: [CacheControl.Name: Int]
    private let connection: CommaList

    init(response: HTTPResponse, request: HTTPRequest?, received: HTTPDate) {
        self.response = response
        self.request = request
        self.received = received
        control = CacheControl(in: response.fields)
        connection = CommaList(.connection, in: response.fields)
        var lines: [CacheControl.Name: Int] = [:]
        for (index, field) in response.fields.enumerated() where field.name == .cacheControl {
            for directive in CacheControl(in: [.cacheControl: field.value]).directives {
                lines[directive.name] = lines[directive.name] ?? index
            }
        }
        firstLines = lines
    }

    /// What is said of a field that has no meaning here.
    static let none = "kept as it is; it has no meaning here"

    /// The meaning of a field line, for a download and for a cache.
    func clauses(at index: Int) -> [String] {
        let field = response.fields[index]
        if connection.contains(token: field.name.spelling) {
            return ["named in Connection: for this connection alone, so a cache drops it (RFC 9110, 7.6.1)"]
        }
        let clauses = forDownload(field) + CacheFieldMeaning(self, at: index).clauses(of: field)
        return clauses.isEmpty ? [FieldMeaning.none] : clauses
    }

    private func forDownload(_ field: HTTPFields.Field) -> [String] {
        let value = field.value
        switch field.name {
        case .acceptRanges: return [acceptRanges]
        case .contentDisposition: return [disposition(value)]
        case .contentEncoding:
            return ["the content is coded like this: --compressed undoes it, without it is saved as it came"]
        case .contentLength: return [length(value)]
        case .contentRange: return [range(value)]
        case .contentType: return [type(value)]
        case .etag: return [tag(value)]
        case .lastModified: return [modified(value)]
        case .location: return [location(value)]
        case .retryAfter: return [retry(value)]
        case .transferEncoding:
            return ["how the content is wrapped for this connection; undone, and dropped by a cache"]
        case .trailer: return ["fields that come behind the content"]
        case .setCookie:
            return ["a cookie, \(name(of: value)); it is kept in what is stored, too (RFC 9111, 7.3)"]
        default: return other(field.name)
        }
    }

    /// Fields of which the name says all.
    private func other(_ name: FieldName) -> [String] {
        switch name {
        case .contentLanguage: ["for readers of this language"]
        case .connection: ["about this connection alone; a cache drops it, and what it names"]
        case .keepAlive, .proxyConnection, .upgrade, .te:
            ["about this connection alone; a cache drops it (RFC 9110, 7.6.1)"]
        case "Content-Digest", "Content-MD5":
            ["a digest of the content as it comes: a download that has another does not get its name"]
        case "Repr-Digest":
            ["a digest of the whole representation: a download that has another does not get its name"]
        case "Digest":
            ["a digest of the whole representation, in an older form than Repr-Digest: it is not checked"]
        case .server, "X-Powered-By", "Via", "X-Cache": ["what answers; nothing depends on it"]
        case "Strict-Transport-Security": ["asks for https from now on; rawget keeps no list of such hosts"]
        case "Alt-Svc": ["another place, or protocol, for the same; not used"]
        case "Link": ["other resources and how they are related; not followed"]
        case "Allow": ["methods that the resource takes"]
        case "WWW-Authenticate", .proxyAuthenticate: ["credentials that are wanted: -u gives them"]
        case .proxyAuthenticationInfo, "Authentication-Info": ["about the credentials of the request"]
        default: []
        }
    }

    // MARK: What the values tell

    private var acceptRanges: String {
        switch AcceptRanges(response.fields) {
        case .bytes: "parts can be asked for: what broke off can go on, and several parts can come at once"
        case .none: "no parts can be asked for: what broke off begins anew"
        case .unknown: "says nothing of octets: a part may be tried"
        }
    }

    private func length(_ value: String) -> String {
        if response.status == .notModified || request?.method == .head {
            return "so many octets would come with a GET that is answered in full"
        }
        if response.fields.contains(.transferEncoding) {
            return "does not count beside Transfer-Encoding (RFC 9112, 6.3)"
        }
        return "so many octets will come: progress has a total, and a cut is noticed"
    }

    private func range(_ value: String) -> String {
        switch ContentRange(parsing: value) {
        case .part(let range, let length?):
            "octets \(range.lowerBound) to \(range.upperBound), both included, of \(length)"
        case .part(let range, nil):
            "octets \(range.lowerBound) to \(range.upperBound), both included, of nobody knows how many"
        case .unsatisfied(let length): "there is no such part: the whole has \(length) octets"
        case nil: "cannot be read, so nobody knows which part this is"
        }
    }

    private func type(_ value: String) -> String {
        guard let type = MediaType(parsing: value) else {
            return "cannot be read; the name is none the worse"
        }
        return type.type == "multipart" && type.subtype == "byteranges"
            ? "several parts, each behind a head of its own"
            : "what the content is, which says nothing of its name"
    }

    private func tag(_ value: String) -> String {
        guard let tag = EntityTag(parsing: value) else {
            return "no entity tag (RFC 9110, 8.8.3): it is no use"
        }
        return tag.isWeak
            ? "weak: names versions that are as good as each other; no part can be joined by it"
            : "strong: names this very version; a later part must carry the same to belong to it"
    }

    private func modified(_ value: String) -> String {
        guard HTTPDate(parsing: value, now: received) != nil else { return "no date: it is no use" }
        return "when it was last changed; --remote-time gives the file this date"
    }

    private func disposition(_ value: String) -> String {
        guard let disposition = ContentDisposition(parsing: value), let name = FileName(disposition) else {
            return "suggests no name that can be used"
        }
        return "suggests the name \(name.text.escapedForTerminal): saved under it, without -o or -O"
    }

    private func location(_ value: String) -> String {
        var place = value.shownFromServer
        if let request {
            guard let uri = try? URI(location: value, relativeTo: request.uri) else {
                return "no address that could be gone to"
            }
            place = uri.withoutUserinfoAndFragment.description.escapedForTerminal
        }
        let status = response.status
        if status.isRedirection, status != .notModified, status != .useProxy {
            return "goes on at \(place); --no-location stays here"
        }
        return "names \(place), where nobody goes with status \(status)"
    }

    private func retry(_ value: String) -> String {
        if let seconds = FieldGrammar.number(value) {
            return "not before \(Seconds.words(Int64(clamping: seconds))) from then on"
        }
        return HTTPDate(parsing: value, now: received) == nil
            ? "says no time that can be read" : "not before then"
    }

    private func name(of cookie: String) -> String {
        let name = cookie.prefix { $0 != "=" && $0 != ";" }
        return name.isEmpty ? "without a name" : String(name).shownFromServer
    }
}

/// Seconds as people say them.
enum Seconds {
    /// `7776000 s (90 days)`; without the brackets below two minutes.
    static func words(_ seconds: Int64) -> String {
        let units: [(Int64, String)] = [(86400, "days"), (3600, "hours"), (60, "minutes")]
        for (length, name) in units where seconds.magnitude >= 2 * length.magnitude {
            let (whole, rest) = seconds.quotientAndRemainder(dividingBy: length)
            let tenths = Int(rest.magnitude * 10 / length.magnitude)
            return "\(seconds) s (\(whole)\(tenths > 0 ? ".\(tenths)" : "") \(name))"
        }
        return "\(seconds) s"
    }
}
