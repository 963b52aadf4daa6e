// Fuzz target for what `HTTPMessage` parses: nothing traps, and what is accepted prints to the same value.
//
//     swiftc -O -swift-version 6 -package-name rawget -parse-as-library -sanitize=fuzzer,address \
//         Tests/Fuzz/FuzzURI.swift Sources/HTTPMessage/*.swift -o fuzz-uri
//     SWIFT_BACKTRACE=enable=no ./fuzz-uri -max_total_time=60 -max_len=512
//
// The file is not named as the type, since all files make one module and names must differ there.

#if canImport(HTTPMessage)
    import HTTPMessage
#endif

/// One input of libFuzzer.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let octets = Array(UnsafeBufferPointer(start: start, count: count))
    let text = String(decoding: octets, as: UTF8.self)
    fuzzURI(text)
    // A field value has one scalar for each octet.
    fuzzFields(String(String.UnicodeScalarView(octets.map { Unicode.Scalar($0) })))
    fuzzName(text)
    return 0
}

private func fuzzURI(_ text: String) {
    guard let base = try? URI(parsing: "https://u:p@h:81/a/b?q#f") else { return }
    for candidate in [text, "http://" + text] {
        for base in [nil, base] {
            for keepsDotSegments in [false, true] {
                let parsed = try? URI(
                    parsing: candidate, relativeTo: base, keepsDotSegments: keepsDotSegments)
                guard let uri = parsed else { continue }
                let again = try? URI(parsing: uri.description, keepsDotSegments: keepsDotSegments)
                precondition(again == uri, "a URI prints to another")
                precondition(uri.path.utf8.first == UInt8(ascii: "/"))
                precondition(uri.requestTarget.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
                precondition(uri.authority.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
                if let name = FileName(uri) { check(name) }
            }
        }
    }
}

private func fuzzFields(_ value: String) {
    if let date = HTTPDate(parsing: value, now: HTTPDate(secondsSinceEpoch: 1_000_000_000)) {
        precondition(HTTPDate(parsing: date.description, now: date) == date, "a date prints to another")
    }
    if let set = ByteRangeSet(parsing: value) {
        precondition(ByteRangeSet(parsing: set.description) == set, "ranges print to others")
        for length in [0, 1, 1000, UInt64.max] {
            for range in set.ranges { _ = range.offsets(inLength: length) }
        }
    }
    if let range = ContentRange(parsing: value) {
        precondition(ContentRange(parsing: range.description) == range, "a range prints to another")
        _ = range.offsets
    }
    if let tags = EntityTagList(parsing: value) {
        precondition(EntityTagList(parsing: tags.description) == tags, "tags print to others")
    }
    if let type = MediaType(parsing: value) {
        precondition(
            MediaType(parsing: type.description)?.essence == type.essence, "a type prints to another")
    }
    if let wait = RetryAfter(parsing: value, now: HTTPDate(secondsSinceEpoch: 1_000_000_000)) {
        let now = HTTPDate(secondsSinceEpoch: .min)
        precondition(wait.delay(from: now) >= wait.delay(from: HTTPDate(secondsSinceEpoch: .max)))
    }
    // What is a list of one member is a member, and no more than that.
    if let item = StructuredItem(parsing: value) {
        precondition(StructuredList(parsing: value)?.members == [.item(item)], "an item is another in a list")
    }
    _ = StructuredDictionary(parsing: value)
    if let field = DigestField(parsing: value) {
        for digest in field.digests { precondition(field[digest.algorithm] != nil) }
    }
    for value in [value, "sha-256=:" + value + ":"] {
        let length = DigestField(parsing: value)?["sha-256"]?.count
        precondition(length == nil || length == 32, "a digest of another length")
    }
    precondition(ContentMD5(parsing: value).map { $0.value.count == 16 } ?? true)
    for member in CommaList(value) { precondition(!member.isEmpty) }
    for isLenient in [false, true] {
        for value in [value, "attachment; filename=" + value, "attachment; filename*=UTF-8''" + value] {
            let disposition = ContentDisposition(parsing: value, isLenient: isLenient)
            if let name = disposition.flatMap({ FileName($0) }) { check(name) }
        }
    }
}

private func fuzzName(_ text: String) {
    for limit in [0, 3, 12, 240] {
        guard let name = FileName(suggested: text, maximumOctets: limit) else { continue }
        check(name)
        precondition(name.text.utf8.count <= limit)
        precondition(FileName(suggested: name.text) == name, "a name is reduced to another")
    }
}

private func check(_ name: FileName) {
    let octets = Array(name.text.utf8)
    precondition(!octets.isEmpty && octets[0] != UInt8(ascii: ".") && octets[0] != UInt8(ascii: "-"))
    precondition(octets.last != UInt8(ascii: ".") && octets.last != 0x20)
    precondition(octets.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != 0x2F && $0 != 0x5C })
}
