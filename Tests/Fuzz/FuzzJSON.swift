// Lines as `rawget batch` reads them, whole and member by member: both ways must say the same, what was read must be
// read again from what it is printed as, and nothing may trap.
//
// Build and run: Tests/Fuzz/build.

import HTTPMessage

/// What the fuzzer calls with each input; 0 says that the input may join the corpus.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzJSON(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    let whole = result(of: input)
    switch whole {
    case .success(let value):
        let text = Array(JSONPrinter.text(of: value).utf8)
        guard case .success(value) = result(of: text) else { report("printed and read", value, text) }
        guard text.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            report("printed with controls", value, text)
        }
        // Blanks around it change nothing.
        guard case .success(value) = result(of: [0x20, 0x0A] + input + [0x09]) else {
            report("between blanks", value, input)
        }
    case .failure(let error):
        precondition((0...input.count).contains(error.offset), "\(error)")
    }
    switch (whole, members(of: input)) {
    case (.success(.object(let one)), .success(let other)): precondition(one == other, "members differ")
    case (.success(.object), .failure(let error)): preconditionFailure("member by member: \(error)")
    case (.success, .success): preconditionFailure("what is no object has members")
    case (.success, .failure(let error)): precondition(error.reason == .expected(.object))
    // The outermost object is no value of the count there, and stands at its depth in both.
    case (.failure(let one), .success): precondition(one.reason == .tooMany(limit: JSONReader.maximumCount))
    case (.failure(let one), .failure(let other)):
        precondition(other == one || other.reason == .expected(.object), "\(one), \(other)")
    }
    return 0
}

private func result(of octets: [UInt8]) -> Result<JSONValue, JSONError> {
    do throws(JSONError) { return .success(try JSONReader.value(of: octets)) } catch {
        return .failure(error)
    }
}

private func members(of octets: [UInt8]) -> Result<[JSONValue.Member], JSONError> {
    do throws(JSONError) {
        var reader = JSONReader(octets)
        var members: [JSONValue.Member] = []
        try reader.beginObject()
        while let member = try reader.nextMember() { members.append(member) }
        return .success(members)
    } catch {
        return .failure(error)
    }
}

private func report(_ way: String, _ value: JSONValue, _ octets: [UInt8]) -> Never {
    print("\(way): \(value)\n\(octets)")
    preconditionFailure("not the same")
}
