import HTTPClient
package import HTTPMessage
import System

/// What is known of a part on disk, so that another process can go on with it.
///
/// Lines of text, each a word and what it says; values have `%`, blanks at their ends and controls as percent escapes:
///
///     rawget 1
///     url http://example.org/archive.zip?version=2
///     source http://mirror.example.org/archive.zip
///     validator "abc"
///     coding gzip
///     length 1073741824
///     ranges no
///     part archive.zip.part
///     name archive.zip
///     replaces yes
///     file 2049 131077
///     boot 5f0d0f4c-…
///     extent 0 67108864
///     ended yes
///     end
///
/// `file` is `-` before the part is made: an empty one of that name is it. `source`, `validator`, `coding` and `length` are left out where they are not known. `extent` tells what is known to be on
/// the device: what a crash of the machine leaves. After the end of a process alone, all that the part holds is there: it
/// is written from its beginning to its end. `ended yes` says that the process ended by itself and that there is no more:
/// what else the part holds somebody else has put there.
package struct ResumeRecord: Hashable, Sendable {
    /// What was asked for, without userinfo and fragment.
    package var uri: URI
    /// What the octets belong to. Its `length` is what is on the device for certain.
    package var representation: PartialRepresentation
    /// The part and what it will be called: names in the record's own folder.
    package var part: String
    var name: String
    /// Whether a file of that name may be replaced.
    var mayReplace: Bool
    /// The part's file; `nil` where it is about to be made.
    package var file: FileIdentity?
    /// Whether the process that wrote it ended by itself: then the part has what `representation.length` says, and no more.
    package var isEnded = false
    /// The time since the machine was started, in which the record was written.
    var boot: String

    /// Longest record that is read.
    package static let longest = 64 << 10

    package init(
        uri: URI, representation: PartialRepresentation, part: String, name: String, mayReplace: Bool,
        file: FileIdentity?, boot: String
    ) {
        self.uri = uri
        self.representation = representation
        self.part = part
        self.name = name
        self.mayReplace = mayReplace
        self.file = file
        self.boot = boot
    }

    // MARK: As text

    /// The record's octets.
    package var octets: [UInt8] {
        var lines = ["rawget 1", "url \(uri)"]
        if let source = representation.source { lines.append("source \(source)") }
        func add(_ word: String, _ value: String?) {
            if let value { lines.append("\(word) \(ResumeRecord.escaped(value))") }
        }
        add("validator", representation.validator)
        add("coding", representation.coding)
        add("length", representation.completeLength.map(String.init))
        if !representation.allowsRanges { lines.append("ranges no") }
        add("part", part)
        add("name", name)
        lines.append("replaces \(mayReplace ? "yes" : "no")")
        lines.append(file.map { "file \($0.device) \($0.inode)" } ?? "file -")
        add("boot", boot.isEmpty ? "-" : boot)
        lines.append("extent 0 \(representation.length)")
        if isEnded { lines.append("ended yes") }
        lines.append("end\n")
        return Array(lines.joined(separator: "\n").utf8)
    }

    /// The record that `octets` are; `nil` where they are none, or not all of one.
    package init?(_ octets: [UInt8]) {
        guard octets.count <= ResumeRecord.longest, String(validating: octets, as: UTF8.self) != nil else {
            return nil
        }
        // By octets: a name may begin with what would join the blank before it.
        let lines = octets.split(separator: 0x0A, omittingEmptySubsequences: false)
        guard lines.count > 3, lines[0].elementsEqual("rawget 1".utf8), lines[lines.count - 1].isEmpty,
            lines[lines.count - 2].elementsEqual("end".utf8)
        else { return nil }
        var values: [String: ArraySlice<UInt8>] = [:]
        for line in lines[1..<lines.count - 2] {
            guard let blank = line.firstIndex(of: 0x20) else { return nil }
            let word = String(decoding: line[..<blank], as: UTF8.self)
            guard values.updateValue(line[(blank + 1)...], forKey: word) == nil else { return nil }
        }
        self.init(values)
    }

    private init?(_ values: [String: ArraySlice<UInt8>]) {
        // The escapes of an address are its own.
        func address(_ word: String) -> URI? {
            values[word].flatMap { try? URI(parsing: String(decoding: $0, as: UTF8.self)) }
        }
        func text(_ word: String) -> String? {
            values[word].map {
                let octets = PercentEncoding.decode(String(decoding: $0, as: UTF8.self))
                return String(decoding: octets, as: UTF8.self)
            }
        }
        guard let uri = address("url"), let part = text("part"), let name = text("name"),
            ResumeRecord.isPlainName(part), ResumeRecord.isPlainName(name),
            let fileText = text("file"), let boot = text("boot"),
            let extent = ResumeRecord.numbers(text("extent")), extent.0 == 0, let replaces = text("replaces")
        else { return nil }
        let file = ResumeRecord.numbers(fileText)
        guard file != nil || fileText == "-" else { return nil }
        var representation = PartialRepresentation()
        representation.length = extent.1
        if let validator = text("validator") {
            guard ResumeRecord.isValidator(validator) else { return nil }
            representation.validator = validator
        }
        representation.coding = text("coding")
        representation.allowsRanges = text("ranges") != "no"
        if let length = text("length") {
            guard let length = UInt64(length) else { return nil }
            representation.completeLength = length
        }
        if values["source"] != nil {
            guard let source = address("source") else { return nil }
            representation.source = source
        }
        self.init(
            uri: uri, representation: representation, part: part, name: name, mayReplace: replaces == "yes",
            file: file.map { FileIdentity(device: $0.0, inode: $0.1) }, boot: boot == "-" ? "" : boot)
        isEnded = text("ended") == "yes"
    }

    private static func numbers(_ text: String?) -> (UInt64, UInt64)? {
        let parts = (text ?? "").split(separator: " ").map { UInt64($0) }
        guard parts.count == 2, let first = parts[0], let second = parts[1] else { return nil }
        return (first, second)
    }

    /// Whether it names something in the same folder.
    private static func isPlainName(_ name: String) -> Bool {
        !name.isEmpty && name != "." && name != ".." && !name.utf8.contains(0x2F) && !name.utf8.contains(0)
    }

    /// Whether it may be sent as If-Range: a strong entity tag, or a date. It would be sent as it stands.
    private static func isValidator(_ text: String) -> Bool {
        if text.hasPrefix("\"") { return EntityTag(parsing: text)?.description == text }
        return HTTPDate(parsing: text, now: HTTPDate(secondsSinceEpoch: 0)) != nil
    }

    /// A value with percent escapes for what no line, or no end of one, may have.
    package static func escaped(_ value: String) -> String {
        var octets: [UInt8] = []
        let last = value.utf8.count - 1
        for (index, octet) in value.utf8.enumerated() {
            let isEdge = octet == 0x20 && (index == 0 || index == last)
            if octet < 0x20 || octet == 0x7F || octet == UInt8(ascii: "%") || isEdge {
                octets.append(UInt8(ascii: "%"))
                octets.append(contentsOf: hexadecimal(octet).utf8)
            } else {
                octets.append(octet)
            }
        }
        return String(decoding: octets, as: UTF8.self)
    }

    private static func hexadecimal(_ octet: UInt8) -> String {
        (octet < 16 ? "0" : "") + String(octet, radix: 16, uppercase: true)
    }
}
