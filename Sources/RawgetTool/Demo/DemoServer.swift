package import Examples
import HTTPMessage
package import Replay
import System

/// What the demo's server offers: the documents' example (D20), content made from a seed, and what else the examples load.
package enum DemoServer {
    static let name = ExampleResource.archive.rawValue
    static let length = UInt64(ExampleResource.archive.length)
    static let cutAt: UInt64 = 200_000
    private static let archive = GeneratedContent(seed: 20_150_902).octets(ExampleResource.archive.length)
    /// What the large resource repeats.
    private static let block = GeneratedContent(seed: 64).octets(64 << 10)

    private static let fields = """
        Cache-Control: max-age=7776000\r
        Content-Type: application/x-zip-compressed\r
        Last-Modified: Mon, 01 Jun 2015 03:58:27 GMT\r
        Accept-Ranges: bytes\r
        Etag: "d8f617371f9cd01:0"\r
        Server: Microsoft-IIS/7.5\r
        X-Powered-By: ASP.NET\r
        Date: Wed, 02 Sep 2015 13:17:01 GMT\r

        """

    /// What the server does for one request.
    package static func answer(_ request: RecordedRequest) -> [Script.Step] {
        let name = (try? URI(parsing: "http://demo\(request.target)")).flatMap { FileName($0)?.text }
        guard let resource = name.flatMap({ ExampleResource(rawValue: $0) }) else {
            return [.send("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")]
        }
        let length = UInt64(resource.length)
        if request.method == "HEAD" { return [.send(head("200 OK", length: length))] }
        let range = request.range(of: length)
        switch resource {
        case .silent: return [.stall]
        case .moved:
            return [
                .send("HTTP/1.1 302 Found\r\nLocation: /\(DemoServer.name)\r\nContent-Length: 0\r\n\r\n")
            ]
        case .unsized:
            return [.send("HTTP/1.1 200 OK\r\n\(fields)\r\n"), send(0..<length), .close]
        case .cut where range == nil:
            return [.send(head("200 OK", length: length)), send(0..<cutAt), .close]
        case .interrupted where (range ?? 0..<length).lowerBound == 0 && !isPastEnd(request, length):
            let head = range.map { part($0, of: length) } ?? head("200 OK", length: length)
            return [.send(head), send(0..<length / 2), .stall]
        case .large: return sendLarge(range, of: length)
        case .archive, .cut, .interrupted: break
        }
        if let range { return [.send(part(range, of: length)), send(range)] }
        if isPastEnd(request, length) {
            return [
                .send(
                    "HTTP/1.1 416 Range Not Satisfiable\r\nContent-Range: bytes */\(length)\r\nContent-Length: 0\r\n\r\n"
                )
            ]
        }
        // In pieces with short rests, so that there is something to watch: an eighth of a second in all.
        var steps: [Script.Step] = [.send(head("200 OK", length: length))]
        let piece = length / 12 + 1
        for start in stride(from: 0, to: length, by: Int(piece)) {
            steps += [send(start..<min(start + piece, length)), .pause(.milliseconds(10))]
        }
        return steps
    }

    private static func isPastEnd(_ request: RecordedRequest, _ length: UInt64) -> Bool {
        request.value(of: "Range") != nil && request.range(of: length) == nil
    }

    // MARK: Content

    private static func send(_ range: Range<UInt64>) -> Script.Step {
        .send(Array(archive[Int(range.lowerBound)..<Int(range.upperBound)]))
    }

    private static func sendLarge(_ range: Range<UInt64>?, of length: UInt64) -> [Script.Step] {
        let part = range ?? 0..<length
        let count = Int(part.upperBound - part.lowerBound)
        let lines = range.map { "Content-Range: bytes \($0.lowerBound)-\($0.upperBound - 1)/\(length)\r\n" }
        let head =
            "HTTP/1.1 \(range == nil ? "200 OK" : "206 Partial Content")\r\nContent-Length: \(count)\r\n"
            + "\(lines ?? "")Accept-Ranges: bytes\r\nEtag: \"large\"\r\nCache-Control: no-store\r\n\r\n"
        let start = Int(part.lowerBound) % block.count
        let turned = Array(block[start...] + block[..<start])
        return [
            .send(head), .sendRepeated(turned, times: count / block.count),
            .send(Array(turned.prefix(count % block.count))),
        ]
    }

    private static func head(_ status: String, length: UInt64, _ more: String = "") -> String {
        "HTTP/1.1 \(status)\r\nContent-Length: \(length)\r\n\(more)\(fields)\r\n"
    }

    private static func part(_ range: Range<UInt64>, of length: UInt64) -> String {
        head(
            "206 Partial Content", length: range.upperBound - range.lowerBound,
            "Content-Range: bytes \(range.lowerBound)-\(range.upperBound - 1)/\(length)\r\n")
    }

    // MARK: What is right

    /// Whether that is the whole content of a resource.
    package static func isWhole(_ resource: ExampleResource, _ content: [UInt8]) -> Bool {
        guard resource == .large else { return content == archive }
        guard content.count == resource.length, let expected = largeDigest else { return false }
        return (try? MessageDigest.digest(of: content.span, by: .sha256)) == expected
    }

    /// Whether that is the beginning of the archive, cut where the server cuts it.
    static func isCut(_ content: [UInt8]) -> Bool { content == Array(archive.prefix(Int(cutAt))) }

    private static let largeDigest: [UInt8]? = {
        guard var digest = try? MessageDigest(.sha256) else { return nil }
        for _ in 0..<ExampleResource.large.length / block.count { digest.update(block.span) }
        return digest.finish()
    }()
}
