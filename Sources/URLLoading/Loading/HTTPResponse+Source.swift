import HTTPMessage

extension HTTPResponse {
    /// The response, with where it came from and what was asked for first.
    func from(_ uri: URI, asked: URI) -> HTTPResponse {
        var response = self
        response.noteSource(uri, requestedAs: asked)
        return response
    }
}
