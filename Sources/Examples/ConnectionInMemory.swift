import Rawget

extension Example {
    /// A connection whose delegate collects the content: for what is not large (`connectionToFile` measures why).
    static let connectionInMemory = Example(
        "D4", "NSURLConnection with a delegate", "URLConnection, URLConnectionDelegate"
    ) { stage in
        let collector = Collector()
        // With a delegate it begins at once.
        _ = URLConnection(request: LoadRequest(try stage.uri(.moved)), delegate: collector)
        await collector.ending.wait()
        stage.say("   \(collector.line.text)")
        stage.check(
            "asked before the first request and before \(collector.redirects) redirect",
            collector.redirects == 1 && stage.isWhole(.archive, collector.content))
    }
}

/// Collects the content and shows how far it is.
final class Collector: URLConnectionDelegate, @unchecked Sendable {
    // Safety: the calls come one at a time, and nobody else looks before the last of them.
    let ending = Ending()
    let line = ProgressLine()
    private let gauge: MemoryGauge?
    private(set) var content: [UInt8] = []
    private(set) var redirects = 0
    private var expected: Int64 = -1

    init(_ gauge: MemoryGauge? = nil) { self.gauge = gauge }

    func connection(
        _ connection: URLConnection, willSend request: LoadRequest, redirectResponse: HTTPResponse?
    ) -> LoadRequest? {
        if redirectResponse != nil { redirects += 1 }
        return request
    }

    func connection(_ connection: URLConnection, didReceive response: HTTPResponse) {
        // What came before belongs to an earlier answer.
        content = []
        expected = response.expectedContentLength
    }

    func connection(_ connection: URLConnection, didReceive piece: [UInt8]) {
        content += piece
        line.show(Int64(content.count), of: expected)
        gauge?.look()
    }

    func connectionDidFinishLoading(_ connection: URLConnection) {
        line.show(Int64(content.count), of: expected, .finished)
        ending.come()
    }

    func connection(_ connection: URLConnection, didFailWith error: TransferError) {
        line.show(Int64(content.count), of: expected, .failed)
        ending.come()
    }
}
