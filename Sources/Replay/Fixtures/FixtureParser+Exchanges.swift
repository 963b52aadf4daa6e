/// Scripts of servers with `any-connection`.
extension FixtureParser {
    /// Tells what cannot be where each request begins an exchange of its own, which may come on any connection.
    mutating func checkExchanges(_ connection: OpenConnection) {
        guard servers.indices.contains(connection.server), servers[connection.server].takesAnyConnection
        else {
            return
        }
        var hasRequest = false
        var isAnswered = true
        for step in connection.steps {
            switch step.value {
            case .request:
                if !isAnswered {
                    complain(
                        at: step.line, "with \"any-connection\" an answer stands before each further request")
                }
                if let line = connection.halfCloseLine, line < step.line {
                    complain(
                        at: step.line,
                        "with \"any-connection\" no request stands behind `! half-close` in line \(line)")
                }
                (hasRequest, isAnswered) = (true, false)
            case .pause, .pieces, .meet: continue
            case .tls:
                complain(
                    at: step.line, "with \"any-connection\" TLS cannot begin in the middle of a connection")
            default:
                guard hasRequest else { return complainOfNoRequest(at: step.line) }
                if step.value.sends { isAnswered = true }
            }
        }
        if !hasRequest { complainOfNoRequest(at: connection.line) }
    }

    private mutating func complainOfNoRequest(at line: Int) {
        complain(at: line, "with \"any-connection\" a request stands before anything else that happens")
    }
}
