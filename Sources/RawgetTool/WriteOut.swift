/// Fills in the variables of a `-w` format, by curl's rules.
///
///     format   = *( "%%" / variable / field / escape / octet )
///     variable = "%{" name "}"
///     field    = "%header{" name "}"      ; also "%{header{" name "}}"
///     escape   = "\n" / "\r" / "\t"
struct WriteOut: Hashable, Sendable {
    /// What is to be written to standard output.
    private(set) var output = ""
    /// What is to be written to standard error: what follows `%{stderr}`.
    private(set) var errorOutput = ""
    /// Variables nobody knows, as messages.
    private(set) var warnings: [String] = []
    private var writesToError = false
    private var isHidden = false
    private let outputIsTerminal: Bool
    private let errorIsTerminal: Bool
    /// What no variable from here on ends with: looking for it once more would make a long format slow.
    private var missingEnds: Set<String> = []

    /// Renders `format` for one transfer. Values are made safe for a stream that is a terminal.
    init(
        _ format: String, for values: WriteOutValues, outputIsTerminal: Bool = false,
        errorIsTerminal: Bool = false
    ) {
        self.outputIsTerminal = outputIsTerminal
        self.errorIsTerminal = errorIsTerminal
        var rest = Substring(format).utf8
        while let octet = rest.first {
            switch octet {
            case UInt8(ascii: "%"):
                rest = rest.dropFirst()
                takeVariable(from: &rest, values)
            case UInt8(ascii: "\\"):
                rest = rest.dropFirst()
                takeEscape(from: &rest)
            default:
                let text = rest.prefix { $0 != UInt8(ascii: "%") && $0 != UInt8(ascii: "\\") }
                append(String(Substring(text)))
                rest = rest[text.endIndex...]
            }
        }
    }

    private mutating func append(_ text: String) {
        guard !isHidden else { return }
        if writesToError { errorOutput += text } else { output += text }
    }

    /// Adds what may come from the server.
    private mutating func append(value: String) {
        append((writesToError ? errorIsTerminal : outputIsTerminal) ? value.escapedForTerminal : value)
    }

    private mutating func takeEscape(from rest: inout Substring.UTF8View) {
        switch rest.first {
        case UInt8(ascii: "n"): append("\n")
        case UInt8(ascii: "r"): append("\r")
        case UInt8(ascii: "t"): append("\t")
        case UInt8(ascii: "\\"): append("\\\\")
        case UInt8(ascii: "%"): append("\\%")
        default:
            append("\\")
            return
        }
        rest = rest.dropFirst()
    }

    private mutating func takeVariable(from rest: inout Substring.UTF8View, _ values: WriteOutValues) {
        if rest.first == UInt8(ascii: "%") {
            append("%")
            rest = rest.dropFirst()
        } else if let name = take(between: "header{", and: "}", from: &rest)
            ?? take(between: "{header{", and: "}}", from: &rest)
        {
            append(value: values.field(name))
        } else if let name = take(between: "{", and: "}", from: &rest) {
            fillIn(name, values)
        } else {
            append("%")  // nothing that ends: the text itself
        }
    }

    private mutating func take(
        between start: String, and end: String, from rest: inout Substring.UTF8View
    ) -> String? {
        guard rest.starts(with: start.utf8), !missingEnds.contains(end) else { return nil }
        let content = rest.dropFirst(start.utf8.count)
        var candidate = content
        while !candidate.isEmpty {
            if candidate.starts(with: end.utf8) {
                let name = String(Substring(content[..<candidate.startIndex]))
                rest = candidate.dropFirst(end.utf8.count)
                return name
            }
            candidate = candidate.dropFirst()
        }
        missingEnds.insert(end)
        return nil
    }

    private mutating func fillIn(_ name: String, _ values: WriteOutValues) {
        switch name {
        case "stdout": writesToError = false
        case "stderr": writesToError = true
        case "onerror": if values.exitCode == 0 { isHidden = true }
        case "json": append(WriteOutJSON.variables(of: values))
        case "header_json": append(WriteOutJSON.fields(of: values))
        default:
            guard let value = WriteOutVariable.value(of: name, in: values) else {
                warnings.append("unknown --write-out variable: '\(name.escapedForTerminal)'")
                return
            }
            append(value: value.text(for: name))
        }
    }
}

/// The variables of `-w` that are values of a transfer.
enum WriteOutVariable {
    /// A value as it is printed.
    enum Value {
        /// `nil` is printed as nothing.
        case text(String?)
        case number(UInt64)
        case time(Duration)

        /// As `%{name}` prints it: times with six decimals, a status with three digits.
        func text(for name: String) -> String {
            switch self {
            case .text(let text): return text ?? ""
            case .number(let number):
                let digits = String(number)
                guard name == "http_code" || name == "response_code" || name == "http_connect" else {
                    return digits
                }
                return String(repeating: "0", count: max(0, 3 - digits.utf8.count)) + digits
            case .time(let duration): return WriteOutVariable.seconds(duration)
            }
        }
    }

    /// All names, in alphabetical order.
    static let names = [
        "certs", "content_type", "errormsg", "exitcode", "filename_effective", "http_code", "http_connect",
        "http_version",
        "local_ip", "local_port", "method", "num_certs", "num_connects", "num_headers", "num_redirects",
        "num_retries",
        "proxy_ssl_verify_result", "redirect_url", "referer", "remote_ip", "remote_port", "response_code",
        "scheme", "size_download",
        "size_header", "size_request", "size_upload", "speed_download", "speed_upload", "ssl_verify_result",
        "time_appconnect",
        "time_connect", "time_namelookup", "time_pretransfer", "time_redirect", "time_starttransfer",
        "time_total",
        "url", "url_effective", "urlnum",
    ]

    /// What help says of them.
    static var help: String {
        "Variables: " + names.joined(separator: ", ")
            + "; header{NAME}, json, header_json; stdout and stderr: where what follows goes; onerror: what follows is for failures alone"
    }

    /// Whether what a format prints is the same for each run of the same exchange, and has no secret.
    static func areConstant(in format: String) -> Bool {
        let constant: Set<String> = [
            "content_type", "exitcode", "http_code", "http_version", "method", "num_connects",
            "num_redirects", "num_retries", "onerror", "response_code", "scheme", "size_download",
            "size_upload", "stderr", "stdout", "urlnum",
        ]
        var rest = Array(format.utf8)[...]
        while let percent = rest.firstIndex(of: UInt8(ascii: "%")) {
            rest = rest[(percent + 1)...]
            if rest.first == UInt8(ascii: "%") {
                rest = rest.dropFirst()
                continue
            }
            // What a field holds may be a secret.
            guard !rest.starts(with: "header{".utf8) else { return false }
            guard rest.first == UInt8(ascii: "{"), let end = rest.firstIndex(of: UInt8(ascii: "}")) else {
                continue
            }
            let name = String(decoding: rest.dropFirst().prefix { $0 != UInt8(ascii: "}") }, as: UTF8.self)
            guard constant.contains(name) else { return false }
            rest = rest[end...]
        }
        return true
    }

    /// The value of a name; `nil` when there is no such variable.
    static func value(of name: String, in values: WriteOutValues) -> Value? {
        switch name {
        case "certs": .text("")  // the chain is not kept
        case "num_certs": .number(0)
        case "proxy_ssl_verify_result": .number(0)
        case "content_type": .text(values.field("Content-Type"))
        case "errormsg": .text(values.errorMessage)
        case "exitcode": .number(values.exitCode)
        case "filename_effective": .text(values.fileName)
        case "http_code", "response_code": .number(values.status)
        case "http_connect": .number(0)  // the status a proxy gave to CONNECT
        case "http_version": .text(values.httpVersion)
        case "local_ip": .text(values.localAddress)
        case "local_port": .number(values.localPort)
        case "method": .text(values.method)
        case "num_connects": .number(values.connectionCount)
        case "num_headers": .number(UInt64(values.fields.count))
        case "num_redirects": .number(values.redirectCount)
        case "num_retries": .number(values.retryCount)
        case "redirect_url": .text(values.redirectURL)
        case "referer": .text(values.referer)
        case "remote_ip": .text(values.remoteAddress)
        case "remote_port": .number(values.remotePort)
        case "scheme": .text(values.scheme)
        case "size_download": .number(values.downloadSize)
        case "size_header": .number(values.headSize)
        case "size_request": .number(values.requestSize)
        case "size_upload": .number(values.uploadSize)
        case "speed_download": .number(values.rate(of: values.downloadSize))
        case "speed_upload": .number(values.rate(of: values.uploadSize))
        case "ssl_verify_result": .number(values.verifyResult)
        case "time_appconnect": .time(values.appConnectTime)
        case "time_connect": .time(values.connectTime)
        case "time_namelookup": .time(values.nameLookupTime)
        case "time_pretransfer": .time(values.preTransferTime)
        case "time_redirect": .time(values.redirectTime)
        case "time_starttransfer": .time(values.startTransferTime)
        case "time_total": .time(values.totalTime)
        case "url": .text(values.url)
        case "url_effective": .text(values.effectiveURL)
        case "urlnum": .number(values.urlNumber)
        default: nil
        }
    }

    /// Seconds with six decimals, cut.
    static func seconds(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let decimals = String(max(0, attoseconds) / 1_000_000_000_000)
        return "\(max(0, seconds))." + String(repeating: "0", count: 6 - decimals.utf8.count) + decimals
    }
}

/// The variables of `-w` that are JSON.
enum WriteOutJSON {
    /// One object with all variables.
    static func variables(of values: WriteOutValues) -> String {
        let members = WriteOutVariable.names.compactMap { name -> String? in
            switch WriteOutVariable.value(of: name, in: values) {
            case .text(let text): "\"\(name)\":" + (text.map(JSONPrinter.quoted) ?? "null")
            case .number(let number): "\"\(name)\":\(number)"
            case .time(let duration): "\"\(name)\":\(WriteOutVariable.seconds(duration))"
            case nil: nil
            }
        }
        return "{" + members.joined(separator: ",") + "}"
    }

    /// One object with the fields of the response: names in lower case, each with all its values.
    static func fields(of values: WriteOutValues) -> String {
        var names: [String] = []
        var valuesByName: [String: [String]] = [:]
        for field in values.fields {
            let name = field.name.lowercased()
            if valuesByName[name] == nil { names.append(name) }
            valuesByName[name, default: []].append(JSONPrinter.quoted(field.value))
        }
        let members = names.map { name in
            "\(JSONPrinter.quoted(name)):[\((valuesByName[name] ?? []).joined(separator: ","))]"
        }
        return "{" + members.joined(separator: ",\n") + "\n}"
    }
}
