import HTTPCache
import HTTPClient
import HTTPMessage
import Replay
import System
import Transport

/// What an answer from memory costs beside the same exchange over loopback, and whether eviction slows down with the
/// number of objects stored.
@NetworkActor
struct CacheBenchmark {
    private static let objects = 100_000
    private static let exchanges = 2_000
    private static let rounds = 7
    private nonisolated static let content = [UInt8](repeating: 0x61, count: 1024)

    /// A hit may cost this part of the exchange.
    private static let largestPart = 0.1
    /// Eviction among 100,000 objects may cost this much more than among 1,000: caches of the processor hold fewer of
    /// them, and that is all.
    private static let largestGrowth = 3.0

    /// A bar was missed.
    struct Missed: Error, CustomStringConvertible {
        var description: String
    }

    static func run() async throws {
        let server = try ReplayServer { _ in
            [
                .send(
                    Array(
                        "HTTP/1.1 200 OK\r\nCache-Control: max-age=600\r\nContent-Length: 1024\r\n\r\n".utf8)
                        + content)
            ]
        }
        try server.start()
        defer { server.stop() }
        let base = "http://127.0.0.1:\(server.port)"
        let plain = Client()
        var configuration = ClientConfiguration()
        let cache = ResponseCache(capacity: 1 << 30)
        configuration.cache = cache
        let caching = Client(configuration)
        let head = HTTPResponse(
            status: .ok, reason: "OK", fields: ["Cache-Control": "max-age=600", "Content-Length": "1024"])
        let requests = try (0..<objects).map { HTTPRequest(try URI(parsing: "\(base)/objects/\($0)")) }
        for request in requests { cache.store(.init(head, content: content), for: request) }
        var loopback: [Double] = []
        var hits: [Double] = []
        var spread: [Double] = []
        for round in 0..<rounds {
            loopback.append(try await microseconds(plain, .network) { _ in requests[0] })
            hits.append(try await microseconds(caching, .cache) { _ in requests[0] })
            // Others each time: what they hold is in the processor's caches no more.
            spread.append(
                try await microseconds(caching, .cache) { requests[($0 &* 7919 &+ round) % objects] })
        }
        let part = median(hits) / median(loopback)
        let spreadPart = median(spread) / median(loopback)
        print("exchange of 1 KiB over loopback:   \(rounded(median(loopback))) µs")
        print("the same among \(objects) stored:  \(rounded(median(hits))) µs, \(rounded(part)) of it")
        print(
            "another of them each time:         \(rounded(median(spread))) µs, \(rounded(spreadPart)) of it")
        let few = evictions(among: 1_000)
        let many = evictions(among: objects)
        print("eviction among 1000 objects:       \(rounded(few)) µs")
        print("eviction among \(objects) objects:  \(rounded(many)) µs, \(rounded(many / few)) times")
        guard part <= largestPart else {
            throw Missed(
                description: "a hit costs \(rounded(part)) of the exchange, more than \(largestPart)")
        }
        guard many <= few * largestGrowth else {
            throw Missed(
                description: "eviction slows down with the number stored: \(rounded(many / few)) times")
        }
    }

    /// Time of one transfer, in microseconds. Throws when an answer is not where it should come from.
    private static func microseconds(
        _ client: Client, _ source: CacheAnswer.Source, _ request: (Int) -> HTTPRequest
    ) async throws -> Double {
        let start = Instant.now
        for index in 0..<exchanges {
            let sink = CollectedContent()
            let report = try await client.transfer(request(index), into: sink).run()
            guard report.source == source, sink.octets.count == content.count else {
                throw Missed(description: "the answer came from \(report.source), not from \(source)")
            }
        }
        return Double((Instant.now - start).wholeNanoseconds) / Double(exchanges) / 1000
    }

    /// Time of storing one more in a full cache of so many, in microseconds: the median of several tries.
    private static func evictions(among count: Int) -> Double {
        let head = HTTPResponse(status: .ok, reason: "OK", fields: ["Cache-Control": "max-age=600"])
        let requests = (0..<count + exchanges * rounds).compactMap {
            (try? URI(parsing: "http://host.test/\($0)")).map { HTTPRequest($0) }
        }
        let probe = ResponseCache(capacity: 1 << 20)
        probe.store(.init(head, content: content), for: requests[0])
        // Names are longer further on: a little less room than so many objects need.
        let cache = ResponseCache(capacity: probe.usage * count)
        for request in requests[..<count] { cache.store(.init(head, content: content), for: request) }
        var times: [Double] = []
        for round in 0..<rounds {
            let start = Instant.now
            for request in requests[(count + round * exchanges)...].prefix(exchanges) {
                cache.store(.init(head, content: content), for: request)
            }
            times.append(Double((Instant.now - start).wholeNanoseconds) / Double(exchanges) / 1000)
        }
        return median(times)
    }

    private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

    private static func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }
}
