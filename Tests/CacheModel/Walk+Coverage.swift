import HTTPCache
import HTTPMessage

extension HTTPFields {
    /// All lines in one.
    var oneLine: String { "{" + map { "\($0.name): \($0.value)" }.joined(separator: "; ") + "}" }
}

extension Walk {
    /// Counts what an answer that was given without the origin shows.
    func note(_ answer: CacheAnswer, _ question: NaiveModel.Question) {
        let identifier = answer.response.fields["X-Id"].flatMap { Int($0) }
        if identifier == nil, answer.response.status == .gatewayTimeout {
            coverage[.onlyIfCached504] += 1
            return
        }
        coverage[.hits] += 1
        switch answer.response.status.code {
        case 206: coverage[.partHits] += 1
        case 304: coverage[.notModifiedHits] += 1
        case 416: coverage[.unsatisfiedHits] += 1
        case 400...599: coverage[.hitsOfErrors] += 1
        default: break
        }
        if question.request.method == .head { coverage[.headHits] += 1 }
        if question.policy != .useProtocolCachePolicy { coverage[.hitsByPolicy] += 1 }
        if question.policy == .reloadRevalidatingCacheData { coverage[.immutableReloads] += 1 }
        if foreignInvalidations.contains(question.key) { coverage[.hitsAfterForeignInvalidation] += 1 }
        guard let identifier else { return }
        noteHead(identifier, answer, question)
    }

    private func noteHead(_ identifier: Int, _ answer: CacheAnswer, _ question: NaiveModel.Question) {
        for memory in model.memories where memory.key == question.key {
            guard let head = memory.heads.first(where: { $0.identifier == identifier }) else { continue }
            let age = answer.response.fields[.age].flatMap { FieldText.seconds($0) } ?? 0
            let isFresh = head.isFresh(age: age, date: head.oldestDate)
            coverage[isFresh ? .freshHits : .staleHits] += 1
            let directives = head.directives
            if isFresh, !directives.has("max-age") {
                coverage[head.value("expires") == nil ? .hitsByHeuristics : .hitsByExpires] += 1
            }
            if age >= 1 << 31 { coverage[.hugeAges] += 1 }
            if memory.method == .post { coverage[.hitsOfPosts] += 1 }
            if !head.nominated.isEmpty { coverage[.hitsOfVariants] += 1 }
            if !directives.noCacheFields.isEmpty { coverage[.hitsWithNames] += 1 }
            if !memory.isComplete { coverage[.partsOfParts] += 1 }
            if answer.range.contains(where: { memory.octet(at: $0) == nil }) { coverage[.combinedHits] += 1 }
            let last = model.messages.first { $0.identifier == identifier }
            if last?.original.method == .head { coverage[.hitsThroughHeads] += 1 }
            if last?.status == 304 { coverage[.hitsAfterUpdates] += 1 }
            return
        }
    }

    /// Remembers what an unsafe request's answer named of other origins, which must not go for that.
    func noteForeign(_ response: HTTPResponse, _ request: HTTPRequest) {
        guard !request.method.isSafe, response.status.code < 400 else { return }
        foreignInvalidations.remove(request.uri.withoutUserinfoAndFragment)
        for name in [FieldName.location, "Content-Location"] {
            guard let value = response.fields[name],
                let uri = try? URI(parsing: value, relativeTo: request.uri)
            else { continue }
            if uri.origin != request.uri.origin {
                foreignInvalidations.insert(uri)
            } else {
                foreignInvalidations.remove(uri)
            }
        }
    }

    /// Whether a plain request goes to the origin although something fresh fits it.
    func isNeedless(_ question: NaiveModel.Question) -> Bool {
        let names = ["range", "cache-control", "pragma", "if-none-match", "if-modified-since", "if-match"]
        guard question.policy == .useProtocolCachePolicy, question.request.method == .get,
            !question.lines.contains(where: { names.contains($0.name) })
        else { return false }
        return model.memories.contains { memory in
            memory.key == question.key && memory.mayAnswer(.get) && memory.isComplete
                && memory.heads.contains { head in
                    let directives = head.directives
                    return question.stored.contains(head.identifier) && head.certainlyFits(question.lines)
                        && !head.isInvalid
                        && !directives.isNoCacheWhole && !directives.forbidsStoring(status: head.status)
                        && head.ages(at: question.now).allSatisfy { head.isFresh(age: $0.age, date: $0.date) }
                }
        }
    }
}
