import Replay
import Testing

@Suite("A recorded request")
struct RecordedRequestTests {
    private let request = RecordedRequest(
        connection: 0,
        head: Array("GET /a?b HTTP/1.1\r\nHost: x\r\nrange:  bytes=2-5 \r\nA: 1\r\na:2\r\n\r\n".utf8))

    @Test func readsTheRequestLine() {
        #expect(request.method == "GET")
        #expect(request.target == "/a?b")
        #expect(request.version == "HTTP/1.1")
    }

    @Test func readsFieldsWithoutRegardToCase() {
        #expect(request.fields.map(\.name) == ["Host", "range", "A", "a"])
        #expect(request.value(of: "HOST") == "x")
        #expect(request.values(of: "a") == ["1", "2"])
        #expect(request.value(of: "none") == nil)
    }

    @Test(
        "reads one range",
        arguments: [
            ("bytes=2-5", 2..<6), ("bytes=2-", 2..<10), ("bytes=-3", 7..<10), ("bytes=-30", 0..<10),
            ("bytes=9-99", 9..<10), ("bytes=10-", nil), ("bytes=5-2", nil), ("bytes=-0", nil),
            ("lines=1-2", nil), ("bytes=0-1,3-4", nil),
        ] as [(String, Range<UInt64>?)])
    func readsRange(value: String, expected: Range<UInt64>?) {
        let request = RecordedRequest(
            connection: 0, head: Array("GET / HTTP/1.1\r\nRange: \(value)\r\n\r\n".utf8))
        #expect(request.range(of: 10) == expected)
    }

    @Test func emptyHeadHasEmptyWords() {
        let request = RecordedRequest(connection: 0, head: [])
        #expect(request.method.isEmpty && request.target.isEmpty && request.fields.isEmpty)
    }
}
