import Download
import HTTPClient
import HTTPMessage
import System

// What a load asks and tells, passed on to the session's delegate.
extension TaskRun: LoadFollower {
    func request(_ request: HTTPRequest, after redirect: HTTPResponse?) async -> HTTPRequest? {
        guard let redirect else { return request }
        guard let load, let delegate = session.delegate, var next = task.originalRequest else {
            note(request)
            return request
        }
        next.take(request)
        let proposed = next
        let answer = await load.ask(session.order, orElse: Optional(proposed)) { [session, task] reply in
            delegate.session(
                session, task: task, willPerformHTTPRedirection: redirect, newRequest: proposed
            ) { reply.send($0) }
        }
        guard let answer else { return nil }
        let sent = answer.asSent
        note(sent)
        return sent
    }

    private func note(_ request: HTTPRequest) {
        task.facts.withLock { $0.currentRequest?.take(request) }
    }

    func mayReceive(_ response: HTTPResponse) async -> Bool {
        task.facts.withLock { $0.response = response }
        guard case .none = task.completion, let task = task as? DataTask, let load,
            let delegate = session.delegate
        else { return true }
        let disposition = await load.ask(session.order, orElse: ResponseDisposition.allow) {
            [session] reply in
            delegate.session(session, dataTask: task, didReceive: response) { reply.send($0) }
        }
        return disposition == .allow
    }

    func mayStore(_ response: HTTPResponse) async -> Bool {
        // What goes to a file is not kept in memory as well.
        guard let task = task as? DataTask else { return false }
        guard let load, let delegate = session.delegate else { return true }
        return await load.ask(session.order, orElse: true) { [session] reply in
            delegate.session(session, dataTask: task, willCacheResponse: response) { reply.send($0) }
        }
    }

    func answer(_ challenge: AuthenticationChallenge) async -> AuthenticationAnswer {
        let space = challenge.protectionSpace
        if let known = core.credential(for: space) {
            if triedSpaces.insert(space).inserted { return .useCredential(known) }
            core.drop(known, for: space)
        }
        guard let load, let delegate = session.delegate else { return .performDefaultHandling }
        let answer = await load.ask(session.order, orElse: AuthenticationAnswer.performDefaultHandling) {
            [session, task] reply in
            delegate.session(session, task: task, didReceive: challenge) { reply.send($0) }
        }
        if case .useCredential(let credential) = answer, credential.persistence == .forSession {
            core.keep(credential, for: space)
            triedSpaces.insert(space)
        }
        return answer
    }

    func observe(_ event: TransferEvent) {
        metrics.note(event)
        network.note(event)
        guard case .sent(let count, let total) = event, session.delegate != nil else { return }
        let (now, expected) = (Int64(clamping: count), total.map { Int64(clamping: $0) } ?? -1)
        let before = task.facts.withLock { facts in
            defer { facts.sent = now }
            return facts.sent
        }
        // Content that goes out again is counted anew.
        let new = now >= before ? now - before : now
        session.order.append { [session, task] in
            session.delegate?.session(
                session, task: task, didSendBodyData: new, totalBytesSent: now,
                totalBytesExpectedToSend: expected)
        }
    }

    func willSend(_ request: HTTPRequest) { metrics.begin(request) }

    func hasReceived(_ progress: TransferProgress) {
        task.facts.withLock { $0.show(progress) }
        writeProgress?.note(progress)
    }

    func goesOn(_ response: HTTPResponse, at offset: UInt64, of total: UInt64?) {
        guard let task = task as? DownloadTask, task.givenResumeData != nil, task.response == nil else {
            return
        }
        task.facts.withLock { facts in
            facts.response = response
            facts.show(TransferProgress(received: offset, expected: total))
        }
        writeProgress?.begin(at: offset)
        guard session.delegate != nil else { return }
        let (offset, total) = (Int64(clamping: offset), total.map { Int64(clamping: $0) } ?? -1)
        session.order.append { [session] in
            session.delegate?.session(
                session, downloadTask: task, didResumeAtOffset: offset, expectedTotalBytes: total)
        }
    }
}

extension LoadRequest {
    /// The request alone, without what the loading system adds.
    var asSent: HTTPRequest { HTTPRequest(method, uri, fields: fields, content: content) }

    /// Becomes `request`, limits and wishes aside.
    mutating func take(_ request: HTTPRequest) {
        (uri, method, fields, content) = (request.uri, request.method, request.fields, request.content)
    }
}
