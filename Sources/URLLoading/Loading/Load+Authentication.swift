import HTTPClient
import HTTPMessage

// Challenges (RFC 9110, section 11), answered by the scheme "Basic" (RFC 7617).
extension Load {
    /// Most times that credentials are sent for one load.
    private static let mostAnswers = 20

    /// What follows where credentials were asked for and the follower has some; `nil`: the answer is to be delivered.
    func answered(_ response: HTTPResponse) async -> Verdict? {
        guard response.status == .unauthorized, let follower else { return nil }
        for challenge in Challenge.all(in: response.fields, of: .wwwAuthenticate) {
            guard challenge.scheme.isEqualIgnoringCase(to: "Basic"), failedAnswers < Load.mostAnswers else {
                continue
            }
            let space = ProtectionSpace(origin: current.uri.origin, realm: challenge.realm ?? "")
            let answer = await follower.answer(
                AuthenticationChallenge(
                    protectionSpace: space, previousFailureCount: failedAnswers, failureResponse: response))
            switch answer {
            case .useCredential(let credential):
                failedAnswers += 1
                var next = current
                // The request under way may have asked for a rest: what is there is asked for anew by `begin`.
                if asksForRest {
                    next.fields.remove(.range)
                    next.fields.remove(.ifRange)
                }
                next.fields[.authorization] =
                    BasicCredentials(user: credential.user, password: credential.password).fieldValue
                return .another(next)
            case .rejectProtectionSpace: continue
            case .performDefaultHandling: return nil
            case .cancelAuthenticationChallenge:
                return .failure(TransferError(.cancelled, during: .firstByte, "cancelled"))
            }
        }
        return nil
    }
}
