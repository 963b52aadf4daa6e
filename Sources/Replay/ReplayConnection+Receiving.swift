import Glibc

extension ReplayConnection {
    /// What a receive brought.
    enum Received {
        case octets
        case endOfStream
        case nothing(Lack)
    }

    /// Why nothing came, or nothing could be sent.
    enum Lack: Hashable {
        case timedOut
        case stopped
        case reset
        /// TLS failed, for this reason.
        case failed(String)
        /// Nothing has arrived, and nobody wanted to wait.
        case notYet
    }

    /// Appends content that the peer has sent to `input`, waiting for it at most for the server's patience.
    func receive(waiting: Bool = true) -> Received {
        guard let session else { return receiveRaw(into: &input.octets, waiting: waiting) }
        while true {
            let outcome = session.read(into: &input.octets)
            noteAlert(of: session)
            _ = sendRaw(session.takeOutput())  // answers to a KeyUpdate, or an alert
            switch outcome {
            case .done: return .octets
            case .ended: return .endOfStream
            case .failed(let reason):
                complain("TLS: \(reason)")
                return .nothing(.failed(reason))
            case .wantsInput:
                var records: [UInt8] = []
                let received = receiveRaw(into: &records, waiting: waiting)
                guard case .octets = received else { return received }
                session.feed(records)
            }
        }
    }

    /// Appends octets as they come from the socket.
    func receiveRaw(into octets: inout [UInt8], waiting: Bool) -> Received {
        var hasStopped = false
        while true {
            var count = 0
            var error: Int32 = 0
            // Safety: recv writes at most the free capacity, and as many octets as it reports are initialized.
            octets.append(addingCapacity: 65_536) { output in
                output.withUnsafeMutableBufferPointer { buffer, initialized in
                    guard let start = buffer.baseAddress else { return }
                    count = recv(
                        socket, start + initialized, buffer.count - initialized, Int32(MSG_DONTWAIT))
                    error = errno
                    if count > 0 { initialized += count }
                }
            }
            if count > 0 {
                receivedCount += UInt64(count)
                return stop.isOverdue ? .nothing(.stopped) : .octets
            }
            if count == 0 { return .endOfStream }
            if error == EINTR { continue }
            guard error == EAGAIN else { return .nothing(.reset) }
            guard waiting else { return .nothing(.notYet) }
            guard !hasStopped else { return .nothing(.stopped) }
            switch wait(for: POLLIN) {
            case .ready: continue
            case .timedOut: return .nothing(.timedOut)
            case .stopped: hasStopped = true  // what came before that still counts: look once more
            }
        }
    }

    /// Reads a head and its declared content, with `100 Continue` between them when it is expected.
    func receiveRequest() -> Flow {
        guard receiveHead() == .goesOn, let index = lastRequest else { return .isOver }
        let head = stage.state.withLock { $0.requests[index] }
        if head.value(of: "Expect")?.lowercased() == "100-continue" {
            guard send(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)) == .goesOn else { return .isOver }
        }
        return receiveContent(.declared)
    }

    /// Reads until the blank line, whose line ends may be bare, and records the head.
    func receiveHead() -> Flow {
        var searched = 0
        while true {
            if let end = input.endOfHead(from: max(0, searched - 3)) {
                let request = RecordedRequest(connection: number, head: input.take(end))
                lastRequest = stage.state.withLock { state in
                    state.requests.append(request)
                    return state.requests.count - 1
                }
                return .goesOn
            }
            searched = input.count
            switch receive() {
            case .octets: continue
            case .endOfStream, .nothing:
                if !input.isEmpty { complain("a head ended after \(input.count) octets") }
                return .isOver
            }
        }
    }

    /// Reads the content of the last request and adds it to its record.
    func receiveContent(_ length: Script.ContentLength) -> Flow {
        guard let index = lastRequest else {
            complain("content expected before any head")
            return .goesOn
        }
        let head = stage.state.withLock { $0.requests[index] }
        var body: [UInt8] = []
        var content: [UInt8] = []
        let isComplete: Bool
        switch length {
        case .octets(let count):
            isComplete = take(count, into: &body)
            content = body
        case .declared where head.value(of: "Transfer-Encoding")?.lowercased().hasSuffix("chunked") == true:
            isComplete = takeChunks(into: &body, content: &content)
        case .declared:
            isComplete = take(head.value(of: "Content-Length").flatMap { Int($0) } ?? 0, into: &body)
            content = body
        }
        let received = body.count
        stage.state.withLock { state in
            state.requests[index].body = body
            state.requests[index].content = content
        }
        if !isComplete { complain("the content of a request ended after \(received) octets") }
        return isComplete ? .goesOn : .isOver
    }

    /// Moves `count` octets of the input to `octets`; false when the peer sent fewer.
    private func take(_ count: Int, into octets: inout [UInt8]) -> Bool {
        var left = max(0, count)
        while left > 0 {
            if input.isEmpty, case .octets = receive() {}
            guard !input.isEmpty else { return false }
            let part = min(left, input.count)
            octets += input.take(part)
            left -= part
        }
        return true
    }

    /// Moves a line with its end to `octets` and returns it without; `nil` when the peer closed before its end.
    private func takeLine(into octets: inout [UInt8]) -> ArraySlice<UInt8>? {
        let start = octets.count
        while true {
            let newline = input.offset(of: UInt8(ascii: "\n"))
            guard take(newline.map { $0 + 1 } ?? max(1, input.count), into: &octets) else { return nil }
            guard octets.last == UInt8(ascii: "\n") else { continue }
            let line = octets[start..<octets.count - 1]
            return line.last == UInt8(ascii: "\r") ? line.dropLast() : line
        }
    }

    /// Chunked content (RFC 9112, section 7.1) with its trailer section, read without any strictness.
    private func takeChunks(into body: inout [UInt8], content: inout [UInt8]) -> Bool {
        while true {
            guard let line = takeLine(into: &body) else { return false }
            let digits = line.prefix { octet in Character(Unicode.Scalar(octet)).isHexDigit }
            guard let size = Int(String(decoding: digits, as: UTF8.self), radix: 16) else { return false }
            if size == 0 { break }
            let start = body.count
            guard take(size, into: &body) else { return false }
            content += body[start...]
            guard takeLine(into: &body) != nil else { return false }
        }
        while let line = takeLine(into: &body) {
            if line.isEmpty { return true }
        }
        return false
    }
}
