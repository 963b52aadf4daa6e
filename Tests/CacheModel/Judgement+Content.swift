import HTTPMessage

extension Judgement {
    // MARK: - Octets (sections 3.3 and 3.4)

    /// What may stand at the offsets of the representation, and how long it may be.
    private struct Known {
        var memories: [Memory]
        var lengths: Set<UInt64>

        func has(_ octet: UInt8, at offset: UInt64) -> Bool {
            memories.contains { $0.octet(at: offset) == octet }
        }
    }

    /// The stored response itself, and all that share a strong validator with it (RFC 9110, section 15.3.7.3).
    private var known: Known {
        var memories = [memory]
        if head.status == 200 {
            memories += model.memories.filter { other in
                other !== memory && other.key == memory.key && other.isOfRepresentation(head, of: memory)
            }
        }
        return Known(memories: memories, lengths: Set(memories.compactMap(\.length)))
    }

    /// Octets of the whole answer, the origin's share of it included.
    private var total: UInt64 { answer.combinedLength ?? UInt64(answer.octets.count) }

    /// Where the origin's part goes on behind what is stored: it begins there, and tells how long the whole is.
    private var isRestAnnounced: Bool {
        guard case .completed(let identifier) = question.ground,
            let range = model.messages.last(where: { $0.identifier == identifier })?.contentRange,
            let offsets = range.offsets
        else { return false }
        return offsets.lowerBound == answer.offset + UInt64(answer.octets.count)
            && answer.combinedLength.map { answer.offset + $0 == offsets.upperBound } ?? true
            && (answer.status == 206 || range.completeLength.map { $0 == offsets.upperBound } ?? true)
    }

    private func octetsComplaint(_ known: Known) -> String? {
        for (index, octet) in answer.octets.enumerated()
        where !known.has(octet, at: answer.offset + UInt64(index)) {
            return "octets of another representation at \(answer.offset + UInt64(index))"
                + " (RFC 9110, section 15.3.7.3)"
        }
        return nil
    }

    var contentComplaint: String? {
        let known = known
        switch answer.status {
        case 304 where head.status != 304:
            return answer.octets.isEmpty ? nil : "a 304 with content (RFC 9110, section 15.4.5)"
        case 206: return partComplaint(known)
        case 416 where head.status != 416: return unsatisfiedComplaint(known)
        case head.status: break
        default: return "status \(answer.status), where \(head.status) is stored (RFC 9111, section 4)"
        }
        if !answer.values("content-range").isEmpty, answer.status != 416 {
            return "a Content-Range without 206 (RFC 9110, section 14.4)"
        }
        let lengths = answer.values("content-length")
        if request.method == .head {
            guard answer.octets.isEmpty else { return "a HEAD has content (RFC 9110, section 9.3.2)" }
            return lengths.isEmpty || known.lengths.contains { lengths == [String($0)] } || !memory.isComplete
                || memory.method == .head || head.status == 204
                ? nil : "a HEAD's Content-Length is not that of a GET (RFC 9110, section 8.6)"
        }
        let isCompletion = if case .completed = question.ground { true } else { false }
        guard answer.offset == 0, isCompletion ? isRestAnnounced : known.lengths.contains(total) else {
            return "what is incomplete answers as complete (RFC 9111, section 3.3)"
        }
        if !lengths.isEmpty, lengths != [String(total)] {
            return
                "Content-Length is \(lengths.joined(separator: ", ")), not \(total) (RFC 9110, section 8.6)"
        }
        return octetsComplaint(known)
    }

    /// A 206 is of a range that was asked for, all of it, and says so.
    private func partComplaint(_ known: Known) -> String? {
        guard request.method == .get, head.status == 200,
            let asked = request.fields[.range].flatMap({ ByteRangeSet(parsing: $0) })
        else { return "a part, which nobody asked for (RFC 9110, section 14.2)" }
        guard rangeApplies else { return "If-Range does not hold (RFC 9110, section 13.1.5)" }
        let count = total
        guard count > 0, let text = answer.values("content-range").first,
            answer.values("content-range").count == 1,
            let told = ContentRange(parsing: text), let offsets = told.offsets
        else { return "a 206 without a right Content-Range (RFC 9110, section 15.3.7.1)" }
        guard offsets == answer.offset..<answer.offset + count,
            answer.combinedLength == nil || isRestAnnounced
        else {
            return
                "Content-Range is \(text), for \(count) octets at \(answer.offset) (RFC 9110, section 14.4)"
        }
        if let length = told.completeLength, !known.lengths.contains(length) {
            return "Content-Range tells a length of \(length) (RFC 9110, section 14.4)"
        }
        let lengths = answer.values("content-length")
        if !lengths.isEmpty, lengths != [String(count)] {
            return
                "Content-Length is \(lengths.joined(separator: ", ")) in a part of \(count) (RFC 9110, section 8.6)"
        }
        guard asked.ranges.contains(where: { isAnswered($0, by: offsets, length: told.completeLength) })
        else {
            return "octets \(offsets) for \(asked) (RFC 9110, section 14.2)"
        }
        return octetsComplaint(known)
    }

    private func isAnswered(_ range: ByteRange, by offsets: Range<UInt64>, length: UInt64?) -> Bool {
        if let length { return range.offsets(inLength: length) == offsets }
        guard case .bounded(let bounds) = range else { return false }
        return bounds.lowerBound == offsets.lowerBound && bounds.upperBound + 1 == offsets.upperBound
    }

    private func unsatisfiedComplaint(_ known: Known) -> String? {
        guard request.method == .get, head.status == 200,
            let asked = request.fields[.range].flatMap({ ByteRangeSet(parsing: $0) }), rangeApplies
        else { return "a 416, where no range was asked for (RFC 9110, section 15.5.17)" }
        guard answer.octets.isEmpty else { return "a generated 416 with content" }
        let told = answer.values("content-range").first.flatMap { ContentRange(parsing: $0) }
        guard case .unsatisfied(let length)? = told, known.lengths.contains(length) else {
            return "a 416 that does not tell the length (RFC 9110, section 15.5.17)"
        }
        return asked.ranges.allSatisfy { $0.offsets(inLength: length) == nil }
            ? nil : "a 416 for a range that there is (RFC 9110, section 15.5.17)"
    }

    /// Whether If-Range, if there is one, holds for what is stored (RFC 9110, section 13.1.5).
    private var rangeApplies: Bool {
        guard let value = request.fields[.ifRange] else { return true }
        if let tag = EntityTag(parsing: value) { return head.tags.contains { $0.strongly(matches: tag) } }
        guard let date = FieldText.date(value, now: question.now) else { return false }
        return head.strongModified == date
    }

    // MARK: - The caller's own conditions (section 4.3.2)

    var conditionComplaint: String? {
        let isNotModified = isConditionFalse
        if answer.status == 304 {
            return isNotModified == false || !(200...299).contains(head.status)
                ? "a 304 though the condition holds (RFC 9110, section 13.1)" : nil
        }
        return isNotModified == true && head.status == 200 && !ifModifiedSinceIsByDate
            ? "a \(answer.status) though the condition does not hold (RFC 9110, section 13.2.1)" : nil
    }

    /// Whether If-None-Match or If-Modified-Since is false, which makes a 304; `nil` where a condition is no proper one.
    private var isConditionFalse: Bool? {
        if let value = request.fields[.ifNoneMatch] {
            guard let list = EntityTagList(parsing: value) else { return nil }
            return list == .any || head.tags.contains { list.weakly(matches: $0) }
        }
        let dates = request.fields.values(of: .ifModifiedSince)
        guard dates.count == 1, let since = FieldText.date(dates[0], now: question.now) else { return false }
        if let modified = head.modified { return modified <= since }
        if head.value("last-modified") != nil { return nil }
        return head.oldestDate <= since
    }

    /// Without Last-Modified a cache should look at Date, but need not.
    private var ifModifiedSinceIsByDate: Bool {
        !request.fields.contains(.ifNoneMatch) && head.modified == nil
    }

    // MARK: - Fields (sections 3.1, 3.2 and 4)

    /// They are told anew for each answer, and judged above.
    private static let judgedElsewhere: Set = ["age", "content-length", "content-range"]
    /// A 304 has them where a 200 would (RFC 9110, section 15.4.5).
    private static let ofNotModified: Set = [
        "content-location", "date", "etag", "vary", "cache-control", "expires",
    ]

    /// How many lines of the answer the head has, too.
    var agreement: Int { answer.lines.filter { head.fields.contains($0) }.count }

    var fieldComplaint: String? {
        let lines = answer.lines
        // What may not be used at all without validation needs no list of fields beside.
        let hidden = head.directives.isNoCacheWhole ? [] : head.directives.noCacheFields
        let isShort =
            answer.status == 304 || answer.status == 416
            || answer.status == 206 && request.fields[.ifRange] != nil
        for line in lines {
            if Head.connectionFields.contains(line.name) {
                return "\(line.name) was for one connection (RFC 9111, section 3.1)"
            }
            if hidden.contains(line.name), !isValidated, !Judgement.judgedElsewhere.contains(line.name) {
                return "\(line.name), which no-cache names (RFC 9111, section 5.2.2.4)"
            }
        }
        let expected = head.fields.map(\.name) + (head.alternatives.keys.contains("date") ? ["date"] : [])
        for name in Set(lines.map(\.name) + expected).sorted() {
            guard !Judgement.judgedElsewhere.contains(name) else { continue }
            let values = answer.values(name)
            if values.isEmpty {
                if hidden.contains(name) || head.droppable.contains(name) { continue }
                if isShort && !(answer.status != 416 && Judgement.ofNotModified.contains(name)) { continue }
                return "\(name) is missing (RFC 9111, section 3.1)"
            }
            var allowed = [head.values(name)] + (head.alternatives[name] ?? [])
            allowed.removeAll { $0.isEmpty }
            guard allowed.contains(where: { FieldText.isSame($0, values) }) else {
                return "\(name) is \(values.joined(separator: " | ")) (RFC 9111, section 3.2)"
            }
        }
        return nil
    }
}

extension FieldText {
    /// Whether both say the same, in however many lines.
    static func isSame(_ left: [String], _ right: [String]) -> Bool {
        left.joined(separator: ", ") == right.joined(separator: ", ")
    }
}
