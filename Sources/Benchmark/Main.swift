import Glibc
import HTTPMessage
import HTTPWire
import System
import Transport

/// What has no peer to be compared with: parsing a head of nine fields, inside HTTPWire and from another module; an
/// answer out of the cache.
///
/// Prints medians and fails when the module boundary costs more than half as much again, or `CacheBenchmark` misses a
/// bar.
@main
struct Benchmark {
    private static let iterations = 100_000
    private static let runs = 11
    private static let limit = 1.5

    static func main() {
        do throws(BoundaryCost) { try parsing() } catch {
            print("the module boundary costs \(rounded(error.ratio)) times, more than \(limit)")
            exit(1)
        }
        let status = NetworkActor.loop.run {
            do { try await CacheBenchmark.run() } catch {
                print("\(error)")
                return 1
            }
            return 0
        }
        exit(status)
    }

    private static func parsing() throws(BoundaryCost) {
        var inside: [Double] = []
        var outside: [Double] = []
        // In turn, so that both meet the same state of the machine.
        for _ in 0..<runs {
            inside.append(try nanoseconds { HeadBenchmark.run(iterations: iterations) })
            outside.append(try nanoseconds { parse(iterations) })
        }
        let ratio = median(outside) / median(inside)
        print("head of 9 fields, inside HTTPWire: \(Int(median(inside))) ns")
        print("head of 9 fields, another module:  \(Int(median(outside))) ns, \(rounded(ratio)) times")
        guard ratio <= limit else { throw BoundaryCost(ratio: ratio) }
    }

    /// The module boundary costs more than it may.
    struct BoundaryCost: Error {
        var ratio: Double
    }

    /// The loop of `HeadBenchmark.run` over the public interface.
    private static func parse(_ iterations: Int) -> Int {
        let octets = Array(HeadBenchmark.head.utf8)
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

    /// Time of one head. Throws when not every head was parsed.
    private static func nanoseconds(_ body: () -> Int) throws(BoundaryCost) -> Double {
        let start = Instant.now
        guard body() == iterations * 9 else { throw BoundaryCost(ratio: .nan) }
        return Double((Instant.now - start).wholeNanoseconds) / Double(iterations)
    }

    private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

    private static func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }
}
