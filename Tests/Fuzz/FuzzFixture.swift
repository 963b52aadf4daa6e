// Texts of fixtures: parsing may not trap; what parses must, printed, parse as the same, and be printed as the same
// again. Build and run: Tests/Fuzz/build.

/// Stands in for the type whose versions the model of fixtures names: the real one needs OpenSSL.
public struct TLSService {}

/// What the fuzzer calls with each input; 0 says that the input may join the corpus.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzFixture(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let text = Array(UnsafeBufferPointer(start: start, count: count))
    let fixture: Fixture
    do throws(FixtureSyntaxError) { fixture = try FixtureParser.parse(text) } catch {
        precondition(!error.problems.isEmpty && error.problems.count <= FixtureParser.mostProblems)
        let lines = text.count { $0 == 0x0A } + 1
        precondition(error.problems.allSatisfy { $0.line <= lines && !$0.message.isEmpty })
        precondition(zip(error.problems, error.problems.dropFirst()).allSatisfy { $0.line <= $1.line })
        return 0
    }
    let printed = FixturePrinter.text(of: fixture)
    do throws(FixtureSyntaxError) {
        let again = try FixtureParser.parse(printed)
        guard again.withoutLines == fixture.withoutLines else { report("is another", text, printed) }
        guard FixturePrinter.text(of: again) == printed else { report("is printed otherwise", text, printed) }
    } catch { report("is no fixture, \(error.problems)", text, printed) }
    return 0
}

private func report(_ what: String, _ text: [UInt8], _ printed: [UInt8]) -> Never {
    print("what was printed \(what):\n\(String(decoding: printed, as: UTF8.self))")
    print("of:\n\(String(decoding: text, as: UTF8.self))")
    preconditionFailure("printing and parsing differ")
}
