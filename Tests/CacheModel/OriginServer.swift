import HTTPMessage

/// An origin with a few resources that change, and that says all kinds of things about them.
final class OriginServer {
    /// How a resource tells its versions apart.
    enum Validators: CaseIterable {
        case strong, weak, none, date, strongAndDate, weakAndDate
    }

    struct Resource {
        var uri: URI
        var version = 0
        var changed: Int64
        var validators: Validators
        var vary: [String]
        var servesRanges: Bool
        /// Status of each version; 200 for most.
        var oddStatus: Int
    }

    /// What comes back.
    enum Reply {
        case unreachable
        case response(HTTPResponse, content: [UInt8], isWhole: Bool, declaredLength: UInt64?)
    }

    private(set) var resources: [Resource] = []
    private let theme: Theme
    private let maker: ValueMaker
    private var lastIdentifier = 0
    /// Its clock runs evenly, whatever the client's does.
    static let epoch: Int64 = 1_700_000_000

    init(_ theme: Theme, using random: inout SplitMix64) {
        self.theme = theme
        maker = ValueMaker(theme: theme)
        for text in ["http://a.test/x", "http://a.test/y?q=1", "http://b.test/x"] {
            guard let uri = try? URI(parsing: text) else { continue }
            resources.append(
                Resource(
                    uri: uri, changed: OriginServer.epoch - theme.unit * 100,
                    validators: random.pick(from: Validators.allCases),
                    vary: random.weighted([
                        8: [], 3: ["X-Custom"], 3: ["Accept-Language"], 2: ["x-custom, accept-language"],
                        1: ["X-Custom", "Accept-Language"], 1: ["*"], 1: ["x-custom, *"],
                    ]),
                    servesRanges: random.percent(85),
                    oddStatus: random.pick(404, 410, 301, 302, 203, 500, 403, 501, 599, 299, 204)))
        }
    }

    func index(of uri: URI) -> Int? {
        resources.firstIndex { $0.uri == uri.withoutUserinfoAndFragment }
    }

    func change(_ index: Int, at uptime: Int64, _ random: inout SplitMix64) {
        resources[index].version += 1
        resources[index].changed = OriginServer.epoch + uptime
        if random.percent(8) { resources[index].validators = random.pick(from: Validators.allCases) }
        if random.percent(15) {
            resources[index].vary = random.pick([], ["X-Custom"], ["Accept-Language"], ["X-Note"])
        }
    }

    // MARK: - Representations

    /// The request fields that choose a variant, as far as the resource looks at them.
    private func variant(_ resource: Resource, _ request: HTTPRequest) -> String {
        let names = resource.vary.flatMap(FieldText.members).map { $0.lowercased() }
        let lines = FieldText.lines(request.fields)
        return names.map { FieldText.selection($0, in: lines) ?? "-" }.joined(separator: "/")
    }

    /// The octets of a version: letters that tell it from all others.
    func octets(_ index: Int, version: Int, variant: String) -> [UInt8] {
        var seed = UInt64(index) &* 1000 &+ UInt64(version)
        for octet in variant.utf8 { seed = seed &* 257 &+ UInt64(octet) }
        var random = SplitMix64(seed: seed)
        let count = random.pick(0, 1, 12, 20, 30, 30)
        return (0..<count).map { _ in UInt8.random(in: 0x61...0x7A, using: &random) }
    }

    private func hash(_ text: String) -> Int { text.utf8.reduce(7) { ($0 * 31 + Int($1)) % 997 } }

    func tag(_ index: Int, version: Int, variant: String) -> String? {
        let text = "\"r\(index)v\(version)-\(hash(variant))\""
        switch resources[index].validators {
        case .strong, .strongAndDate: return text
        case .weak, .weakAndDate: return "W/" + text
        case .none, .date: return nil
        }
    }

    private func modified(_ resource: Resource) -> String? {
        switch resource.validators {
        case .date, .strongAndDate, .weakAndDate: FieldText.dateText(resource.changed)
        case .none, .strong, .weak: nil
        }
    }

    // MARK: - Answers

    func reply(to request: HTTPRequest, uptime: Int64, _ random: inout SplitMix64) -> Reply {
        guard let index = index(of: request.uri) else { return .unreachable }
        if random.percent(theme.trouble / 2) { return .unreachable }
        if random.percent(theme.trouble / 2) {
            return plain(random.pick(500, 502, 503, 504, 501, 599, 404), request, index, uptime, &random)
        }
        switch request.method {
        case .get, .head: return representation(request, index, uptime, &random)
        default: return effect(request, index, uptime, &random)
        }
    }

    /// The head that all answers begin with.
    private func head(
        _ status: Int, _ index: Int, _ variant: String, _ uptime: Int64, _ random: inout SplitMix64
    ) -> HTTPResponse {
        let resource = resources[index]
        let now = OriginServer.epoch + uptime
        var fields = HTTPFields()
        lastIdentifier += 1
        fields.append("X-Id", String(lastIdentifier))
        for value in maker.date(at: now, &random) { fields.append("Date", value) }
        for value in maker.responseControl(&random) { fields.append("Cache-Control", value) }
        for value in maker.expires(from: now, &random) { fields.append("Expires", value) }
        for value in maker.age(&random) { fields.append("Age", value) }
        for value in resource.vary { fields.append("Vary", value) }
        if random.percent(30) { fields.append("X-Note", random.pick("one", "two", "three")) }
        if random.percent(10) { fields.append("Set-Cookie", "a=\(random.pick(1, 2))") }
        if random.percent(15) {
            fields.append("Connection", random.pick("X-Hop", "x-hop, close", "Keep-Alive, X-Hop"))
            fields.append("X-Hop", "1")
            fields.append("Keep-Alive", "timeout=5")
        }
        if random.percent(3) { fields.append("Proxy-Authenticate", "Basic") }
        if status == 200 || status == 206 || random.percent(70) {
            if let tag = tag(index, version: resource.version, variant: variant) {
                fields.append("ETag", tag)
            }
            if let modified = modified(resource) { fields.append("Last-Modified", modified) }
        }
        return HTTPResponse(status: HTTPStatus(status) ?? .ok, reason: "", fields: fields)
    }

    private func framed(
        _ response: HTTPResponse, _ content: [UInt8], _ request: HTTPRequest, _ random: inout SplitMix64
    ) -> Reply {
        var response = response
        let isDeclared = random.percent(80)
        let length = UInt64(content.count)
        if response.status == .noContent {
            return .response(response, content: [], isWhole: true, declaredLength: 0)
        }
        if isDeclared {
            response.fields.append("Content-Length", String(length))
        } else if request.method != .head {
            response.fields.append("Transfer-Encoding", "chunked")
        }
        guard request.method != .head else {
            return .response(response, content: [], isWhole: true, declaredLength: 0)
        }
        let declared = isDeclared ? length : nil
        guard !content.isEmpty, random.percent(theme.cuts) else {
            return .response(response, content: content, isWhole: true, declaredLength: declared)
        }
        let cut = Array(content.prefix(Int.random(in: 0..<content.count, using: &random)))
        return .response(response, content: cut, isWhole: false, declaredLength: declared)
    }

    private func plain(
        _ status: Int, _ request: HTTPRequest, _ index: Int, _ uptime: Int64, _ random: inout SplitMix64
    ) -> Reply {
        let head = head(status, index, variant(resources[index], request), uptime, &random)
        return framed(head, Array("status \(status)".utf8), request, &random)
    }

    private func representation(
        _ request: HTTPRequest, _ index: Int, _ uptime: Int64, _ random: inout SplitMix64
    ) -> Reply {
        let resource = resources[index]
        let variant = variant(resource, request)
        if resource.version % 4 == 3 { return plain(resource.oddStatus, request, index, uptime, &random) }
        let octets = octets(index, version: resource.version, variant: variant)
        let lies = random.percent(theme.trouble / 4)
        if isNotModified(request, index, variant) != lies,
            request.fields.contains(.ifNoneMatch) || request.fields.contains(.ifModifiedSince)
        {
            var head = head(304, index, variant, uptime, &random)
            if lies, random.percent(50) {
                head.fields["ETag"] = random.pick(
                    "\"other\"", "\"r\(index)v\(max(0, resource.version - 1))-\(hash(variant))\"")
            }
            if random.percent(15) { head.fields.append("Content-Type", "text/x") }
            if random.percent(5) { head.fields.append("Content-Length", "7") }
            return .response(head, content: [], isWhole: true, declaredLength: 0)
        }
        var head = head(200, index, variant, uptime, &random)
        head.fields.append("Content-Type", "text/plain")
        guard request.method == .get, resource.servesRanges, !random.percent(5),
            rangeApplies(request, index, variant),
            let asked = request.fields[.range].flatMap({ ByteRangeSet(parsing: $0) }), asked.ranges.count == 1
        else { return framed(head, octets, request, &random) }
        let share = theme.trouble / 3 + (request.fields.contains(.ifRange) ? theme.oddity / 2 : 0)
        let isWrong = lies || random.percent(share)
        return part(asked.ranges[0], of: octets, head, request, lies: isWrong, &random)
    }

    private func part(
        _ asked: ByteRange, of octets: [UInt8], _ head: HTTPResponse, _ request: HTTPRequest, lies: Bool,
        _ random: inout SplitMix64
    ) -> Reply {
        var head = head
        guard var range = asked.offsets(inLength: UInt64(octets.count)), !range.isEmpty else {
            head.status = .rangeNotSatisfiable
            head.fields.append("Content-Range", "bytes */\(octets.count)")
            return framed(head, [], request, &random)
        }
        head.status = .partialContent
        if lies {
            switch Int.random(in: 0..<6, using: &random) {
            case 0: range = 0..<1
            case 1: range = range.lowerBound..<range.lowerBound + 1
            case 2: head.fields["ETag"] = "\"other\""
            case 3: range = range.lowerBound - min(range.lowerBound, 1)..<range.upperBound
            case 4 where range.count > 1: range = range.lowerBound + 1..<range.upperBound
            default:
                head.fields.append("Content-Range", random.pick("bytes 5-2/9", "items 0-1/2", "bytes 0-9"))
                return framed(
                    head, Array(octets[Int(range.lowerBound)..<Int(range.upperBound)]), request, &random)
            }
        }
        let length = random.percent(15) ? "*" : String(octets.count)
        head.fields.append("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(length)")
        return framed(head, Array(octets[Int(range.lowerBound)..<Int(range.upperBound)]), request, &random)
    }

    private func isNotModified(_ request: HTTPRequest, _ index: Int, _ variant: String) -> Bool {
        let resource = resources[index]
        if let value = request.fields[.ifNoneMatch] {
            guard let list = EntityTagList(parsing: value) else { return false }
            guard let text = tag(index, version: resource.version, variant: variant),
                let tag = EntityTag(parsing: text)
            else { return list == .any }
            return list.weakly(matches: tag)
        }
        let now = CacheMoment(wall: resource.changed, uptime: 0)
        guard let since = FieldText.date(request.fields[.ifModifiedSince], now: now),
            modified(resource) != nil
        else { return false }
        return resource.changed <= since
    }

    private func rangeApplies(_ request: HTTPRequest, _ index: Int, _ variant: String) -> Bool {
        guard let value = request.fields[.ifRange] else { return true }
        let resource = resources[index]
        if let tag = EntityTag(parsing: value) {
            let own = self.tag(index, version: resource.version, variant: variant).flatMap {
                EntityTag(parsing: $0)
            }
            return own.map { $0.strongly(matches: tag) } ?? false
        }
        return modified(resource) == value
    }

    /// An unsafe request, or one that nobody knows.
    private func effect(
        _ request: HTTPRequest, _ index: Int, _ uptime: Int64, _ random: inout SplitMix64
    ) -> Reply {
        let status = random.weighted([6: 200, 2: 204, 2: 303, 1: 201, 1: 404, 1: 500, 1: 299])
        if status < 400, random.percent(80), !request.method.isSafe { change(index, at: uptime, &random) }
        let places = [
            "http://a.test/x", "/y?q=1", "http://b.test/x", "x", "https://a.test/x", "http://a.test:8080/x",
            request.uri.description,
        ]
        var head = head(status, index, variant(resources[index], request), uptime, &random)
        if status == 303 || random.percent(30) { head.fields.append("Location", random.pick(from: places)) }
        if random.percent(50) {
            head.fields.append(
                "Content-Location", random.percent(60) ? request.uri.description : random.pick(from: places))
        }
        let octets = octets(
            index, version: resources[index].version, variant: variant(resources[index], request))
        return framed(head, status == 204 ? [] : octets, request, &random)
    }
}
