package import HTTPMessage

/// A second view of RFC 9111, which forgets nothing and predicts nothing: it watches what goes by, and says of each
/// answer a cache gives whether the RFC forbids it.
///
/// It is written from the RFC's text alone, in the plainest way, with no thought of speed. A complaint is a sentence with
/// the section that it stands on; `nil` is none.
package final class NaiveModel {
    /// What was stored, in that order.
    private(set) var memories: [Memory] = []
    /// All responses that came.
    private(set) var messages: [Message] = []
    /// Heads that the present answer may show, though nothing may be stored of what updated them.
    private(set) var passing: [(memory: Memory, head: Head)] = []
    /// How much has happened.
    private(set) var order = 0

    /// A model that has seen nothing.
    package init() {}

    private func nextOrder() -> Int {
        order += 1
        return order
    }

    // MARK: - What goes by

    /// The head of a response has come. Its field X-Id has a number that no other has.
    package func receive(_ response: HTTPResponse, to sent: Sent, at now: CacheMoment) {
        let message = Message(response, to: sent, at: now)
        messages.append(message)
        passing = []
        if message.status == 304 { freshen(by: message) }
        if message.status == 206 { offerCompletion(by: message) }
        if sent.original.method == .head, message.status == 200 { compareHead(message) }
        let isUnsafe = !sent.original.method.isSafe
        if isUnsafe, (200...399).contains(message.status) { invalidate(by: message) }
    }

    /// A cache has stored a response that came. Complains where it may not be stored.
    package func store(
        _ identifier: Int, content: [UInt8], isWhole: Bool, declaredLength: UInt64? = nil
    ) -> String? {
        guard let message = messages.last(where: { $0.identifier == identifier }) else {
            return "something was stored that never came"
        }
        if let fault = message.storingFault(isWhole: isWhole) { return "stored: \(fault)" }
        let memory = Memory(
            message, content: content, isWhole: isWhole, declaredLength: declaredLength, order: nextOrder())
        if message.status == 206 || !isWhole { combine(memory) }
        memories.append(memory)
        return nil
    }

    /// All that is stored goes, or all since a date: the caller wants it so.
    package func forgetAll() { memories = [] }

    /// Nothing is under way, and these are the numbers of all that a store holds for a target: nothing else can answer.
    package func settle(_ uri: URI, stored: Set<Int>) {
        passing = []
        let key = uri.withoutUserinfoAndFragment
        for memory in memories where memory.key == key { memory.keepOnly(stored) }
    }

    // MARK: - 304 (section 4.3.4)

    private enum Identification {
        case no
        case may
        case must
    }

    private func freshen(by message: Message) {
        guard message.sent.isConditional, [.get, .head].contains(message.original.method) else { return }
        let mayStoreNothing = Directives(FieldText.lines(message.original.fields)).has("no-store")
        let order = nextOrder()
        for memory in memories where memory.key == message.key {
            guard memory.mayAnswer(message.original.method) else { continue }
            var heads: [Head] = []
            for head in memory.heads {
                let identification = identify(head, by: message)
                guard identification != .no else {
                    heads.append(head)
                    continue
                }
                var updated = head.updated(by: message, order: order)
                updated.isInvalid = false
                passing.append((memory, updated))
                let isLate = head.order > message.sent.order
                if mayStoreNothing {
                    heads.append(head)
                } else if identification == .may || isLate || head.status != 200
                    || message.directives.forbidsStoring(status: head.status)
                {
                    heads += [head, updated]
                } else {
                    heads.append(updated)
                    memory.retire(head, at: order)
                }
            }
            memory.heads = heads
            // An exchange that began before another updated it may go on with what it began with, also as a variant of its
            // own.
            for head in memory.past
            where head.isReplaced(after: message.sent.order) && identify(head, by: message) != .no {
                let updated = head.updated(by: message, order: order)
                passing.append((memory, updated))
                if !mayStoreNothing { memory.heads.append(updated) }
            }
        }
    }

    /// Whether a 304 speaks of that response.
    private func identify(_ head: Head, by message: Message) -> Identification {
        let lines = FieldText.lines(message.original.fields)
        let isChosen = head.fits(lines)
        let isCertain = head.certainlyFits(lines)
        let sentTags = NaiveModel.tags(message.sent.request.fields[.ifNoneMatch])
        if let tag = message.tag {
            let isSent = head.tags.contains { tag in sentTags.contains { $0.weakly(matches: tag) } }
            guard isChosen || isSent else { return .no }
            if tag.isWeak { return head.tags.contains { $0.weakly(matches: tag) } ? .may : .no }
            guard head.tags.contains(where: { $0.strongly(matches: tag) }) else { return .no }
            return isCertain ? .must : .may
        }
        // Only what was offered by its tag may be meant although it was not chosen.
        let isOnly = sentTags.allSatisfy { sent in head.tags.contains { $0.weakly(matches: sent) } }
        let isOffered = isOnly && !sentTags.isEmpty
        if let modified = FieldText.date(message.value("last-modified"), now: message.received) {
            return (isChosen || isOffered) && head.modified == modified ? .may : .no
        }
        // No validator at all: only where there is no doubt which one was meant.
        return isOffered || sentTags.isEmpty && isChosen ? .may : .no
    }

    static func tags(_ value: String?) -> [EntityTag] {
        guard let value, case .tags(let tags)? = EntityTagList(parsing: value) else { return [] }
        return tags
    }

    // MARK: - HEAD (section 4.3.5)

    private func compareHead(_ message: Message) {
        let lines = FieldText.lines(message.original.fields)
        let requestForbids = Directives(lines).has("no-store")
        let order = nextOrder()
        for memory in memories where memory.key == message.key && memory.mayAnswer(.get) {
            var heads: [Head] = []
            for head in memory.heads {
                guard head.fits(lines) else {
                    heads.append(head)
                    continue
                }
                var outdated = head
                outdated.isOutdated = true
                let isSame = agrees(memory, head, with: message)
                if head.status != 200 {
                    let mayKeep = requestForbids || !head.certainlyFits(lines)
                    heads += [head.updated(by: message, order: order), outdated] + (mayKeep ? [head] : [])
                } else if !head.certainlyFits(lines) {
                    heads += [head, head.updated(by: message, order: order), outdated]
                } else if requestForbids || message.directives.forbidsStoring(status: head.status) {
                    heads += isSame == true ? [head] : [head, outdated]
                } else if isSame == true {
                    heads.append(head.updated(by: message, order: order))
                    memory.retire(head, at: order)
                } else if isSame == nil {
                    heads += [head.updated(by: message, order: order), outdated]
                } else {
                    heads.append(outdated)
                }
            }
            memory.heads = heads
        }
    }

    /// Whether a HEAD's answer is of the same representation; `nil` where the RFC leaves doubt.
    private func agrees(_ memory: Memory, _ head: Head, with message: Message) -> Bool? {
        if let value = message.value("etag") {
            guard let tag = message.tag, head.tags.contains(where: { $0.weakly(matches: tag) }) else {
                return false
            }
            if head.value("etag") != value { return nil }
        }
        if let modified = message.value("last-modified"), head.value("last-modified") != modified {
            // The same date may be written in two forms.
            return FieldText.date(modified, now: message.received) == head.modified ? nil : false
        }
        if let length = message.value("content-length") {
            if head.value("content-length") == length, memory.isComplete { return true }
            let lengths = memories.filter { $0.key == memory.key && $0.isOfRepresentation(head, of: memory) }
                .compactMap(\.length)
            return head.value("content-length") == length
                || (lengths + [memory.length ?? 0]).contains {
                    String($0) == length
                } ? nil : false
        }
        return true
    }

    // MARK: - Invalidation (section 4.4)

    private func invalidate(by message: Message) {
        let target = message.original.uri
        var keys = [message.key]
        for name in ["location", "content-location"] {
            guard let value = message.value(name), let uri = try? URI(parsing: value, relativeTo: target),
                uri.origin == target.origin
            else { continue }
            keys.append(uri.withoutUserinfoAndFragment)
        }
        for memory in memories where keys.contains(memory.key) {
            for index in memory.heads.indices { memory.heads[index].isInvalid = true }
        }
    }

    // MARK: - Parts (section 3.4)

    /// What is stored may be completed by a part with the same strong validator, and is updated by it.
    private func offerCompletion(by message: Message) {
        let own = Head(message, order: order)
        for memory in memories where memory.key == message.key && memory.mayAnswer(.get) {
            let late = memory.past.filter { $0.isReplaced(after: message.sent.order) }
            for head in memory.heads + late where head.status == 200 && head.sharesStrongValidator(with: own)
            {
                passing.append((memory, head.updated(by: message, order: order)))
            }
        }
    }

    /// A part that shares a strong validator with what is stored may update that, and then speaks for both.
    private func combine(_ memory: Memory) {
        let own = memory.heads[0]
        for other in memories where other.key == memory.key && other.mayAnswer(.get) {
            let late = other.past.filter { $0.isReplaced(after: memory.message.sent.order) }
            for head in other.heads + late where head.status == 200 && head.sharesStrongValidator(with: own) {
                var updated = head.updated(by: memory.message, order: own.order)
                updated.isInvalid = false
                if !memory.heads.contains(where: { $0.fields == updated.fields && $0.dates == updated.dates })
                {
                    memory.heads.append(updated)
                }
            }
        }
    }
}

extension Message {
    var key: URI { original.uri.withoutUserinfoAndFragment }
}
