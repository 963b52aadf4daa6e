import HTTPCache
package import HTTPMessage

/// What is here of a representation: its first octets, and what they may be put together with.
package struct PartialRepresentation: Hashable, Sendable {
    /// How many of its first octets are here.
    package var length: UInt64 = 0
    /// How many it has in all, where a server has said so.
    package var completeLength: UInt64?
    /// What names its version, as If-Range has it: a strong entity tag, or a Last-Modified that is strong (RFC 9110,
    /// section 8.8.1). Without one nothing may be put behind what is here (section 15.3.7.3).
    package var validator: String?
    /// Whether that is known of all that is here: a person may have put parts together without it.
    package var isProved = true
    /// Its content codings: the same octets in another coding are another representation.
    package var coding: String?
    /// Where it came from in the end, as a resource: a validator says nothing of another resource.
    package var source: URI?
    /// Whether the server may be asked for ranges.
    package var allowsRanges = true

    /// Nothing.
    package init() {}

    /// What `response` begins, the answer of `source` at the time `now`; none of it is here yet.
    package init(_ response: HTTPResponse, from source: URI, now: HTTPDate) {
        describe(response, from: source, now: now)
        if response.status == .partialContent {
            completeLength = response.contentRange?.completeLength
        } else if let text = response.fields[.contentLength] {
            completeLength = UInt64(text)
        }
    }

    /// Takes over what `response` says of the version.
    mutating func describe(_ response: HTTPResponse, from source: URI, now: HTTPDate) {
        validator = response.strongValidator(receivedAt: now)
        coding = response.fields[.contentEncoding]
        self.source = source.resource
        allowsRanges = AcceptRanges(response.fields).allowsByteRanges
    }

    /// Whether the rest may be asked for without a person's word: it would be known to be the rest of this.
    package var isContinuable: Bool { validator != nil && allowsRanges }

    /// Why nothing can be put behind it; `nil` where something can.
    package var obstacle: String? {
        if !allowsRanges { return "the server takes no ranges" }
        return validator == nil ? "the server named no strong validator" : nil
    }
}

extension URI {
    /// The resource: without userinfo and fragment, and without what of the query only says who may have it and for how
    /// long. Redirects of stores and mirrors are signed anew each time.
    var resource: URI {
        guard let query else { return forResource(query: nil) }
        let kept = query.utf8.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false).filter {
            let name = String(decoding: $0.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self).lowercased()
            return !URI.signatureNames.contains(name)
                && !["x-amz-", "x-goog-", "x-oss-"].contains { name.hasPrefix($0) }
        }
        let text = String(decoding: Array(kept.joined(separator: [UInt8(ascii: "&")])), as: UTF8.self)
        return forResource(query: kept.isEmpty ? nil : text)
    }

    /// Of Azure's shared access signatures, CloudFront, and tokens in general.
    private static let signatureNames: Set<String> = [
        "sv", "st", "se", "sr", "sp", "sig", "spr", "skoid", "sktid", "skt", "ske", "sks", "skv", "expires",
        "signature", "policy", "key-pair-id", "jwt", "token", "awsaccesskeyid",
    ]
}

extension HTTPResponse {
    /// What Content-Range says; `nil` where it is missing, or is not valid.
    package var contentRange: ContentRange? {
        let values = fields.values(of: .contentRange)
        return values.count == 1 ? ContentRange(parsing: values[0]) : nil
    }
}
