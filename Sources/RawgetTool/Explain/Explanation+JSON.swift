import HTTPCache
import HTTPMessage
import HTTPWire

extension Explanation {
    /// The same as one JSON object, on one line.
    var json: String {
        var members: [String] = []
        if exchange.isRequestKnown {
            let uri = exchange.request.uri.withoutUserinfoAndFragment.description
            members.append(
                "\"request\":{\"method\":\(quoted(exchange.request.method.name)),\"url\":\(quoted(uri))}")
        }
        let response = exchange.response
        members += [
            "\"status\":\(response.status)", "\"reason\":\(quoted(response.reason.asText))",
            "\"version\":\(quoted(response.version.description))", "\"interim\":[\(interim)]",
            "\"headers\":[\(fields)]", "\"content\":\(content)", "\"cache\":\(cacheObject)",
        ]
        return "{\(members.joined(separator: ","))}"
    }

    private var interim: String { exchange.interim.map(\.status.description).joined(separator: ",") }

    private var fields: String {
        let fields = exchange.response.fields
        return fields.indices.map { index in
            let field = fields[index]
            let clauses = clauses(at: index).map(quoted).joined(separator: ",")
            return
                "{\"name\":\(quoted(field.name.spelling)),\"value\":\(quoted(field.value.asText)),\"means\":[\(clauses)]}"
        }.joined(separator: ",")
    }

    private var content: String {
        switch exchange.framing {
        case .none: "{\"framing\":\"none\"}"
        case .length(let length): "{\"framing\":\"length\",\"length\":\(length)}"
        case .chunked: "{\"framing\":\"chunked\"}"
        case .untilClose: "{\"framing\":\"close\"}"
        }
    }

    private var cacheObject: String {
        var members = [
            "\"received\":\(quoted(cache.received.description))",
            "\"stored\":\(cache.storage.response != nil)",
            "\"refusal\":\(cache.storage.refusal.map(quoted) ?? "null")",
            "\"invalidates\":\(cache.invalidates)",
        ]
        if let stored = cache.storage.response {
            members += [
                "\"lifetime\":\(stored.lifetime)",
                "\"lifetimeFrom\":\(quoted(stored.freshnessBasis.rawValue))",
            ]
        }
        members.append("\"at\":[\(cache.moments.map(object).joined(separator: ","))]")
        return "{\(members.joined(separator: ","))}"
    }

    private func object(_ moment: CacheExplanation.Moment) -> String {
        var members = ["\"seconds\":\(moment.seconds)", "\"date\":\(quoted(moment.date.description))"]
        if let age = moment.age { members.append("\"age\":\(age)") }
        if let time = moment.freshTime { members.append("\"fresh\":\(time > 0)") }
        switch moment.outcome {
        case .answered(let status, let validated):
            members += [
                "\"decision\":\"\(validated == nil ? "answer" : "answerAndValidate")\"",
                "\"status\":\(status)",
            ]
            if let validated { members.append("\"adds\":[\(pairs(validated))]") }
        case .generated(let status):
            members += ["\"decision\":\"generate\"", "\"status\":\(status)"]
        case .forwarded(let fields):
            members += ["\"decision\":\"forward\"", "\"adds\":[\(pairs(fields))]"]
        }
        members.append("\"cacheStatus\":\(quoted(moment.status.description))")
        return "{\(members.joined(separator: ","))}"
    }

    private func pairs(_ fields: HTTPFields) -> String {
        fields.map { "[\(quoted($0.name.spelling)),\(quoted($0.value.asText))]" }.joined(separator: ",")
    }

    private func quoted(_ text: String) -> String { JSONPrinter.quoted(text) }
}
