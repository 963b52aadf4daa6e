import HTTPMessage

/// What a status means for a download, in one clause (RFC 9110, section 15).
enum StatusMeaning {
    static func clause(_ status: HTTPStatus) -> String {
        switch status.code {
        case 101: "another protocol goes on from here"
        case 103: "fields that the final response may have; more follows"
        case 100..<200: "interim: more follows"
        case 200: "here is what was asked for"
        case 201: "something was made; Location names it"
        case 202: "taken, and not done yet"
        case 204: "done, and there is no content"
        case 206: "a part of what was asked for; Content-Range tells which"
        case 200..<300: "it went well"
        case 301, 308: "it has moved for good; Location tells where"
        case 302, 307: "it is elsewhere for now; Location tells where"
        case 303: "the answer is elsewhere, for a GET; Location tells where"
        case 304: "what is stored is still good: there is no content"
        case 305: "through a proxy that the response names; not followed"
        case 300..<400: "one of several; Location may tell which"
        case 401: "credentials are wanted: -u gives them"
        case 403: "refused; credentials would not change that"
        case 404: "there is nothing of that name, or nobody may know"
        case 407: "a proxy wants credentials"
        case 410: "it is gone for good"
        case 412: "a condition of the request does not hold"
        case 416: "there is no such part; Content-Range may tell the length"
        case 429: "too many requests; Retry-After may tell how long to wait"
        case 400..<500: "the request failed, and would fail again"
        case 503: "not now; Retry-After may tell how long to wait"
        case 504: "a server behind the one asked did not answer in time"
        case 500..<600: "the server failed"
        default: "no class of its own: it counts as a failure of the server"
        }
    }
}
