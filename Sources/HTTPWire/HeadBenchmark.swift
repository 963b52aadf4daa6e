import HTTPMessage

/// Parses a typical head over and over, inside this module; a program outside compares its own loop over the
/// public interface with it, to see what the module boundary costs.
package enum HeadBenchmark {
    /// Nine fields as nginx sends them with a file.
    package static let head = """
        HTTP/1.1 200 OK\r
        Server: nginx/1.26.3\r
        Date: Tue, 29 Jul 2025 10:12:01 GMT\r
        Content-Type: application/octet-stream\r
        Content-Length: 1073741824\r
        Last-Modified: Mon, 28 Jul 2025 08:00:00 GMT\r
        Connection: keep-alive\r
        ETag: "68872f80-40000000"\r
        Expires: Wed, 30 Jul 2025 10:12:01 GMT\r
        Accept-Ranges: bytes\r
        \r

        """

    /// Parses it `iterations` times; returns the number of fields read in all.
    package static func run(iterations: Int) -> Int {
        let octets = Array(head.utf8)
        var fields = 0
        for _ in 0..<iterations {
            var parser = ResponseHeadParser()
            var offset = 0
            guard case .head(let response)? = try? parser.nextEvent(in: octets.span, at: &offset) else {
                break
            }
            fields += response.fields.count
        }
        return fields
    }
}
