import HTTPCache
package import HTTPMessage

extension NaiveModel {
    /// Fields that a cache may add to a request, or change in it.
    private static let conditional: Set = ["if-none-match", "if-modified-since", "range", "if-range"]

    /// Whether a request may go out like that. `question` is of the caller's request; its ground does not matter.
    package func complaint(about sent: HTTPRequest, for question: Question) -> String? {
        let caller = question.request
        // What the cache asks by itself is a whole GET (section 4.3.1).
        let isOwn = question.ground == .lookupThenValidation
        guard sent.method == caller.method || isOwn && sent.method == .get,
            sent.uri.withoutUserinfoAndFragment == question.key, sent.content == caller.content
        else { return "another request than the caller's goes out (RFC 9111, section 4.3.1)" }
        switch question.policy {
        case .returnCacheDataDontLoad: return "the network is used (D17)"
        case .returnCacheDataElseLoad:
            if let fit = storedFit(for: question) { return "response \(fit) is stored, and would do (D17)" }
        case .useProtocolCachePolicy, .reloadRevalidatingCacheData:
            if question.directives.has("only-if-cached"), question.ground == .lookup, caller.method.isSafe {
                return "the origin is asked, despite only-if-cached (RFC 9111, section 5.2.1.7)"
            }
        default: break
        }
        return otherFieldsComplaint(sent, question) ?? controlComplaint(sent, question)
            ?? conditionComplaint(sent, question) ?? rangeComplaint(sent, question)
    }

    /// The transfer fails as not stored.
    package func complaintAboutMissing(_ question: Question) -> String? {
        guard question.policy == .returnCacheDataDontLoad else { return "the origin may be asked (D17)" }
        return storedFit(for: question).map { "response \($0) is stored, and would do (D17)" }
    }

    /// A response that lies in the store and answers a plain request whatever its age, where it is the only one.
    private func storedFit(for question: Question) -> Int? {
        let names = ["range", "if-range", "cache-control", "pragma", "if-match", "if-unmodified-since"]
        guard !question.lines.contains(where: { names.contains($0.name) }) else { return nil }
        let fits = memories.filter { $0.key == question.key }.flatMap { memory in
            memory.heads.filter { question.stored.contains($0.identifier) && $0.fits(question.lines) }
                .map { (memory, $0) }
        }
        guard fits.count == 1, let (memory, head) = fits.first, memory.mayAnswer(question.request.method),
            memory.isComplete, !head.isInvalid, head.certainlyFits(question.lines),
            !head.directives.forbidsStoring(status: head.status)
        else { return nil }
        return head.identifier
    }

    /// What is no condition of a cache's reaches the origin as the caller wrote it.
    private func otherFieldsComplaint(_ sent: HTTPRequest, _ question: Question) -> String? {
        func others(_ lines: [FieldText.Line]) -> [FieldText.Line] {
            lines.filter { !NaiveModel.conditional.contains($0.name) && $0.name != "cache-control" }
        }
        return others(FieldText.lines(sent.fields)) == others(question.lines)
            ? nil : "fields of the caller's are changed (RFC 9111, section 4.3.1)"
    }

    private func controlComplaint(_ sent: HTTPRequest, _ question: Question) -> String? {
        let values = sent.fields.values(of: .cacheControl)
        let own = question.request.fields.values(of: .cacheControl)
        guard own.isEmpty else {
            return values == own ? nil : "the caller's Cache-Control is changed (D17)"
        }
        let wanted: [String]
        switch question.policy {
        case .reloadRevalidatingCacheData: wanted = ["max-age=0"]
        case .reloadIgnoringLocalAndRemoteCacheData: wanted = ["no-cache"]
        default: wanted = []
        }
        return values == wanted
            ? nil : "Cache-Control: \(values.joined(separator: " | ")) under \(question.policy) (D17)"
    }

    private func conditionComplaint(_ sent: HTTPRequest, _ question: Question) -> String? {
        let caller = question.request
        let isChanged = [FieldName.ifNoneMatch, .ifModifiedSince].contains {
            sent.fields[$0] != caller.fields[$0]
        }
        guard isChanged else { return nil }
        guard [.get, .head].contains(caller.method) else {
            return "a condition in a \(caller.method) (RFC 9111, section 4.3.1)"
        }
        switch question.policy {
        case .reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData:
            return "a condition, though what is stored is to be ignored (D17)"
        default: break
        }
        let stored = memories.filter { $0.key == question.key }
        let heads = stored.flatMap { memory in memory.heads.map { (memory, $0) } }
        let callers = NaiveModel.tags(caller.fields[.ifNoneMatch])
        let tags = NaiveModel.tags(sent.fields[.ifNoneMatch])
        if let value = sent.fields[.ifNoneMatch], value != caller.fields[.ifNoneMatch] {
            guard case .tags? = EntityTagList(parsing: value) else {
                return "If-None-Match: \(value) (RFC 9110, section 13.1.2)"
            }
            // A request that the cache sends by itself need not be the caller's (section 4.3.1).
            for tag in callers where !tags.contains(tag) && question.ground == .lookup {
                return "the caller's \(tag) is not asked about (RFC 9111, section 4.3.2)"
            }
            for tag in tags where !callers.contains(tag) {
                let owners = heads.filter { $0.1.tags.contains(tag) }
                guard !owners.isEmpty else { return "\(tag) is of nothing stored (RFC 9111, section 4.3.1)" }
                // Beside the caller's tags none is offered of which a 304 would be of no use (section 4.3.2).
                // One that the caller has, too, but for its strength, does no harm.
                let isCallers = callers.isEmpty || callers.contains { $0.weakly(matches: tag) }
                guard isCallers || owners.contains(where: { mayBeOffered($0.0, question) }) else {
                    return "\(tag) is of partial content (RFC 9111, section 4.3.2)"
                }
            }
        }
        if let value = sent.fields[.ifModifiedSince], value != caller.fields[.ifModifiedSince] {
            let date = FieldText.date(value, now: question.now)
            let owners = heads.filter { $0.1.modified == date || $0.1.dates.contains { $0 == date } }
            guard date != nil, !owners.isEmpty else {
                return "If-Modified-Since: \(value) is of nothing stored (RFC 9111, section 4.3.1)"
            }
            if tags.isEmpty, owners.allSatisfy({ !$0.1.tags.isEmpty }) {
                return "a stored entity tag is not sent (RFC 9111, section 4.3.1)"
            }
        }
        return nil
    }

    /// Whether what is stored would do as the answer to the request, were it valid (section 4.3.2).
    private func mayBeOffered(_ memory: Memory, _ question: Question) -> Bool {
        if memory.isComplete || memory.method == .head { return true }
        // Parts may have been put together.
        let parts = memories.filter { other in
            other.key == memory.key
                && memory.heads.contains { other.isOfRepresentation($0, of: memory) }
        }
        func isHere(_ range: Range<UInt64>) -> Bool {
            range.upperBound - range.lowerBound < 1 << 16
                && range.allSatisfy { offset in (parts + [memory]).contains { $0.octet(at: offset) != nil } }
        }
        let length = (parts + [memory]).compactMap(\.length).max()
        if let length, isHere(0..<length) { return true }
        guard let asked = question.request.fields[.range].flatMap({ ByteRangeSet(parsing: $0) }),
            question.request.method == .get
        else { return false }
        return asked.ranges.contains { range in
            if let length, let offsets = range.offsets(inLength: length) { return isHere(offsets) }
            if case .bounded(let bounds) = range { return isHere(bounds.lowerBound..<bounds.upperBound + 1) }
            return false
        }
    }

    private func rangeComplaint(_ sent: HTTPRequest, _ question: Question) -> String? {
        let caller = question.request
        if question.ground == .lookupThenValidation, !sent.fields.contains(.range) { return nil }
        guard sent.fields[.range] != caller.fields[.range] || sent.fields[.ifRange] != caller.fields[.ifRange]
        else { return nil }
        guard sent.method == .get, let range = sent.fields[.range],
            let asked = ByteRangeSet(parsing: range), asked.ranges.count == 1
        else {
            return "a range of a \(caller.method): \(sent.fields[.range] ?? "none") (RFC 9110, section 14.2)"
        }
        let heads = memories.filter { $0.key == question.key }.flatMap(\.heads)
        if let value = sent.fields[.ifRange], value != caller.fields[.ifRange] {
            if let tag = EntityTag(parsing: value) {
                guard !tag.isWeak, heads.contains(where: { $0.tags.contains(tag) }) else {
                    return "If-Range: \(value) (RFC 9110, section 13.1.5)"
                }
            } else {
                let date = FieldText.date(value, now: question.now)
                guard date != nil, heads.contains(where: { $0.tags.isEmpty && $0.strongModified == date })
                else {
                    return "If-Range: \(value) is no strong validator (RFC 9110, section 13.1.5)"
                }
            }
        }
        return nil
    }

    /// Whether the origin's response may be handed to the caller as it came.
    package func complaintAboutDelivery(of identifier: Int) -> String? {
        guard let message = messages.last(where: { $0.identifier == identifier }) else { return nil }
        let caller = message.original
        let sent = message.sent.request
        switch message.status {
        case 304:
            let isCallers = caller.fields.contains(.ifNoneMatch) || caller.fields.contains(.ifModifiedSince)
            guard message.sent.isValidation else { return nil }
            guard isCallers else { return "a 304 for a caller who has nothing (RFC 9111, section 4.3.3)" }
            if let tag = message.tag, let value = caller.fields[.ifNoneMatch],
                let list = EntityTagList(parsing: value), list != .any
            {
                return list.weakly(matches: tag)
                    ? nil : "a 304 of a tag that the caller did not name (RFC 9111, section 4.3.2)"
            }
            return nil
        case 206, 416:
            return sent.fields[.range] == caller.fields[.range]
                ? nil
                : "a \(message.status) for a range that the caller did not ask for (RFC 9111, section 3.3)"
        default: return nil
        }
    }
}
