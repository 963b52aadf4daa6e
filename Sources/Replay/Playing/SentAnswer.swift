/// A connection whose lines are all done, and whose client has not closed it.
struct StandingConnection: Sendable {
    /// The line up to which all is done.
    var line: Int
    /// What was played.
    var steps: [Fixture.Located<Fixture.Step>] = []
    /// The head of the last request; empty: it was not looked at.
    var head: [UInt8] = []

    /// What a person is told of it.
    var problem: FixtureProblem {
        let lack = head.isEmpty ? nil : SentAnswer.lack(of: steps, to: head)
        return FixtureProblem(
            line: line, lack ?? "all up to this line was done, and the client left the connection open")
    }
}

/// What the lines behind the last request send, as a client reads it (RFC 9112, section 6.3).
enum SentAnswer {
    /// Most octets that are looked at: 1 MiB.
    private static let most = 1 << 20

    /// What is missing of the answer, so that the client must wait for it, for people; `nil`: nothing, or nobody can
    /// tell.
    static func lack(of steps: [Fixture.Located<Fixture.Step>], to request: [UInt8]) -> String? {
        guard var rest = octets(of: steps) else { return nil }
        let method = RecordedRequest(connection: 0, head: request).method
        while !rest.isEmpty {
            guard rest.all.starts(with: "HTTP/".utf8) else { return nil }
            guard let end = rest.endOfHead(from: 0) else {
                return "the head of the answer has no blank line (`<`) at its end, so the client waits for it"
            }
            let head = rest.take(end)
            // The second word of a status line is the status.
            guard let status = Int(RecordedRequest(connection: 0, head: head).target) else { return nil }
            if 100..<200 ~= status, status != 101 { continue }
            let hasNone = [101, 204, 304].contains(status) || method == "HEAD"
            return hasNone || (method == "CONNECT" && 200..<300 ~= status)
                ? nil : lackOfContent(rest, behind: head)
        }
        return "no final response was sent to the last request, so the client waits for it"
    }

    private static func lackOfContent(_ body: ReceivedOctets, behind head: [UInt8]) -> String? {
        let declared = DeclaredContent(head: head)
        switch declared {
        case .unreadable: return nil
        case .none:
            guard RecordedRequest(connection: 0, head: head).value(of: "Content-Length") == nil else {
                return nil
            }
            return
                "the answer's content has no length and ends with the connection, "
                + "for which the client waits: `! close` is missing"
        case .length(let length):
            guard UInt64(body.count) < length else { return nil }
            return
                "\(length) octets of content were declared and \(body.count) sent, "
                + "so the client waits for the rest; `! close` would end it early"
        case .chunked:
            var reader = ContentReader(declared)
            var body = body
            do throws(ContentReader.Failure) {
                while try !reader.next(most, of: &body, more: { _ in false }).isEmpty {}
                return nil
            } catch {
                guard case .ended = error else { return nil }
                return
                    "the chunked content has no end (`< 0` and `<`), so the client waits for it; "
                    + "`! close` would end it early"
            }
        }
    }

    /// All that is sent behind the last request; `nil` where it is much, or does not end the same way for the client.
    private static func octets(of steps: [Fixture.Located<Fixture.Step>]) -> ReceivedOctets? {
        var sent = ReceivedOctets()
        for step in steps {
            switch step.value {
            case .request: sent = ReceivedOctets()
            case .sendLine(let octets): sent.octets += octets + [0x0D, 0x0A]
            case .sendText(let octets): sent.octets += octets
            case .send(let content):
                guard let octets = content.octets(atMost: most) else { return nil }
                sent.octets += octets
            case .halfClose, .tls, .unprotected: return nil
            default: break
            }
            guard sent.count <= most else { return nil }
        }
        return sent
    }
}
