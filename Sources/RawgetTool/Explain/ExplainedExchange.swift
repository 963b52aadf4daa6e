import HTTPCache
import HTTPMessage
import HTTPWire

/// A response head, and the head of the request it answers where that is known: what is to be explained.
struct ExplainedExchange {
    /// The request; where only a response was given, a GET of nothing in particular.
    var request: HTTPRequest
    /// Whether the request was given.
    var isRequestKnown: Bool
    /// Heads that came before the final one: interim ones, and those of redirects that were followed.
    var interim: [HTTPResponse] = []
    /// The final head.
    var response: HTTPResponse
    /// How the end of its content is found.
    var framing: ContentFraming

    /// What is taken for granted where nobody knows it.
    private static let unknownRequest = Array("GET / HTTP/1.1\r\nHost: host.invalid\r\n\r\n".utf8)

    /// Reads what a client would read. What stands behind the final head is content, and not looked at; a head that
    /// ends with the input needs no empty line.
    init(_ input: [UInt8]) throws(UsageError) {
        guard !input.isEmpty else {
            throw UsageError("there is nothing to explain: the input is empty", exit: 8)
        }
        isRequestKnown = !input.starts(with: "HTTP/".utf8)
        let input = isRequestKnown ? input : ExplainedExchange.unknownRequest + input
        var offset = 0
        request = try ExplainedExchange.request(in: input, &offset)
        guard offset < input.count else { throw UsageError("there is no head of a response in it", exit: 8) }
        do throws(WireError) {
            (response, framing) = try ExplainedExchange.response(
                in: Array(input[offset...]), to: request.method, &interim)
        } catch {
            throw UsageError("the response cannot be read: \(error)", exit: 8)
        }
    }

    /// A GET that was answered so.
    init(_ request: HTTPRequest, _ response: HTTPResponse, _ framing: ContentFraming) {
        (self.request, self.response, self.framing) = (request, response, framing)
        isRequestKnown = true
    }

    /// Octets of content, where the head tells.
    var declaredLength: UInt64? {
        switch framing {
        case .none: 0
        case .length(let length): length
        case .chunked, .untilClose: nil
        }
    }

    private static func response(
        in input: [UInt8], to method: HTTPMethod, _ interim: inout [HTTPResponse]
    ) throws(WireError) -> (HTTPResponse, ContentFraming) {
        // Whether an upgrade was offered does not matter: the client is not asked to go on with one.
        var exchange = Exchange(method: method, offersUpgrade: true)
        var input = input
        var offset = 0
        // The end of a line, and the empty line behind it.
        var missingEnds = 2
        while true {
            switch try exchange.nextEvent(in: input.span, at: &offset) {
            case .response(let head):
                // Behind a redirect's head, as `-I` shows it without its content, the next one's may stand.
                guard head.status.isRedirection, input[offset...].starts(with: "HTTP/".utf8) else {
                    return (head, exchange.framing ?? .none)
                }
                interim.append(head)
                exchange = Exchange(method: method, offersUpgrade: true)
            case .interim(let head):
                interim.append(head)
                guard offset < input.count else { throw WireError(.headCut, at: UInt64(offset)) }
            case .needsInput where missingEnds > 0:
                missingEnds -= 1
                input += [0x0D, 0x0A]
            // No head comes behind these.
            case .needsInput, .content, .earlierContent, .end:
                throw WireError(.headCut, at: UInt64(offset))
            }
        }
    }

    private static func request(in input: [UInt8], _ offset: inout Int) throws(UsageError) -> HTTPRequest {
        let head: RequestHead?
        do throws(WireError) { head = try RequestHeadParser.read(in: input.span, at: &offset) } catch {
            throw UsageError("the request cannot be read: \(error)", exit: 8)
        }
        guard let head else {
            throw UsageError("the request ends before its empty line, and no response follows", exit: 8)
        }
        return HTTPRequest(head.method, try uri(of: head), fields: head.fields)
    }

    /// The target URI (RFC 9110, section 7.1).
    private static func uri(of head: RequestHead) throws(UsageError) -> URI {
        let target = head.target
        let shown = target.shownFromServer
        let isPath = target.utf8.first == UInt8(ascii: "/")
        var text = target
        if isPath || target == "*" {
            guard let host = head.fields[.host], !host.isEmpty else {
                throw UsageError(
                    "the request for \(shown) has no Host, so nobody knows whose that is", exit: 8)
            }
            text = "http://\(host)\(isPath ? target : "/")"
        }
        do throws(URIError) { return try URI(parsing: text) } catch {
            throw UsageError("the request is for \(shown), which is no address: \(error)", exit: 8)
        }
    }
}
