import Glibc
import HTTPClient
import HTTPMessage
import Transport

/// What a person can do next, where the exit code alone does not tell: one code may have several causes.
enum Advice {
    /// Advice for `error`; `nil` where its own words say it. `isSent` when the request could be written: then its
    /// address is not at fault.
    static func of(_ error: TransferError, isSent: Bool) -> String? {
        if let cause = error.cause { return of(cause, error) }
        if error.code == .couldNotConnect, error.errno == ENETUNREACH || error.errno == EHOSTUNREACH {
            return "Check the network: rawget reach says which step fails."
        }
        if isSent, error.code == .badURI || error.code == .unsupportedScheme { return nil }
        return ExitCode.row(named: error.code.name)?.advice
    }

    private static func of(_ cause: TransferError.Cause, _ error: TransferError) -> String? {
        switch cause {
        case .resolveTime, .connectTime: "Allow more with --connect-timeout."
        case .totalTime: "Allow more with -m, --max-time."
        case .silence: "Try again; -y SECONDS allows a longer silence, -y 0 any."
        case .speed: "Allow a lower speed with -Y, --speed-limit, or more time for it with -y, --speed-time."
        case .networkLost: "Try again when there is a network."
        case .speaksTLS: nil
        case .redirectScheme: "Allow it with --proto-redir, or give the address itself."
        case .noRedirects: "Allow some with --max-redirs, or give the address itself."
        case .tls(let cause): of(cause, error)
        }
    }

    private static func of(_ cause: TLSFailure.Cause, _ error: TransferError) -> String? {
        switch cause {
        case .expired: "Check this machine's clock; if it is right, the server needs a new certificate."
        case .notYetValid: "Check this machine's clock; if it is right, the server's certificate is too new."
        case .otherName: "Use a name that the certificate has, if that is the server you mean."
        case .commonNameAlone: "The server's certificate needs the name as a subjectAltName."
        case .unknownIssuer:
            "--cacert names a CA of your own; -k goes on without proof, for whoever knows the server otherwise."
        case .passwordMissing: "Give the password with --pass, or as -E FILE:PASSWORD."
        case .passwordWrong: "Check the password given with --pass or -E."
        case .isPKCS12: "Add --cert-type P12."
        case .isDER: "Add --cert-type DER."
        case .plainHTTP: nil
        case .version: "--tls-max and --tlsv1.3 change what is offered; older versions than 1.2 never are."
        case .alert(let number): ofAlert(number)
        }
    }

    /// Advice for what the server's alert may mean (RFC 8446, section 6.2).
    private static func ofAlert(_ number: Int) -> String? {
        switch number {
        case 40: "-E gives a client certificate; --ciphers, --tls-max and --tlsv1.3 change what is offered."
        case 41, 42, 116: "-E gives a client certificate."
        case 43...46, 48, 49: "Check the client certificate given with -E."
        case 70, 71: "--ciphers, --tls-max and --tlsv1.3 change what is offered."
        case 112: "Check the host name."
        default: "Check the host and the port."
        }
    }

    /// Braces or brackets of a URL were taken as they are.
    static let ofGlob = "With --no-globoff the braces and brackets of a URL stand for several URLs."

    /// What becomes of a part that is kept.
    static func of(part: String, _ continuation: TransferError.Continuation?) -> String {
        switch continuation {
        case .goesOn: "The same command goes on from there, if the server can send ranges."
        case .goesOnIfAsked: "-C - goes on from there."
        case .beginsAnew(let reason): "A new try begins anew, since \(reason)."
        case nil: "A new try begins anew: it never uses \(part.escapedForTerminal), which may be removed."
        }
    }

    /// Advice for an answer with an error status to the last request of a transfer. `first` is its first request.
    static func of(_ response: HTTPResponse, to last: HTTPRequest?, first: HTTPRequest?, excerpt: [UInt8])
        -> String?
    {
        if response.status == .badRequest, last?.uri.scheme == .http,
            String(decoding: excerpt, as: UTF8.self).contains("HTTPS port")
        {
            return "Use https:// in place of http://."
        }
        guard response.status == .unauthorized else { return nil }
        guard let credentials = last?.fields[.authorization] else {
            return first?.fields[.authorization] == nil
                ? "-u NAME:PASSWORD gives a name and password, --oauth2-bearer a token."
                : "The name and password are for the first server alone; --location-trusted sends them on."
        }
        let isToken = credentials.lowercased().hasPrefix("bearer ")
        return "The server did not take the \(isToken ? "token" : "name and password")."
    }
}
