import HTTPMessage

extension ContentCoding {
    /// The codings of `fields`, in the order in which they were applied. Throws `badContentCoding` for one that is not
    /// known, and for more than `limit`.
    static func codings(in fields: HTTPFields, atMost limit: Int) throws(TransferError) -> [ContentCoding] {
        var codings: [ContentCoding] = []
        for member in CommaList(.contentEncoding, in: fields) {
            let name = String(member)
            switch name.lowercased() {
            // RFC 9110 keeps "identity" out of this field, servers send it all the same; "none" is an old way to say so.
            case "", "identity", "none": continue
            case "gzip", "x-gzip": codings.append(.gzip)
            case "deflate": codings.append(.deflate)
            default:
                throw TransferError(
                    .badContentCoding, during: .content,
                    "the content has the coding \"\(name.prefix(40))\", which is not known here (gzip and deflate are)"
                )
            }
            guard codings.count <= limit else {
                throw TransferError(
                    .badContentCoding, during: .content,
                    "the content has more than the \(limit) codings allowed, one upon another")
            }
        }
        return codings
    }
}
