extension FixturePlayer {
    /// The longest head that is read.
    private static let headLimit = 1 << 20

    // MARK: Heads

    /// Reads and judges the head of a request.
    func receive(_ request: Fixture.Request, at index: Int, line: Int) -> Flow {
        guard !isUnread else { return .goesOn }
        guard skipOwedContent() else {
            giveUp(at: index, because: reason(.endOfStream))
            return .isOver
        }
        let head: [UInt8]
        switch readHead(request) {
        case .success(let octets): head = octets
        case .failure(let failure):
            giveUp(at: index, because: failure.reason)
            return .isOver
        }
        scene.receiveHead(head)
        lastHead = head
        lastLine = line
        owed = DeclaredContent(head: head)
        if case .unreadable(let what) = owed {
            scene.note(
                FixtureProblem(
                    line: line, "the length of the content is not clear: \(VisibleOctets(what.utf8))"))
            owed = .none
        } else {
            for fault in DeclaredContent.faults(ofHead: head) {
                scene.note(FixtureProblem(line: line, "the head has \(fault)"))
            }
        }
        for problem in HeadJudgement(request, head: head, line: line).problems { scene.note(problem) }
        return .goesOn
    }

    /// Waits for a head and leaves it where it is; `nil`: none comes whole.
    func peekHead() -> [UInt8]? {
        guard case .success(let end) = endOfHead(behind: 0) else { return nil }
        return Array(connection.input.all.prefix(end))
    }

    private struct MissingHead: Error { let reason: String }

    private func readHead(_ request: Fixture.Request) -> Result<[UInt8], MissingHead> {
        // An exact head may have a blank line anywhere, and may end without one that is whole.
        if case .exactly(let parts) = request {
            let expected = parts.flatMap(\.value)
            while true {
                let count = min(expected.count, connection.input.count)
                let equal = zip(expected, connection.input.all).prefix { $0 == $1 }.count
                if equal == expected.count { return .success(connection.input.take(equal)) }
                if equal < count {
                    // It is wrong: all of it is shown, up to its own blank line.
                    return endOfHead(behind: max(0, equal - 2)).map { connection.input.take($0) }
                }
                let received = connection.receive()
                guard case .octets = received else { return .failure(missingHead(received)) }
            }
        }
        return endOfHead(behind: 0).map { connection.input.take($0) }
    }

    private func endOfHead(behind start: Int) -> Result<Int, MissingHead> {
        var searched = start
        while true {
            if let end = connection.input.endOfHead(from: max(start, searched - 3)) { return .success(end) }
            searched = connection.input.count
            guard searched < Self.headLimit else {
                return .failure(MissingHead(reason: "a head of more than \(Self.headLimit) octets came"))
            }
            let received = connection.receive()
            guard case .octets = received else { return .failure(missingHead(received)) }
        }
    }

    private func missingHead(_ received: ReplayConnection.Received) -> MissingHead {
        let came = connection.input.all
        guard !came.isEmpty else { return MissingHead(reason: reason(received)) }
        return MissingHead(
            reason: reason(received) + " behind a head that is not whole, "
                + VisibleOctets.quoted(came, limit: 2000))
    }

    /// Why no more octets come, for people.
    func reason(_ received: ReplayConnection.Received) -> String {
        switch received {
        case .octets, .endOfStream: "the client closed the connection"
        case .nothing(.reset): "the client reset the connection"
        case .nothing(.stopped): scene.ending
        case .nothing(.timedOut), .nothing(.notYet): "the client sent nothing for \(patience)"
        case .nothing(.failed(let reason)): "TLS failed (\(reason))"
        }
    }

    // MARK: Content

    /// Reads and judges the content of the last request.
    func receiveContent(_ expected: FixtureContent, at index: Int, line: Int) -> Flow {
        guard !isUnread else { return .goesOn }
        var reader = ContentReader(owed)
        owed = .none
        var count: UInt64 = 0
        var ending: String?
        let difference = FixtureDifference.between(expected) { wanted in
            guard ending == nil else { return [] }
            let octets = next(wanted, of: &reader, ending: &ending)
            count += UInt64(octets.count)
            return octets
        }
        if let fault = reader.fault {
            scene.note(FixtureProblem(line: line, "the chunked coding is not as it must be: \(fault)"))
        }
        if let ending {
            let what = "\(ending) behind \(count) octets of the content"
            let details = difference.map { "\n\($0)" } ?? ""
            scene.note(FixtureProblem(line: line, what + details))
            return .isOver
        }
        if let difference {
            scene.note(FixtureProblem(line: line, "the content of the request is wrong\n\(difference)"))
        }
        return .goesOn
    }

    /// The next octets of content, none at its end or when it ends too early, which `ending` then says.
    private func next(_ wanted: Int, of reader: inout ContentReader, ending: inout String?) -> [UInt8] {
        var last = ReplayConnection.Received.octets
        // The connection appends to an input of its own, so the reader gets what it has and gives it back.
        var input = ReceivedOctets()
        swap(&input, &connection.input)
        defer { swap(&input, &connection.input) }
        do throws(ContentReader.Failure) {
            let octets = try reader.next(wanted, of: &input) { input in
                swap(&input, &connection.input)
                last = connection.receive()
                swap(&input, &connection.input)
                if case .octets = last { return true }
                return false
            }
            scene.receiveContent(octets)
            return octets
        } catch {
            switch error {
            case .ended: ending = reason(last)
            case .malformed(let what): ending = "the chunked coding is broken (\(what))"
            }
            return []
        }
    }

    /// Content that no step has asked for is no head: it is noted and passed over. False when it does not come whole.
    func skipOwedContent() -> Bool {
        guard owed != .none else { return true }
        let request = RecordedRequest(connection: 0, head: lastHead)
        defer { owed = .none }
        // Without a 100 the content may never come (RFC 9110, section 10.1.1).
        if request.value(of: "Expect")?.lowercased() == "100-continue" { return true }
        var reader = ContentReader(owed)
        var ending: String?
        var shown: [UInt8] = []
        var count: UInt64 = 0
        while case let octets = next(65_536, of: &reader, ending: &ending), !octets.isEmpty {
            count += UInt64(octets.count)
            if shown.count < 2000 { shown += octets.prefix(2000 - shown.count) }
        }
        // Who announces content and closes before it is told by the steps that still want something of him.
        guard count > 0 || ending == nil else { return false }
        scene.note(
            FixtureProblem(
                line: lastLine,
                "the request has content that no line expects, \(count) octets:\n"
                    + VisibleOctets.lines(shown, of: count)))
        return ending == nil
    }

    // MARK: Body

    /// Reads and judges octets behind the head.
    func receiveBody(_ expected: FixtureContent, at index: Int, line: Int) -> Flow {
        guard !isUnread else { return .goesOn }
        owed = .none
        var lack: String?
        let difference = FixtureDifference.between(expected, countingRest: false) { wanted, isDifferent in
            while connection.input.isEmpty, lack == nil, !isDifferent {
                let received = connection.receive()
                if case .octets = received { continue }
                lack = reason(received)
            }
            let octets = connection.input.take(wanted)
            scene.receiveContent(octets)
            return octets
        }
        guard let difference else { return .goesOn }
        if let lack {
            scene.note(FixtureProblem(line: line, "\(lack) before all of the body came\n\(difference)"))
            return .isOver
        }
        scene.note(FixtureProblem(line: line, "the body of the request is wrong\n\(difference)"))
        // Where the next head begins nobody knows now.
        isUnread = true
        return .goesOn
    }
}
