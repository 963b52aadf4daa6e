import Glibc
import Replay
import TestSupport
import Testing

/// The octets of a file of the repository.
func octets(ofFile path: String) throws -> [UInt8] {
    let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(
        separator: "/")
    let octets = contents(ofFile: "\(root)/\(path)")
    try #require(!octets.isEmpty, "there is no \(path)")
    return octets
}

/// The octets of a file; none where there is no such file.
func contents(ofFile path: String) -> [UInt8] {
    let file = open(path, O_RDONLY)
    defer { close(file) }
    return contents(ofDescriptor: file)
}

/// What is wrong with a text, `LINE: MESSAGE` each; empty when it is a fixture.
func complaints(about text: String) -> [String] { complaints(about: Array(text.utf8)) }

func complaints(about octets: [UInt8]) -> [String] {
    do throws(FixtureSyntaxError) {
        _ = try FixtureParser.parse(octets)
        return []
    } catch { return error.problems.map { "\($0.line): \($0.message)" } }
}

/// A text, and all that is told of it.
struct Faulty: CustomTestStringConvertible, Sendable {
    var text: String
    var complaints: [String]

    init(_ text: String, _ complaints: String...) {
        self.text = text
        self.complaints = complaints
    }

    /// Lines before a command, from line 2 on.
    static func before(_ text: String, _ complaints: String...) -> Faulty {
        var faulty = Faulty("# r\n\(text)\n$ rawget x\n= exit 0\n")
        faulty.complaints = complaints
        return faulty
    }

    /// Lines that happen to a command, from line 3 on.
    static func during(_ text: String, _ complaints: String...) -> Faulty {
        var faulty = Faulty("# r\n$ rawget x\n\(text)\n= exit 0\n")
        faulty.complaints = complaints
        return faulty
    }

    /// Lines that happen to a load, from line 4 on.
    static func load(_ text: String, _ complaints: String...) -> Faulty {
        var faulty = Faulty("# r\nload GET http://a/\n= status 200\n\(text)\n")
        faulty.complaints = complaints
        return faulty
    }

    var testDescription: String { text }
}
