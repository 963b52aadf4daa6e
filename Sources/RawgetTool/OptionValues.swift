import HTTPMessage

/// What `-H` says about a field of the request.
enum FieldOption: Hashable, Sendable {
    /// `Name: value`.
    case set(name: String, value: String)
    /// `Name:`: the field is not sent, even where the command would.
    case remove(name: String)
    /// `Name;`: the field is sent without a value.
    case empty(name: String)
    /// `@file`: each line is one of the above.
    case file(FileArgument)

    /// The option that `text` means; `nil` when it is none. Also for the lines of a file.
    init?(_ text: String) {
        if text.hasPrefix("@") {
            self = .file(FileArgument(String(text.dropFirst())))
            return
        }
        guard let end = text.firstIndex(where: { $0 == ":" || $0 == ";" }) else { return nil }
        let name = String(text[..<end])
        let value = text[text.index(after: end)...].drop(while: { $0 == " " || $0 == "\t" })
        // A line end or NUL inside a value would be the beginning of another line.
        guard FieldName.isToken(name), value.utf8.allSatisfy({ $0 != 0 && $0 != 0x0A && $0 != 0x0D }) else {
            return nil
        }
        if text[end] == ";" {
            guard value.isEmpty else { return nil }
            self = .empty(name: name)
        } else {
            self = value.isEmpty ? .remove(name: name) : .set(name: name, value: String(value))
        }
    }
}

extension FieldOption {
    /// Whether it is `Transfer-Encoding: chunked`.
    var asksForChunks: Bool {
        guard case .set(let name, let value) = self else { return false }
        return FieldName(name) == .transferEncoding && value.lowercased() == "chunked"
    }

    /// Whether `text` is one that curl drops without a word: neither a colon nor a semicolon ends a name.
    static func isIdle(_ text: some StringProtocol) -> Bool {
        !text.utf8.contains { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ";") }
    }
}

/// `--resolve`: addresses a host and port have, without asking.
struct ResolveRule: Hashable, Sendable {
    /// In lower case, without brackets; `*` for every host.
    var host: String
    var port: UInt16
    /// In order; empty when the rule takes earlier ones back (`-host:port`).
    var addresses: [String]
    /// `+host:port:address`: the name may be asked for again after a while.
    var expires = false

    /// The rule that `text` means: `[+]host:port:address[,address]…` or `-host:port`.
    init?(_ text: String) {
        var rest = text[...]
        let isRemoval = rest.hasPrefix("-")
        expires = rest.hasPrefix("+")
        if isRemoval || expires { rest = rest.dropFirst() }
        guard let host = HostText.take(from: &rest), !host.isEmpty else { return nil }
        let parts = rest.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let port = UInt16(first) else { return nil }
        self.host = host.lowercased()
        self.port = port
        addresses = []
        if isRemoval {
            guard parts.count == 1 else { return nil }
            return
        }
        guard parts.count == 2 else { return nil }
        for part in parts[1].split(separator: ",", omittingEmptySubsequences: false) {
            let hasBrackets = part.hasPrefix("[") && part.hasSuffix("]")
            let address = hasBrackets ? part.dropFirst().dropLast() : part
            guard !address.isEmpty else { return nil }
            addresses.append(String(address))
        }
    }
}

/// `--connect-to`: requests for one host and port go to another.
struct ConnectRule: Hashable, Sendable {
    /// In lower case, without brackets; `nil` for every host.
    var fromHost: String?
    /// `nil` for every port.
    var fromPort: UInt16?
    /// `nil` for the host itself.
    var toHost: String?
    /// `nil` for the port itself.
    var toPort: UInt16?

    /// The rule that `text` means: `host1:port1:host2:port2`, each of which may be empty.
    init?(_ text: String) {
        var rest = text[...]
        guard let first = HostText.take(from: &rest), let firstPort = HostText.takePort(from: &rest),
            let second = HostText.take(from: &rest)
        else { return nil }
        guard rest.isEmpty || UInt16(rest) != nil else { return nil }
        fromHost = first.isEmpty ? nil : first.lowercased()
        fromPort = firstPort.isEmpty ? nil : UInt16(firstPort)
        toHost = second.isEmpty ? nil : second
        toPort = UInt16(rest)
        if !firstPort.isEmpty, fromPort == nil { return nil }
    }
}

/// Hosts and ports between colons, IPv6 addresses in brackets.
private enum HostText {
    /// The host before the next colon, which is taken with it; `nil` when there is no colon.
    static func take(from rest: inout Substring) -> String? {
        if rest.hasPrefix("[") {
            guard let bracket = rest.firstIndex(of: "]") else { return nil }
            let host = rest[rest.index(after: rest.startIndex)..<bracket]
            rest = rest[rest.index(after: bracket)...]
            guard rest.hasPrefix(":") else { return nil }
            rest = rest.dropFirst()
            return String(host)
        }
        return takePort(from: &rest)
    }

    static func takePort(from rest: inout Substring) -> String? {
        guard let colon = rest.firstIndex(of: ":") else { return nil }
        defer { rest = rest[rest.index(after: colon)...] }
        return String(rest[..<colon])
    }
}

/// Numbers as options give them.
enum NumberText {
    /// Decimal seconds, `1`, `1.5`, `.25`; `nil` for anything else. Above zero they are a millisecond at least: a
    /// limit that is too short to be kept is still a limit.
    static func seconds(_ text: String) -> Duration? {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let whole = parts.first, parts.count == 1 || !(whole.isEmpty && parts[1].isEmpty) else {
            return nil
        }
        let fraction = parts.count == 2 ? parts[1] : ""
        guard whole.utf8.allSatisfy(\.isDigit), fraction.utf8.allSatisfy(\.isDigit), !text.isEmpty else {
            return nil
        }
        // Ten digits of seconds are three hundred years.
        guard let seconds = whole.isEmpty ? 0 : Int64(whole), seconds < 10_000_000_000 else { return nil }
        let digits = String(fraction.prefix(9))
        let nanoseconds = Int64(digits + String(repeating: "0", count: 9 - digits.utf8.count)) ?? 0
        let isZero = seconds == 0 && fraction.utf8.allSatisfy { $0 == UInt8(ascii: "0") }
        let duration = Duration.seconds(seconds) + .nanoseconds(nanoseconds)
        return isZero ? .zero : max(duration, .milliseconds(1))
    }

    /// Octets with an optional unit of curl's: k, m, g, t, p (powers of 1024) or b, in any case.
    static func size(_ text: String) -> UInt64? {
        var digits = text[...]
        var factor: UInt64 = 1
        if let last = text.last, !last.isNumber {
            guard let power = "bkmgtp".firstIndex(of: Character(last.lowercased())) else { return nil }
            factor = 1 << (10 * UInt64("bkmgtp".distance(from: "bkmgtp".startIndex, to: power)))
            digits = digits.dropLast()
        }
        guard !digits.isEmpty, digits.utf8.allSatisfy(\.isDigit), let number = UInt64(digits) else {
            return nil
        }
        let (product, overflows) = number.multipliedReportingOverflow(by: factor)
        return overflows ? nil : product
    }
}
