/// What a step wants and does, as parser and player see it.
extension Fixture.Step {
    /// Whether it takes octets that the client sent.
    var readsInput: Bool {
        switch self {
        case .request, .requestContent, .requestBody, .quiet, .awaitClose, .tls: true
        default: false
        }
    }

    /// Whether its octets go out together with those of the steps beside it.
    var sends: Bool {
        switch self {
        case .sendLine, .sendText, .send: true
        default: false
        }
    }

    /// What it wants of the client, for people; `nil`: nothing that a client that is gone could owe.
    var expectation: String? {
        switch self {
        case .request: "this request"
        case .requestContent: "the content of the request"
        case .requestBody: "this part of the body"
        case .meet(let name): "this connection at the meeting \(name)"
        case .interrupt: "this interruption"
        default: nil
        }
    }
}
