import Replay
import System

@testable import RawgetTool

/// One thing in which two clients did not do the same.
struct Difference: CustomStringConvertible {
    var kind: KnownDifferences.Kind
    /// What it is, and what each of them did.
    var detail: String

    var description: String { "\(kind.rawValue): \(detail)" }
}

/// What a command did in words that two runs have in common.
struct Behaviour {
    var requests: [String]
    var output: String
    var entries: [String: String]
    var exit: Int32?

    /// `keepsOrder`: requests come in an order that chance does not decide.
    init(_ observation: FixtureObservation, keepsOrder: Bool) {
        let text = { (octets: [UInt8]) in Behaviour.text(octets, in: observation) }
        let setsTimes = observation.arguments.contains { Behaviour.setsTimes($0) }
        let requests = observation.requests.map { request in
            "server \(request.server): " + Behaviour.head(text(request.head))
                + "\n\(request.contentLength) octets: " + text(request.content)
        }
        self.requests = keepsOrder ? requests : requests.sorted()
        output = text(observation.output)
        entries = observation.entries.mapValues { entry in
            switch entry {
            case .file(let file):
                "\(String(file.permissions, radix: 8)) " + (setsTimes ? Behaviour.time(file.modified) : "")
                    + (file.content.count < FixtureObservation.File.mostContent
                        ? text(file.content) : "sum \(file.sum)")
            case .folder: "folder"
            case .link(let target): "link to \(target)"
            case .special: "special"
            }
        }
        exit = observation.exit
    }

    /// Each run has servers on other ports and a folder of its own: `%{remote_port}`, `%{url}` and a Host field show
    /// them. Nothing else is taken away: what tells the time is not compared by any fixture.
    private static func text(_ octets: [UInt8], in observation: FixtureObservation) -> String {
        // Latin-1, which no octet is lost in.
        var text = String(String.UnicodeScalarView(octets.map { Unicode.Scalar($0) }))
        text.replace(observation.folder, with: "{folder}")
        for (index, port) in observation.ports.enumerated() {
            for before in [":", " ", "\""] {
                text.replace("\(before)\(port)", with: "\(before){port \(index)}")
            }
        }
        return text
    }

    /// What a server has set is compared to the second. What is new got its time from the clock, which goes on between
    /// the two runs.
    private static func time(_ seconds: Int64) -> String {
        let age = WallClock.system.secondsSinceEpoch - seconds
        return (0..<3600).contains(age) ? "new " : "of \(seconds) "
    }

    /// Whether an argument is `-R` or its long form, also in a bundle of letters.
    private static func setsTimes(_ argument: String) -> Bool {
        argument == "--remote-time"
            || argument.hasPrefix("-") && !argument.hasPrefix("--") && argument.contains("R")
    }

    /// The request line and the field lines by their names. The order of names means nothing, that of the lines of one
    /// name does (RFC 9110, section 5.3); and what a client says of itself, unasked, is its own affair.
    private static func head(_ text: String) -> String {
        let lines = text.split(separator: "\r\n")
        let name = { (line: String) in line.prefix { $0 != ":" }.lowercased() }
        // Of equals, `sorted` keeps the order.
        let fields = lines.dropFirst().compactMap(own).sorted { name($0) < name($1) }
        return ([String(lines.first ?? "")] + fields).joined(separator: "\n")
    }

    /// A field line, with its value where that is not the client's own affair; `nil`: it does not count.
    private static func own(_ line: Substring) -> String? {
        let isAgent = ["curl/", "rawget/"].contains { line.hasPrefix("User-Agent: \($0)") }
        if isAgent { return "User-Agent: (own)" }
        // Each offers the codings that it was built with.
        let codings = ["gzip, deflate", "deflate, gzip", "deflate, gzip, br", "deflate, gzip, br, zstd"]
        if codings.contains(where: { line == "Accept-Encoding: \($0)" }) { return "Accept-Encoding: (own)" }
        // curl 7.88 asks before every PUT, later ones like this one before much content (RFC 9110, section 10.1.1).
        return line == "Expect: 100-continue" ? nil : String(line)
    }

    /// In what another client did otherwise.
    func differences(from other: Behaviour) -> [Difference] {
        var differences: [Difference] = []
        func compare(_ kind: KnownDifferences.Kind, _ ours: String, _ theirs: String) {
            guard ours != theirs else { return }
            differences.append(
                Difference(kind: kind, detail: "rawget\n\(ours.prefix(2000))\ncurl\n\(theirs.prefix(2000))"))
        }
        compare(
            .request, requests.joined(separator: "\n\n"), other.requests.joined(separator: "\n\n"))
        compare(.output, output, other.output)
        for path in Set(entries.keys).union(other.entries.keys).sorted() {
            compare(
                .files, "\(path): \(entries[path] ?? "not there")",
                "\(path): \(other.entries[path] ?? "not there")")
        }
        compare(
            .exit, exit.map(String.init) ?? "did not end", other.exit.map(String.init) ?? "did not end")
        return differences
    }
}
