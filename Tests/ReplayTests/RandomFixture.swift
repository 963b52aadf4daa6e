import Replay

/// Makes fixtures by chance, the same for the same seed: such as a text can say.
struct RandomFixture {
    private let content: GeneratedContent
    private var index: UInt64 = 0

    init(seed: UInt64) { content = GeneratedContent(seed: seed) }

    /// A number below `count`.
    private mutating func below(_ count: Int) -> Int {
        let octets = content.octets(in: index * 8..<index * 8 + 8)
        index += 1
        return Int(octets.reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) } % UInt64(count))
    }

    private mutating func chance() -> Bool { below(2) == 0 }

    private mutating func several<Value>(_ most: Int, _ make: (inout RandomFixture) -> Value) -> [Value] {
        (0..<below(most + 1)).map { _ in make(&self) }
    }

    private mutating func octets() -> [UInt8] {
        let kind = below(3)
        return several(kind == 0 ? 80 : 300) { random in
            switch kind {
            case 0: UInt8(random.below(256))
            case 1: UInt8(0x20 + random.below(95))
            default: Array("ab \\\"\n\r\té'$*{}~".utf8.prefix(14))[random.below(14)]
            }
        }
    }

    private mutating func word() -> String {
        let kind = below(3)
        let letters = Array(kind == 0 ? "abc" : "ab \\\"'$\té\n*;{=")
        return String((0...below(9)).map { _ in letters[below(letters.count)] })
    }

    private mutating func name(_ number: Int) -> String { "n\(number)" + (chance() ? ".x-y_z" : "") }

    private var madePaths = 0
    private mutating func path() -> String {
        madePaths += 1
        return (chance() ? "folder \(below(3))/" : "") + "p\(madePaths)" + word()
    }

    private mutating func line() -> [UInt8] {
        let characters = Array("ab:\\\"\té *~=<")
        return Array((String((0..<below(20)).map { _ in characters[below(12)] }) + "x").utf8)
    }

    private mutating func time() -> Int64 { Int64(below(300_000_000_000)) - 60_000_000_000 }

    private mutating func duration() -> Duration {
        .nanoseconds(below(5) == 0 ? below(3600) * 1_000_000_000 : below(3_600_000_000_000))
    }

    private var blobs: [Fixture.Blob] = []

    private mutating func data(depth: Int = 0) -> FixtureContent {
        switch below(depth > 1 ? 2 : 8) {
        case 0, 1: return .octets(octets())
        case 2:
            return slice(
                .generated(count: UInt64(below(1 << 20)), seed: UInt64(below(9))), 1)
        case 3: return .repeated(data(depth: depth + 1), times: UInt64(below(20)))
        case 4: return .coded(data(depth: depth + 1), [.gzip, .zlib, .deflate][below(3)])
        case 5, 6:
            guard !blobs.isEmpty else { return .octets([]) }
            let blob = blobs[below(blobs.count)]
            return slice(.blob(blob.name, blob.content), 0)
        default: return .octets([])
        }
    }

    private mutating func slice(_ content: FixtureContent, _ least: UInt64) -> FixtureContent {
        guard chance(), let count = content.count, count >= least else { return content }
        let lower = UInt64(below(Int(count) + 1))
        return .slice(content, lower..<lower + UInt64(below(Int(count - lower) + 1)))
    }

    /// Data of several lines: no empty part, no two of octets in a row.
    private mutating func joined() -> FixtureContent {
        var parts: [FixtureContent] = []
        for _ in 0...below(4) {
            let part = data()
            if case .octets(let octets) = part {
                if octets.isEmpty { continue }
                if case .octets? = parts.last { continue }
            }
            parts.append(part)
        }
        return parts.count > 1 ? .joined(parts) : parts.first ?? .octets([])
    }

    private mutating func located<Value>(_ value: Value) -> Fixture.Located<Value> {
        .init(value, line: below(99))
    }

    private mutating func pattern() -> FixturePattern {
        FixturePattern("a" + ["*", "\\*", "\\x20b", "é", "\\\\", "  "][below(6)] + "c")
    }

    private mutating func expectation() -> Fixture.Expectation {
        chance() ? .equals(joined()) : .matches(pattern())
    }

    mutating func fixture() -> Fixture {
        for number in 0..<below(4) {
            let content = joined()
            blobs.append(Fixture.Blob(name: name(number), content: content))
        }
        var servers = [Fixture.Server()]
        if chance() {
            servers = (0...below(3)).map { number in
                var server = Fixture.Server(
                    host: "h\(number).test", port: chance() ? UInt16(1 + below(65535)) : nil)
                server.line = number
                if chance() { server.tls = tls() }
                server.usesIPv6 = chance()
                server.takesAnyOrder = chance()
                if chance() { server.earlierAddress = chance() ? .refused : .silent }
                return server
            }
        }
        let runs = (0...below(3)).map { _ in run(servers) }
        return Fixture(
            reason: ["why", word().filter { $0 != "\n" && $0 != "\t" } + "."], blobs: blobs, servers: servers,
            runs: runs)
    }

    private mutating func tls() -> Fixture.TLS {
        var tls = Fixture.TLS(Fixture.TLS.Certificate.allCases[below(8)])
        if chance() { tls.version = TLSService.Version.allCases[below(4)] }
        if chance() { tls.client = chance() ? .optional : .required }
        return tls
    }

    private mutating func run(_ servers: [Fixture.Server]) -> Fixture.Run {
        let preparations: [Fixture.Preparation] = several(6) { random in
            switch random.below(6) {
            case 0: .file(random.path(), random.joined())
            case 1: .folder(random.path())
            case 2: .link(random.path(), target: random.word())
            case 3: .environment("NAME", .octets(Array("value".utf8)))
            case 4: .clock(random.time())
            default: .clockAdvance(Int64(random.below(100_000)))
            }
        }
        let isCommand = chance()
        var action = Fixture.Action.command(["rawget"] + several(5) { $0.chance() ? $0.word() : "" })
        if !isCommand {
            var load = Fixture.Load(method: "M" + word(), uri: word())
            load.fields = several(3) { "Name: " + String(decoding: $0.line(), as: UTF8.self) }
            load.content = chance() ? joined() : nil
            load.cachePolicy = chance() ? "reloadIgnoringLocalCacheData" : nil
            action = .load(load)
        }
        return Fixture.Run(
            action, line: below(99), preparations: preparations.map { .init($0) },
            connections: several(3) { random in
                let server = random.below(servers.count)
                let steps = random.steps(hasTLS: servers[server].tls != nil)
                return Fixture.Connection(to: server, line: 3, steps.map { random.located($0) })
            }, outcomes: outcomes(servers, isCommand: isCommand).map { .init($0) })
    }

    private mutating func steps(hasTLS: Bool) -> [Fixture.Step] {
        var steps: [Fixture.Step] = []
        for _ in 0..<below(5) {
            let head = Array("GET /".utf8) + line()
            if chance() {
                let conditions: [Fixture.Condition] =
                    [.line(Array("GET / HTTP/1.1".utf8))]
                    + several(3) { random in
                        switch random.below(3) {
                        case 0: .line(Array("A: ".utf8) + random.line())
                        case 1: .pattern(FixturePattern("B: " + random.pattern().source))
                        default: .absent("C")
                        }
                    }
                steps.append(.request(.matching(conditions.map { located($0) })))
            } else {
                steps.append(.request(.exactly([located(head + [13, 10]), located([0x0D, 0x0A])])))
            }
            if chance() { steps.append(.requestContent(joined())) }
            if chance() { steps.append(.requestBody(joined())) }
            steps.append(.sendLine(line()))
            switch below(8) {
            case 0: steps.append(.sendText(octets() + [0]))
            case 1: steps.append(.pause(duration()))
            case 5: steps.append(.quiet(duration()))
            case 2: steps.append(.pieces(chance() ? nil : 1 + below(5000)))
            case 3: steps.append(.tls(tls()))
            case 4 where hasTLS: steps.append(.unprotected(joined()))
            default: break
            }
            if chance() { steps.append(.send(joined())) }
            steps.append(.sendLine([]))
        }
        switch below(6) {
        case 0: steps.append(.close)
        case 1: steps.append(.reset)
        case 2: steps += [.halfClose, .awaitClose]
        case 3: steps += [.unread, .stall]
        case 4 where hasTLS: steps.append(.cut)
        default: break
        }
        return steps
    }

    private mutating func outcomes(_ servers: [Fixture.Server], isCommand: Bool) -> [Fixture.Outcome] {
        var outcomes: [Fixture.Outcome] = [
            .file(path(), expectation()), .fileTime(path(), time()), .fileMode(path(), UInt32(below(4096))),
            .link(path(), target: word()), .folder(path()), .noFile(path()),
            .connections(below(9), server: nil),
            .requests(below(9), server: below(servers.count)), .timeUnder(duration() + .seconds(0)),
        ]
        if isCommand {
            outcomes += [.exit(Int32(below(256))), .output(expectation()), .error(expectation())]
        } else {
            outcomes += [
                .status(100 + below(900)), .field("A: " + String(decoding: line(), as: UTF8.self)),
                .noField("B"),
                .trailer("C: x"), .content(expectation()), .url(word()), .redirects(below(9)),
                .failure(code: "code", phase: chance() ? "phase" : nil),
                .source(Fixture.Source.allCases[below(3)]), .cacheStatus("rawget; hit; ttl=\(below(100))"),
                .resumed(at: UInt64(below(1 << 40))), .retries(below(9)),
            ]
        }
        return outcomes
    }
}
