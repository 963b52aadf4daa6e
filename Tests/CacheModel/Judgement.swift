import HTTPCache
import HTTPMessage

/// One answer, held against one head of one stored response that it may have been made of.
struct Judgement {
    let model: NaiveModel
    let memory: Memory
    let head: Head
    let answer: Answer
    let question: NaiveModel.Question

    var request: HTTPRequest { question.request }
    var isValidated: Bool { question.ground.isValidated }

    /// The first rule that is broken.
    var complaint: String? {
        methodComplaint ?? selectionComplaint ?? groundComplaint ?? directiveComplaint ?? ageComplaint
            ?? freshnessComplaint ?? contentComplaint ?? conditionComplaint ?? fieldComplaint
            ?? recencyComplaint
    }

    private var methodComplaint: String? {
        memory.mayAnswer(request.method)
            ? nil : "the answer to a \(memory.method) answers a \(request.method) (RFC 9111, section 4)"
    }

    private var selectionComplaint: String? {
        // A variant whose tag was offered may turn out to be the right one (section 4.3.1).
        if isValidated || head.fits(question.lines) { return nil }
        return head.nominated.contains("*")
            ? "what varies by * is used again (RFC 9111, section 4.1)"
            : "another variant: Vary: \(head.nominated.joined(separator: ", ")) (RFC 9111, section 4.1)"
    }

    /// Whether the ground is one for this response.
    private var groundComplaint: String? {
        switch question.ground {
        case .validated(let identifier):
            let speaksOf =
                head.identifier == identifier
                || model.passing.contains { $0.memory === memory && $0.head.identifier == identifier }
            return speaksOf ? nil : "a 304 that does not speak of it (RFC 9111, section 4.3.4)"
        case .error(let status, _):
            return status >= 500 ? nil : "a \(status) is replaced by what is stored (RFC 9111, section 4.3.3)"
        default: return nil
        }
    }

    // MARK: - What forbids use at any age

    private var directiveComplaint: String? {
        guard !isValidated else { return nil }
        let directives = head.directives
        if directives.forbidsStoring(status: head.status) { return "no-store (RFC 9111, section 5.2.2.5)" }
        if head.isInvalid { return "invalidated, and not validated since (RFC 9111, section 4.4)" }
        guard !ignoresAge else { return nil }
        if directives.isNoCacheWhole { return "no-cache, and not validated (RFC 9111, section 5.2.2.4)" }
        if question.wantsValidation {
            return "the request says no-cache (RFC 9111, section 5.2.1.4)"
        }
        return nil
    }

    /// The policies that take what is stored whatever its age (D17).
    private var ignoresAge: Bool {
        question.policy == .returnCacheDataElseLoad || question.policy == .returnCacheDataDontLoad
    }

    // MARK: - Age and freshness

    /// Ages that agree with the one told.
    private var ages: [(age: Int128, date: Int64)] {
        let ages = head.ages(at: question.now)
        guard let told = answer.age else { return ages }
        return ages.filter { Judgement.agrees(told, $0.age) }
    }

    /// What is past 2^31 may be told as that, or as whatever a cache can count to (section 1.2.2).
    private static func agrees(_ told: Int128, _ age: Int128) -> Bool {
        told == age || age >= 1 << 31 && told >= 1 << 31
    }

    private var ageComplaint: String? {
        let values = answer.values("age")
        if values.isEmpty, isValidated || answer.status == 416 && answer.identifier == nil { return nil }
        guard answer.age != nil else {
            return "no Age, or no number in it (RFC 9111, section 4)"
        }
        guard !ages.isEmpty else {
            let right = Set(head.ages(at: question.now).map(\.age)).sorted().map(String.init)
            return "Age is \(values[0]), not \(right.joined(separator: " or ")) (RFC 9111, section 4.2.3)"
        }
        return nil
    }

    private var freshnessComplaint: String? {
        guard !isValidated, !ignoresAge else { return nil }
        var complaint: String?
        for (age, date) in ages {
            complaint = freshnessComplaint(age: age, date: date)
            if complaint == nil { return nil }
        }
        return complaint
    }

    private func freshnessComplaint(age: Int128, date: Int64) -> String? {
        let directives = question.directives
        let isFresh = head.isFresh(age: age, date: date)
        let isLookup = question.ground == .lookup || question.ground == .lookupThenValidation
        if isLookup, question.policy == .reloadRevalidatingCacheData {
            return isFresh && head.directives.has("immutable")
                ? nil : "a reload is answered without validation (D17; RFC 8246, section 2)"
        }
        guard isFresh else { return stalenessComplaint(age: age, date: date) }
        guard isLookup else { return nil }
        let maxStale = directives.maxStale ?? 0
        if let limit = directives.greatestSeconds("max-age"), !head.directives.has("immutable"),
            age > limit + maxStale
        {
            return "older than the request's max-age (RFC 9111, section 5.2.1.1)"
        }
        if let wanted = directives.greatestSeconds("min-fresh"), maxStale == 0,
            head.lifetimeTenths(from: date) < (age + wanted) * 10
        {
            return "not fresh for as long as the request's min-fresh (RFC 9111, section 5.2.1.3)"
        }
        return nil
    }

    private func stalenessComplaint(age: Int128, date: Int64) -> String? {
        let stored = head.directives
        let asked = question.directives
        if stored.has("must-revalidate") { return "stale, and must-revalidate (RFC 9111, section 5.2.2.2)" }
        func isWithin(_ seconds: Int128?) -> Bool {
            guard let seconds else { return false }
            return head.isStale(age: age, date: date, forAtMost: seconds)
        }
        switch question.ground {
        case .lookup, .lookupThenValidation:
            if isWithin(asked.maxStale) { return nil }
            let hasWish = asked.has("max-age") || asked.has("min-fresh")
            // Who wants nothing but what is stored wants no validation of it.
            if question.ground == .lookupThenValidation || asked.has("only-if-cached"), !hasWish,
                isWithin(stored.seconds("stale-while-revalidate"))
            {
                return nil
            }
            return "stale, and nothing permits it (RFC 9111, section 4.2.4)"
        case .error(let status, let wasValidation):
            if wasValidation { return nil }
            guard [500, 502, 503, 504].contains(status) else {
                return "stale because of a \(status) (RFC 5861, section 4)"
            }
            if isWithin(stored.seconds("stale-if-error")) || isWithin(asked.greatestSeconds("stale-if-error"))
            {
                return nil
            }
            return "stale because of an error, and stale-if-error does not permit it (RFC 5861, section 4)"
        case .failure:
            // Who says how long an error may be hidden means this one, too (RFC 5861, section 4).
            let limits = [stored, asked].compactMap { $0.limit("stale-if-error") }
            return limits.isEmpty || limits.contains(where: isWithin)
                ? nil : "stale for longer than stale-if-error permits (RFC 5861, section 4)"
        case .validated, .completed: return nil
        }
    }

    // MARK: - The most recent one (section 4)

    private var recencyComplaint: String? {
        guard !isValidated else { return nil }
        let others = model.memories.filter { $0.key == memory.key && $0 !== memory }
        for identifier in question.stored.sorted() where identifier != head.identifier {
            // A 304 may have updated several: each of those that may be meant must be better.
            let known = others.flatMap { other in
                other.heads.filter { $0.identifier == identifier }.map { (other, $0) }
            }
            if !known.isEmpty, known.allSatisfy({ isBetter($0.1, of: $0.0) }) {
                return "response \(identifier), which is stored, is more recent (RFC 9111, section 4)"
            }
        }
        return nil
    }

    private func isBetter(_ other: Head, of memory: Memory) -> Bool {
        // One that says by what it was chosen may be preferred to one that does not (section 4.1).
        let isPreferred = !head.nominated.isEmpty && other.nominated.isEmpty
        return memory.mayAnswer(request.method) && other.order > head.order
            && other.oldestDate > head.newestDate && !isPreferred && other.certainlyFits(question.lines)
            && hasContent(memory, other)
    }

    /// Whether the other has what is asked for, too.
    private func hasContent(_ memory: Memory, _ head: Head) -> Bool {
        memory.isComplete
            || answer.status == 206
                && answer.octets.indices.allSatisfy { memory.octet(at: answer.offset + UInt64($0)) != nil }
    }
}
