import Glibc
import Replay
import Transport

/// Turns what happened on a connection into the script of a fixture.
struct ConnectionScript {
    /// Field names, in lower case, whose values the person gave, so that they are expected as they are.
    let givenFields: Set<String>
    /// Request targets that have a secret, and what takes their place; `nil` for anything.
    let targets: [[UInt8]: [UInt8]?]
    /// The steps, in order.
    private(set) var steps: [Fixture.Step] = []
    /// Whether the last answer was awaited when this side closed.
    private(set) var isUnfinished = false
    private let events: [RecordedConnection.Event]
    private var requests = SentRequests()

    /// The script of a connection on which this happened.
    init(
        _ events: [RecordedConnection.Event], givenFields: Set<String>, targets: [[UInt8]: [UInt8]?] = [:],
        blobs: inout BlobTable
    ) {
        self.events = events
        self.targets = targets
        self.givenFields = givenFields
        for (index, event) in events.enumerated() {
            if case .sent(let octets) = event { requests.take(octets, at: index) }
        }
        let all = requests.requests
        let early = received(in: 0..<(all.first?.firstEvent ?? events.count))
        if !early.isEmpty { addBody(early, framing: .untilClose, &blobs) }
        var isStalled = false
        for (index, request) in all.enumerated() {
            let end = index + 1 < all.count ? all[index + 1].firstEvent : events.count
            isStalled = addExchange(request, in: request.firstEvent..<end, &blobs)
        }
        addEnd(isStalled: isStalled || all.isEmpty)
    }

    private func received(in range: Range<Int>) -> [UInt8] {
        events[range].flatMap { event -> [UInt8] in
            if case .received(let octets) = event { octets } else { [] }
        }
    }

    /// Adds a request and its answer. Answers whether more was to come.
    private mutating func addExchange(
        _ request: SentRequest, in range: Range<Int>, _ blobs: inout BlobTable
    ) -> Bool {
        steps.append(.request(.matching(conditions(request.head))))
        let method = String(decoding: request.head.startLine.prefix { $0 != 0x20 }, as: UTF8.self)
        var answer = received(in: range)
        // The go-ahead comes before the content that waits for it (RFC 9110, section 10.1.1).
        if request.expectsContinue, let body = request.bodyEvent {
            let early = received(in: range.lowerBound..<body)
            let goAhead = ReceivedResponse(early, to: method)
            for head in goAhead.heads where !goAhead.hasFinalHead { addHead(head) }
            if !goAhead.hasFinalHead { answer.removeFirst(early.count - goAhead.body.count) }
        }
        if request.hasContent {
            if request.isComplete {
                steps.append(.requestContent(blobs.content(request.content)))
            } else if request.bodyEvent != nil || !request.expectsContinue {
                // Content that was begun and not wanted: how much of it comes is chance.
                steps.append(.unread)
            }
        }
        let response = ReceivedResponse(answer, to: method)
        for head in response.heads { addHead(head) }
        addBody(response.body, framing: response.framing, &blobs)
        return !response.isComplete
    }

    // MARK: Requests

    private func conditions(_ head: RecordedHead) -> [Fixture.Located<Fixture.Condition>] {
        head.lines.enumerated().map { index, line in
            Fixture.Located(index == 0 ? requestLine(line.octets) : condition(line))
        }
    }

    /// The request line without the secret of a URL that was misspelled.
    private func requestLine(_ octets: [UInt8]) -> Fixture.Condition {
        let parts = octets.split(separator: 0x20, omittingEmptySubsequences: false)
        guard parts.count == 3, let found = targets[Array(parts[1])] else {
            return ConnectionScript.condition(octets)
        }
        if let target = found {
            return ConnectionScript.condition(
                Array([Array(parts[0]), target, Array(parts[2])].joined(separator: [0x20])))
        }
        let texts = parts.map { String(decoding: $0, as: UTF8.self).escapedForPattern }
        return .pattern(FixturePattern("\(texts[0]) * \(texts[2])"))
    }

    private func condition(_ line: RecordedHead.Line) -> Fixture.Condition {
        guard let name = line.name else { return ConnectionScript.condition(line.octets) }
        let spelling = String(decoding: line.octets.prefix { $0 != UInt8(ascii: ":") }, as: UTF8.self)
        let start = spelling.escapedForPattern
        if Blanking.isSecret(field: name) { return .pattern(FixturePattern("\(start): *")) }
        if name == "user-agent", !givenFields.contains(name) {
            let product = line.value.prefix { $0 != "/" }
            return .pattern(FixturePattern("\(start): \(String(product).escapedForPattern)/*"))
        }
        // The URL of a Referer may have a password.
        let isURL = name == "referer" || name == "host"
        if Blanking.line(line) != line || isURL && Blanking.url(line.value) != line.value {
            return .pattern(FixturePattern("\(start): *"))
        }
        return ConnectionScript.condition(line.octets)
    }

    /// The line exactly; by a pattern where it has octets that no line of a file can have.
    private static func condition(_ octets: [UInt8]) -> Fixture.Condition {
        guard !isPlain(octets) else { return .line(octets) }
        var pattern = ""
        for scalar in String(decoding: octets, as: UTF8.self).unicodeScalars {
            let isOdd = scalar == "\u{FFFD}" || scalar.value < 0x20 || scalar.value == 0x7F
            let text = isOdd ? "*" : String(scalar).escapedForPattern
            if !(text == "*" && pattern.hasSuffix("*")) { pattern += text }
        }
        while let last = pattern.utf8.last, last == 0x20 { pattern.removeLast() }
        return .pattern(FixturePattern(octets.last == 0x20 ? pattern + "*" : pattern))
    }

    // MARK: Answers

    private mutating func addHead(_ head: RecordedHead) {
        for line in Blanking.lines(head.lines) + [head.blank] {
            if line.end == [0x0D, 0x0A], ConnectionScript.isPlain(line.octets) {
                steps.append(.sendLine(line.octets))
            } else {
                steps.append(.sendText(line.octets + line.end))
            }
        }
    }

    private mutating func addBody(
        _ octets: [UInt8], framing: ReceivedResponse.Framing, _ blobs: inout BlobTable
    ) {
        guard !octets.isEmpty else { return }
        switch framing {
        case .length(let count) where count > 0 && count < octets.count:
            steps.append(.send(blobs.content(Array(octets[..<count]))))
            steps.append(.send(blobs.content(Array(octets[count...]))))
        case .chunked:
            var body = ChunkedBody()
            body.append(octets[...])
            steps.append(.send(blobs.content(body, ConnectionScript.blanked(body, octets))))
        case .none, .length, .untilClose: steps.append(.send(blobs.content(octets)))
        }
    }

    /// The octets of a body of chunks, secrets of its trailer section blanked.
    private static func blanked(_ body: ChunkedBody, _ octets: [UInt8]) -> [UInt8] {
        guard let trailer = body.trailer, trailer < octets.count else { return octets }
        var lines: [RecordedHead.Line] = []
        var start = trailer
        while let newline = octets[start...].firstIndex(of: 0x0A) {
            let hasReturn = newline > start && octets[newline - 1] == 0x0D
            lines.append(
                .init(
                    octets: Array(octets[start..<(hasReturn ? newline - 1 : newline)]),
                    end: hasReturn ? [0x0D, 0x0A] : [0x0A]))
            start = newline + 1
        }
        // The first line of a head has no field, that of a trailer section has.
        let blanked = Blanking.lines([RecordedHead.Line(octets: [], end: [])] + lines)
        return octets[..<trailer] + blanked.flatMap { $0.octets + $0.end } + octets[start...]
    }

    /// Whether octets can stand in a line of a file as they are: text that shows all that is in it.
    static func isPlain(_ octets: [UInt8]) -> Bool {
        guard !octets.isEmpty else { return true }
        let isBlank = { (octet: UInt8?) in octet == 0x20 || octet == 0x09 }
        guard !isBlank(octets.first), !isBlank(octets.last),
            octets.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }),
            let text = String(validating: octets, as: UTF8.self)
        else { return false }
        return !text.unicodeScalars.contains { TerminalText.isDangerous($0) }
    }

    // MARK: The end

    private mutating func addEnd(isStalled: Bool) {
        // Content of a request that no step is about.
        if !requests.unfinished.isEmpty { steps.append(.unread) }
        for event in events {
            switch event {
            case .ended: return steps.append(.close)
            case .broke(.cutShort): return steps.append(.cut)
            case .broke: return steps.append(.reset)
            case .sent, .received, .closed: break
            }
        }
        isUnfinished = isStalled
        if isStalled { steps.append(.stall) }
    }
}

extension String {
    /// The text as a part of a pattern that stands for itself.
    fileprivate var escapedForPattern: String {
        String(
            decoding: utf8.flatMap { $0 == UInt8(ascii: "*") ? [UInt8(ascii: "\\"), $0] : [$0] },
            as: UTF8.self)
    }
}
