import Testing

@testable import RawgetTool

@Suite("The table of exit codes")
struct ExitCodeTests {
    @Test("names and statuses are unique and in order") func isInOrder() {
        let statuses = ExitCode.table.map(\.status)
        #expect(statuses == statuses.sorted())
        // curl has one number for a scheme that is not spoken and for an answer of HTTP/0.9, and this command one for a
        // command line and for a request that make no sense.
        #expect(statuses.filter { $0 == 1 }.count == 2 && statuses.filter { $0 == 2 }.count == 2)
        #expect(Set(statuses).count == statuses.count - 2)
        #expect(Set(ExitCode.table.map(\.errorName)).count == statuses.count)
    }

    @Test("has curl's number where curl has the failure")
    func hasCurlsNumbers() {
        let curl = ExitCode.table.filter { $0.curlName != nil }.map(\.status)
        #expect(
            curl == [
                1, 1, 2, 2, 3, 5, 6, 7, 8, 18, 22, 23, 25, 26, 27, 28, 33, 35, 36, 45, 47, 52, 55, 56, 58, 59,
                60, 61,
                63, 65, 77, 90, 94, 97,
            ])
        #expect(
            ExitCode.table.filter { $0.curlName == nil }.map(\.status) == [120, 121, 122, 123, 124, 130])
    }

    @Test func finds() {
        #expect(ExitCode.row(named: "timedOut")?.status == 28)
        #expect(ExitCode.row(status: 2)?.errorName == "usage")
        #expect(ExitCode.row(status: 18)?.errorName == "incompleteContent")
        #expect(ExitCode.row(named: "nonsense") == nil)
    }

    @Test("advice is a sentence, meaning a clause", arguments: ExitCode.table)
    func readsWell(row: ExitCode) {
        #expect(row.advice?.hasSuffix(".") ?? true)
        #expect(!row.meaning.hasSuffix("."))
    }
}
