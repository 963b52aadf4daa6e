package import HTTPCache
package import HTTPMessage

extension NaiveModel {
    /// What an answer is judged by, beside itself.
    package struct Question {
        package var request: HTTPRequest
        package var policy: CachePolicy
        package var ground: Ground
        package var now: CacheMoment
        /// The numbers (X-Id) of what lies in the store under the target URI.
        package var stored: Set<Int>

        package init(
            _ request: HTTPRequest, policy: CachePolicy = .useProtocolCachePolicy, ground: Ground = .lookup,
            at now: CacheMoment, stored: Set<Int> = []
        ) {
            self.request = request
            self.policy = policy
            self.ground = ground
            self.now = now
            self.stored = stored
        }

        var lines: [FieldText.Line] { FieldText.lines(request.fields) }
        var directives: Directives { Directives(lines) }
        var key: URI { request.uri.withoutUserinfoAndFragment }

        /// no-cache, or Pragma's where there is no Cache-Control (sections 5.2.1.4 and 5.4).
        var wantsValidation: Bool {
            if request.fields.contains(.cacheControl) { return directives.has("no-cache") }
            return request.fields.values(of: .pragma).flatMap(FieldText.members).contains {
                $0.lowercased() == "no-cache"
            }
        }
    }

    /// Whether the answer is forbidden: a sentence with the section that forbids it, or `nil`.
    package func complaint(about answer: Answer, to question: Question) -> String? {
        if answer.identifier == nil, let complaint = complaintAboutGenerated(answer, to: question) {
            return complaint == "" ? nil : complaint
        }
        guard [.get, .head].contains(question.request.method) else {
            return "a \(question.request.method) is answered without the origin (RFC 9111, section 4)"
        }
        if question.policy == .reloadIgnoringLocalCacheData
            || question.policy == .reloadIgnoringLocalAndRemoteCacheData
        {
            return "a policy that ignores what is stored is answered by it (D17)"
        }
        var complaint: String?
        var agreement = -1
        for (memory, head) in candidates(for: answer, question) {
            let judgement = Judgement(
                model: self, memory: memory, head: head, answer: answer, question: question)
            guard let fault = judgement.complaint else { return nil }
            // Of many it is most likely made of the one whose fields it has.
            if judgement.agreement > agreement { (complaint, agreement) = (fault, judgement.agreement) }
        }
        return complaint ?? complaintAboutUnknown(answer, question)
    }

    /// All that is known under the number of the answer. A generated 304 or 416 need not have one: then all.
    private func candidates(for answer: Answer, _ question: Question) -> [(Memory, Head)] {
        var known = memories.flatMap { memory in memory.heads.map { (memory, $0) } }
        if question.ground.isValidated { known += passing }
        return known.filter { memory, head in
            memory.key == question.key && (answer.identifier == nil || head.identifier == answer.identifier)
        }
    }

    /// Judges answers that no server sent: 504 and the like. An empty text is none.
    private func complaintAboutGenerated(_ answer: Answer, to question: Question) -> String? {
        switch answer.status {
        case 504:
            guard question.request.method.isSafe else {
                return "a \(question.request.method) never reaches the origin (RFC 9111, section 4)"
            }
            let mayAsk = question.directives.has("only-if-cached")
            switch question.ground {
            case .lookup:
                return mayAsk ? "" : "a 504 though the origin may be asked (RFC 9111, section 5.2.1.7)"
            case .failure:
                let isStored = memories.contains {
                    $0.key == question.key && $0.mayAnswer(question.request.method)
                }
                return isStored ? "" : "a 504 for what was never stored (RFC 9111, section 5.2.2.2)"
            case .error:
                return "a 504 in the place of the origin's own error (RFC 9111, section 4.3.3)"
            default:
                return "a 504 though the origin has answered (RFC 9111, section 5.2.2.2)"
            }
        case 304, 416: return nil
        case 412: return "a condition for the origin alone is judged (RFC 9111, section 4.3.2)"
        default: return "an answer of status \(answer.status) out of nothing (RFC 9111, section 4)"
        }
    }

    /// Why an answer is made of nothing that may be used.
    private func complaintAboutUnknown(_ answer: Answer, _ question: Question) -> String {
        guard let identifier = answer.identifier else {
            return "a \(answer.status) though nothing of this URI is stored (RFC 9111, section 4)"
        }
        if let memory = memories.first(where: { $0.heads.contains { $0.identifier == identifier } }) {
            return memory.key == question.key
                ? "no head fits" : "what is stored for \(memory.key) answers (RFC 9111, section 4)"
        }
        if memories.contains(where: { $0.key == question.key && $0.identifiers.contains(identifier) }) {
            return "fields that were updated since (RFC 9111, section 4.3.4)"
        }
        guard let message = messages.first(where: { $0.identifier == identifier }) else {
            return "an answer that no server sent (RFC 9111, section 4)"
        }
        if message.status == 304 {
            return "a 304 has updated what it does not speak of (RFC 9111, section 4.3.4)"
        }
        if message.original.method == .head {
            return "a HEAD has updated what it does not agree with (RFC 9111, section 4.3.5)"
        }
        let fault = message.storingFault(isWhole: true) ?? "it was not stored"
        return "response \(identifier) answers, but \(fault)"
    }
}
