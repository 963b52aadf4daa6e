import Download
import HTTPClient
import HTTPMessage
import System
import Transport

/// What `-v` shows: what happens with `*`, what is sent with `>`, what is received with `<`.
struct Trace {
    private let console: Console

    init(_ console: Console) { self.console = console }

    /// Shows one event, if it is of interest.
    func show(_ event: TransferEvent) {
        switch event {
        case .resolving(let host): note("looking for the address of \(host)")
        case .resolved(let addresses): note("found \(addresses.map(\.host).joined(separator: ", "))")
        case .connecting(let address): note("trying \(address)")
        case .connectFailed(let attempt): note("failed: \(attempt)")
        case .connected(let remote, let local, let number):
            let from = local.map { " from \($0)" } ?? ""
            note("connected to \(remote.map(\.description) ?? "the peer")\(from) (connection \(number))")
        case .secured(let summary): show(summary)
        case .notSecured: break  // what failed is told as the transfer's failure
        case .reusing(let number): note("using connection \(number) again")
        case .waitingForConnection: note("waiting for a connection")
        case .requestHead(let octets): lines(octets, after: ">", hidesSecrets: true)
        case .requestSent(let count): note("request sent, \(count) octets")
        case .interim(let response), .response(let response):
            lines(response.headOctets, after: "<", hidesSecrets: false)
        case .answeredFromCache(let status): note("the cache answers (\(status))")
        case .passedCache(let status): note("the server was asked (\(status))")
        case .unusedResponse(let response):
            lines(response.headOctets, after: "<", hidesSecrets: false)
            note("that answer is the cache's alone")
        case .usingStored(let error): note("the server cannot be asked: \(error)")
        case .resendingUnconditionally: note("the answer fits nothing that is stored: asking anew")
        case .content, .sent: break
        case .awaitingContinue: note("waiting for the go-ahead for the content")
        case .continuing: note("no go-ahead came: sending the content without it")
        case .resendingWithoutExpect: note("the server does not give go-aheads: sending again without Expect")
        case .redirecting(_, let request, let number):
            note("redirect \(number): \(request.method) \(request.uri.withoutUserinfoAndFragment)")
        case .contentReceived(let trailers):
            for field in trailers { console.say("< \(field.name): \(field.value)".escapedForTerminal) }
            note("content received whole")
        case .resending: note("the kept connection was dead: sending the request again on a new one")
        case .verified(let what): note("the content is right by \(what)")
        case .resuming(let offset): note("going on at octet \(offset)")
        case .startingOver(let reason): note("beginning anew: \(reason)")
        case .retrying(let number, let wait, let reason):
            note("retry \(number) after \(wait.inSeconds.formattedSeconds): \(reason)")
        case .notRetrying(let reason): note("no other try: \(reason)")
        case .waitingForNetwork(let reason, let limit):
            note("no network, waiting at most \(limit.inSeconds.formattedSeconds): \(reason)")
        case .networkIsBack(let time):
            note("the network is back after \(time.inSeconds.formattedSeconds)")
        case .connectionKept(let number): note("keeping connection \(number)")
        case .connectionClosed(let number, let reason): note("closing connection \(number): \(reason)")
        }
    }

    private func show(_ summary: TLSSummary) {
        let agreed = [summary.version, summary.cipher] + (summary.protocolName.map { [$0] } ?? [])
        note(
            "secured by \(agreed.joined(separator: ", "))\(summary.isResumed ? ", an earlier session resumed" : "")"
        )
        note(
            "certificate of \(summary.subject), issued by \(summary.issuer), good until \(summary.validUntil)"
        )
        note("its key is \(summary.publicKeyPin)")
        if !summary.isVerified { note("the certificate is not verified: anybody may be answering") }
    }

    private func note(_ text: String) { console.say("* \(text.escapedForTerminal)") }

    private func lines(_ octets: [UInt8], after mark: String, hidesSecrets: Bool) {
        for line in octets.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast() {
            var text = String(latin1: line.last == 0x0D ? line.dropLast() : line)
            if hidesSecrets { text = Trace.withoutSecrets(text) }
            console.say("\(mark) \(text.escapedForTerminal)")
        }
    }

    /// A field line whose value is a secret, without it.
    static func withoutSecrets(_ line: String) -> String {
        guard let colon = line.firstIndex(of: ":"), let name = FieldName(String(line[..<colon])) else {
            return line
        }
        let secret: [FieldName] = [.authorization, .proxyAuthorization, .cookie]
        return secret.contains(name) ? "\(name): (not shown)" : line
    }
}
