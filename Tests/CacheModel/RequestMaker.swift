import HTTPCache
import HTTPMessage

/// Makes the requests of a random caller.
struct RequestMaker {
    let theme: Theme
    let maker: ValueMaker

    init(_ theme: Theme) {
        self.theme = theme
        maker = ValueMaker(theme: theme)
    }

    func request(to origin: OriginServer, uptime: Int64, _ random: inout SplitMix64) -> (
        HTTPRequest, CachePolicy
    ) {
        let index = random.weighted([6: 0, 3: 1, 1: 2])
        let uri = origin.resources[index].uri
        var fields = HTTPFields()
        for value in maker.requestControl(&random) { fields.append("Cache-Control", value) }
        if random.percent(theme.requestDirectives / 8) {
            fields.append("Pragma", random.pick("no-cache", "No-Cache", "x"))
        }
        addSelection(to: &fields, &random)
        if random.percent(theme.credentials) { fields.append("Authorization", "Basic YTpi") }
        guard !random.percent(theme.unsafe) else {
            let method = random.pick("POST", "POST", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "FROB")
            return (
                HTTPRequest(
                    HTTPMethod(method) ?? .post, uri, fields: fields,
                    content: method == "OPTIONS" ? nil : [0x61]),
                .useProtocolCachePolicy
            )
        }
        let isHead = random.percent(theme.heads)
        if random.percent(theme.conditions) { addCondition(to: &fields, origin, index, uptime, &random) }
        if random.percent(theme.ranges) { addRange(to: &fields, origin, index, &random) }
        let policy =
            random.percent(theme.policies)
            ? random.pick(from: CachePolicy.allCases) : CachePolicy.useProtocolCachePolicy
        var target = uri
        if random.percent(5), let other = try? URI(parsing: uri.description + "#part") { target = other }
        return (HTTPRequest(isHead ? .head : .get, target, fields: fields), policy)
    }

    /// Fields by which a variant is chosen, some written in other ways that say the same.
    private func addSelection(to fields: inout HTTPFields, _ random: inout SplitMix64) {
        switch random.weighted([5: 0, 4: 1, 2: 2, 1: 3, 1: 4, 1: 5]) {
        case 1: fields.append("X-Custom", "a")
        case 2: fields.append("X-Custom", random.pick("A", "b"))
        case 3: fields.append("x-custom", random.pick("a, b", "a,b", "a  ,b", "b, a"))
        case 4:
            fields.append("X-Custom", "a")
            fields.append("X-Custom", "b")
        case 5: fields.append("X-Custom", "")
        default: break
        }
        switch random.weighted([6: 0, 3: 1, 1: 2, 1: 3]) {
        case 1: fields.append("Accept-Language", random.pick("en", "de"))
        case 2: fields.append("Accept-Language", random.pick("EN", "en, de", "de,en", "de;q=0.5, en"))
        case 3:
            fields.append("Accept-Language", "en")
            fields.append("Accept-Language", "de")
        default: break
        }
    }

    private func addCondition(
        to fields: inout HTTPFields, _ origin: OriginServer, _ index: Int, _ uptime: Int64,
        _ random: inout SplitMix64
    ) {
        let resource = origin.resources[index]
        let version = max(0, resource.version - random.pick(0, 0, 0, 1))
        let tag = origin.tag(index, version: version, variant: "") ?? "\"none\""
        if random.percent(60) {
            fields.append(
                "If-None-Match",
                random.weighted([
                    6: tag, 2: "\"zzz\", \(tag)",
                    2: tag.hasPrefix("W/") ? String(tag.dropFirst(2)) : "W/" + tag, 1: "*",
                    1: "\"zzz\"", 1: "zzz",
                ]))
        }
        if random.percent(50) {
            let shift = random.pick(0, 0, -1, 1, theme.unit)
            fields.append("If-Modified-Since", maker.form(resource.changed + shift, &random))
        }
        if random.percent(5) { fields.append("If-Match", tag) }
    }

    private func addRange(
        to fields: inout HTTPFields, _ origin: OriginServer, _ index: Int, _ random: inout SplitMix64
    ) {
        let first = random.pick(0, 0, 5, 10, 12, 29)
        fields.append(
            "Range",
            random.weighted([
                6: "bytes=\(first)-\(first + random.pick(0, 2, 5, 9, 40))", 3: "bytes=\(first)-",
                2: "bytes=-\(random.pick(3, 10, 50))",
                1: "bytes=0-3,8-9", 1: "bytes=50-60", 1: "items=0-3", 1: "bytes=5-2",
            ]))
        guard random.percent(25) else { return }
        let resource = origin.resources[index]
        let tag = origin.tag(index, version: resource.version, variant: "") ?? "\"none\""
        fields.append("If-Range", random.pick(tag, tag, FieldText.dateText(resource.changed), "\"old\""))
    }
}
