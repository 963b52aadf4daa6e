import Download
public import HTTPMessage

/// What the answer to a probe means.
public enum AnswerMeaning: Hashable, Sendable {
    /// It is what it should be.
    case expected(String)
    /// The server says that it cannot or will not.
    case refused(String)
    /// Somebody between answers in the server's place: a captive portal, or something that looks like one.
    case portal(String)

    /// One clause for a person. What a server said stands in it as it came.
    public var words: String {
        switch self {
        case .expected(let words), .refused(let words), .portal(let words): words
        }
    }
}

/// What is expected of an answer.
public struct AnswerExpectation: Hashable, Sendable {
    /// The status; `nil`: success, or a redirect of the host's own.
    public var status: HTTPStatus?
    /// How the content begins; `nil`: anyhow.
    public var content: [UInt8]?

    /// Nothing in particular.
    public init(status: HTTPStatus? = nil, content: [UInt8]? = nil) {
        self.status = status
        self.content = content
    }

    /// What `response` to a request for `uri` means, whose content begins so. `isProved` where a certificate proves the host:
    /// then nobody else can have answered.
    func meaning(
        of response: HTTPResponse, from uri: URI, content beginning: [UInt8], isProved: Bool
    ) -> AnswerMeaning {
        let status = response.statusText
        // Network Authentication Required (RFC 6585, section 6).
        if response.status.code == 511 { return .portal("\(status): the network wants to be asked first") }
        if let expected = self.status, response.status != expected {
            let words = "\(status), where \(expected) is expected"
            return response.status.isFailure || isProved
                ? .refused(words) : .portal("\(words): somebody else seems to answer")
        }
        if self.status == nil {
            if response.status.isFailure { return .refused(status) }
            if let other = response.otherHost(than: uri) {
                return isProved
                    ? .expected("\(status), which sends on to \(other)")
                    : .portal("\(status), which sends to \(other): a portal, or a site that has moved")
            }
        }
        if let content, !beginning.starts(with: content) {
            let words = "\(status), with other content than is expected"
            return isProved ? .refused(words) : .portal("\(words): somebody else seems to answer")
        }
        return .expected(status)
    }
}

extension HTTPResponse {
    /// The host to which it redirects, where that is neither the one of `uri` nor above or below that: example.com and
    /// www.example.com are one site.
    fileprivate func otherHost(than uri: URI) -> String? {
        guard status.isRedirection, let location = fields[.location],
            let target = try? URI(location: location, relativeTo: uri)
        else { return nil }
        let (old, new) = (uri.host.description.lowercased(), target.host.description.lowercased())
        guard old != new, !old.hasSuffix(".\(new)"), !new.hasSuffix(".\(old)") else { return nil }
        return target.authority
    }
}

extension HTTPStatus {
    fileprivate var isRedirection: Bool { (300..<400).contains(code) }
}
