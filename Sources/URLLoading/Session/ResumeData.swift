import Download
public import HTTPClient
public import HTTPMessage
import System

/// What a cancelled download leaves for a later task, in this process or another (D12): the request, what the octets
/// belong to, and the file that has them.
///
/// It is text, version 1: lines of a word and what it says, with `%`, blanks at their ends and controls as percent escapes.
/// Behind its own lines stands a record as `Download` keeps it beside a part, and a digest of all before:
///
///     rawget resume data 1
///     folder /users/me/.cache/rawget/tmp
///     field Accept: text/plain
///     tail pkX8…
///     written 1441199821.123456789
///     rawget 1
///     url http://example.org/archive.zip
///     validator "abc"
///     …
///     end
///     sum 9fGq…
///
/// `tail` is the SHA-256 of the last octets in the file, 64 KiB at most; `written` is when the file was written to last:
/// whoever has changed any octet since has changed that; `sum` is the digest of all lines above it. It holds the
/// request's fields: credentials among them make it as secret as they are. It is good for one task, which gives the file
/// another name as soon as an answer comes for it; what is not what it says is refused.
public struct ResumeData: Sendable {
    /// What was asked for.
    public let uri: URI
    /// The fields of the request.
    public let fields: HTTPFields
    /// Octets that are there.
    public var countOfBytesReceived: UInt64 { record.representation.length }
    /// Octets in all; `nil` where nobody knows.
    public var countOfBytesExpected: UInt64? { record.representation.completeLength }
    /// The file that has them.
    public var location: String { "\(folder)/\(record.part)" }

    private let folder: String
    private let tail: String
    private let written: String
    private let record: ResumeRecord

    /// Octets at the end of the file that are compared.
    private static let tailLength = 64 << 10
    /// Longest resume data that is read; 1 MiB.
    public static let maximumLength = 1 << 20
    private static let firstLine = "rawget resume data 1"

    /// Resume data for what `file` has of `part`. Throws where the file cannot be read.
    init(_ request: HTTPRequest, _ part: PartialRepresentation, _ file: TemporaryFile) throws(SystemError) {
        uri = request.uri.withoutUserinfoAndFragment
        var fields = request.fields
        if !fields.contains(.authorization), let user = BasicCredentials(userinfoOf: request.uri) {
            fields.append(.authorization, user.fieldValue)
        }
        self.fields = fields
        folder = file.folder.path
        tail = try ResumeData.tail(of: file.descriptor, length: part.length)
        let status = try File.status(of: file.descriptor)
        written = ResumeData.writingTime(status)
        record = ResumeRecord(
            uri: uri, representation: part, part: file.name, name: file.name, mayReplace: false,
            file: FileIdentity(status), boot: File.bootIdentifier)
    }

    private static func writingTime(_ status: File.Status) -> String {
        "\(status.modified).\(status.modifiedNanoseconds)"
    }

    private static func tail(of descriptor: Int32, length: UInt64) throws(SystemError) -> String {
        let count = min(length, UInt64(tailLength))
        var octets: [UInt8] = []
        while UInt64(octets.count) < count {
            let more = try File.readSome(
                Int(count) - octets.count, at: length - count + UInt64(octets.count), from: descriptor)
            guard !more.isEmpty else { break }
            octets += more
        }
        return digest(octets)
    }

    private static func digest(_ octets: [UInt8]) -> String {
        // Every OpenSSL that there is computes it; without it nothing matches.
        let digest = try? MessageDigest.digest(of: octets.span, by: .sha256)
        return digest.map { Base64.encoded($0.span) } ?? ""
    }

    // MARK: As octets

    /// What is handed over.
    public var octets: [UInt8] {
        var lines = [ResumeData.firstLine, "folder \(ResumeRecord.escaped(folder))"]
        for field in fields { lines.append("field \(field.name): \(ResumeRecord.escaped(field.value))") }
        lines += ["tail \(tail)", "written \(written)\n"]
        var octets = Array(lines.joined(separator: "\n").utf8) + record.octets
        octets += Array("sum \(ResumeData.digest(octets))\n".utf8)
        return octets
    }

    /// The resume data that `octets` are. Throws `badResume`, with the reason.
    public init(parsing octets: [UInt8]) throws(TransferError) {
        guard octets.count <= ResumeData.maximumLength else { throw ResumeData.refusal("it is too long") }
        guard octets.starts(with: "\(ResumeData.firstLine)\n".utf8) else {
            throw ResumeData.refusal("it does not begin as resume data of version 1 does")
        }
        let end = octets.dropLast().lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        guard octets.last == 0x0A,
            octets[end...].elementsEqual("sum \(ResumeData.digest(Array(octets[..<end])))\n".utf8)
        else { throw ResumeData.refusal("it is damaged: its octets have another digest") }
        guard let data = ResumeData(lines: octets[..<end]) else {
            throw ResumeData.refusal("it does not say all that is needed")
        }
        self = data
    }

    private init?(lines octets: ArraySlice<UInt8>) {
        var values: [String: String] = [:]
        var fields = HTTPFields()
        var rest = octets.dropFirst(ResumeData.firstLine.utf8.count + 1)
        while !rest.starts(with: "rawget 1\n".utf8) {
            guard let end = rest.firstIndex(of: 0x0A) else { return nil }
            let line = String(decoding: rest[rest.startIndex..<end], as: UTF8.self)
            rest = rest[(end + 1)...]
            guard let blank = line.firstIndex(of: " ") else { return nil }
            let value = String(line[line.index(after: blank)...])
            guard line[..<blank] == "field" else {
                values[String(line[..<blank])] = String(
                    decoding: PercentEncoding.decode(value), as: UTF8.self)
                continue
            }
            guard let colon = value.firstIndex(of: ":"), let name = FieldName(String(value[..<colon])) else {
                return nil
            }
            let text = PercentEncoding.decode(String(value[colon...].utf8.dropFirst(2)) ?? "")
            fields.append(name, String(decoding: text, as: UTF8.self))
        }
        guard let record = ResumeRecord(Array(rest)), record.representation.isContinuable, record.file != nil,
            let folder = values["folder"], folder.hasPrefix("/"), let tail = values["tail"],
            let written = values["written"]
        else { return nil }
        (self.folder, self.tail, self.written, self.record, self.fields) = (
            folder, tail, written, record, fields
        )
        uri = record.uri
    }

    private static func refusal(_ reason: String) -> TransferError {
        TransferError(.badResume, during: .prepare, "cannot go on from this resume data: \(reason)")
    }

    // MARK: Use

    /// What is there.
    var part: PartialRepresentation { record.representation }

    /// The request that goes on.
    var loadRequest: LoadRequest { LoadRequest(uri, fields: fields) }

    /// Throws `badResume` where the file is gone, or is not what it was. It stays as it is.
    func checkFile() throws(TransferError) {
        let file = try openFile(takesOver: false)
        // It is not this value's to remove.
        file.keep()
        try check(file)
    }

    /// Takes the file over: under another name, so that nobody else can. Throws `badResume` where it is gone, or is not
    /// what it was.
    func takeFile() throws(TransferError) -> TemporaryFile {
        // A file that is refused from here on has the new name, which nobody else knows: it is removed.
        let file = try openFile(takesOver: true)
        try check(file)
        return file
    }

    private func openFile(takesOver: Bool) throws(TransferError) -> TemporaryFile {
        guard let identity = record.file else { throw ResumeData.refusal("it names no file") }
        return try TemporaryFile.adopt(
            location, identity: identity, size: record.representation.length, takesOver: takesOver)
    }

    /// Throws where the octets are not those that were left; else the next goes behind them.
    private func check(_ file: TemporaryFile) throws(TransferError) {
        let length = record.representation.length
        let found: (tail: String, written: String)
        do throws(SystemError) {
            found = (
                try ResumeData.tail(of: file.descriptor, length: length),
                ResumeData.writingTime(try File.status(of: file.descriptor))
            )
            try File.seek(to: length, in: file.descriptor)
        } catch {
            throw ResumeData.refusal("\(location): \(error.explanation)")
        }
        guard found == (tail, written) else { throw ResumeData.refusal("\(location) has changed since") }
    }
}
