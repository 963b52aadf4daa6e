import HTTPCache

extension CachePolicy {
    /// What each policy does, for `--help cache-policy`.
    static var help: String {
        allCases.map { "\($0.rawValue): \($0.meaning)." }.joined(separator: " ")
            + " Answers that come are kept under each of them, as far as RFC 9111 allows. -v tells what was done."
    }

    private var meaning: String {
        switch self {
        case .useProtocolCachePolicy: "Cache-Control and the other fields decide"
        case .reloadIgnoringLocalCacheData: "the server is asked, whatever is kept"
        case .reloadIgnoringLocalAndRemoteCacheData:
            "the same, and caches on the way are told by Cache-Control: no-cache"
        case .returnCacheDataElseLoad: "what is kept, whatever its age, else the server is asked"
        case .returnCacheDataDontLoad:
            "what is kept, whatever its age, else exit 121: the server is never asked"
        case .reloadRevalidatingCacheData: "what is kept is validated, by Cache-Control: max-age=0"
        }
    }
}
