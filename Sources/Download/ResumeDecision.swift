package import HTTPMessage

/// What becomes of an answer to the request for the rest of a representation: the table that keeps octets of two versions
/// apart (RFC 9110, sections 13.1.5, 14 and 15.3.7.3).
package enum ResumeDecision: Hashable, Sendable {
    /// The content goes behind what is here: `count` octets.
    case goOn(count: UInt64)
    /// The content is the representation from its first octet on; what is here is of no use any more.
    case startOver
    /// The answer is of no use: the whole must be asked for, without Range.
    case askForWhole(Mismatch)
    /// What is here is all there is.
    case complete
    /// Nothing can be done: what is here stays as it is.
    case fail(Refusal)

    /// Who wants the rest.
    package enum Manner: Hashable, Sendable {
        /// The command by itself: only what is proved to be the same version is put together.
        case automatic
        /// A person, by `-C`: where nothing is known of the version, its word counts.
        case asked
        /// A person who wants curl's way: what is no rest is a failure.
        case asCurl
    }

    /// Why an answer is not the rest.
    package enum Mismatch: Hashable, Sendable {
        case otherRange(String)
        case noContentRange
        case severalParts
        case otherLength(UInt64, not: UInt64)
        case otherValidator
        case noValidator
        case otherCoding
        case otherResource
        /// Status 416, and the length is not that of what is here.
        case unsatisfiable(completeLength: UInt64?)
        /// The octets asked for a second time are not the same.
        case otherOctets
    }

    /// Why there is no rest.
    package enum Refusal: Hashable, Sendable {
        case errorStatus
        /// Neither content nor an error: a redirect that is not followed, for one.
        case otherStatus
        case rangeIgnored
        case otherRange
        /// More is here than the representation has.
        case tooLong(completeLength: UInt64)
    }

    /// What becomes of `answer`, which came from `source`, to a request for the octets from `first` on. `part` is here.
    /// `isNext`: the last answer has just brought the end of that.
    package init(
        on answer: HTTPResponse, from source: URI, toRequestFrom first: UInt64,
        having part: PartialRepresentation, _ manner: Manner, isNext: Bool = false
    ) {
        switch answer.status {
        case .partialContent:
            self = ResumeDecision.onPart(answer, from: source, first, part, manner)
        case .rangeNotSatisfiable:
            self = ResumeDecision.onUnsatisfiable(answer, from: source, part, manner, isNext: isNext)
        // Nothing is here that could be harmed: any answer is as good as to any request.
        case _ where part.length == 0: self = .startOver
        case .ok where manner != .asCurl: self = .startOver
        case .ok where answer.fields[.contentLength] == String(part.length): self = .complete
        case _ where manner == .asCurl: self = .fail(.rangeIgnored)
        case _ where answer.status.isFailure: self = .fail(.errorStatus)
        default: self = .fail(.otherStatus)
        }
    }

    /// Status 206 (section 15.3.7).
    private static func onPart(
        _ answer: HTTPResponse, from source: URI, _ first: UInt64, _ part: PartialRepresentation,
        _ manner: Manner
    ) -> ResumeDecision {
        func mismatch(_ mismatch: Mismatch) -> ResumeDecision {
            manner == .asCurl ? .fail(.otherRange) : .askForWhole(mismatch)
        }
        guard !answer.isMultipart else { return mismatch(.severalParts) }
        guard let range = answer.contentRange, let offsets = range.offsets else {
            return mismatch(.noContentRange)
        }
        guard offsets.lowerBound == first else {
            // Everything is a part, too.
            if manner != .asCurl, offsets.lowerBound == 0, offsets.upperBound == range.completeLength {
                return .startOver
            }
            return mismatch(.otherRange("\(range)"))
        }
        if part.length > 0 {
            if let length = range.completeLength, let known = part.completeLength, length != known {
                return mismatch(.otherLength(length, not: known))
            }
            // It names no length, and goes past the one that is known.
            if let known = part.completeLength, offsets.upperBound > known {
                return mismatch(.otherLength(offsets.upperBound, not: known))
            }
            if let change = change(answer, from: source, part, manner) { return mismatch(change) }
        }
        return .goOn(count: offsets.upperBound - offsets.lowerBound)
    }

    /// How the answer shows that it belongs to another version than what is here; `nil` where it does not.
    private static func change(
        _ answer: HTTPResponse, from source: URI, _ part: PartialRepresentation, _ manner: Manner
    ) -> Mismatch? {
        // Where no validator is known, nothing is to be compared: only a person's word leads on.
        guard let validator = part.validator else { return manner == .automatic ? .noValidator : nil }
        if let known = part.source, known != source.resource { return .otherResource }
        // A server that knows nothing of If-Range may answer with the rest of any version.
        let values = answer.validators(like: validator)
        guard !values.isEmpty else { return .noValidator }
        guard values == [validator] else { return .otherValidator }
        guard answer.fields[.contentEncoding] == part.coding else { return .otherCoding }
        return nil
    }

    /// Status 416 (section 15.5.17).
    private static func onUnsatisfiable(
        _ answer: HTTPResponse, from source: URI, _ part: PartialRepresentation, _ manner: Manner,
        isNext: Bool
    ) -> ResumeDecision {
        let length = answer.contentRange?.unsatisfiedLength
        // It began where the last answer ended, and nobody has said how long the whole is: this is how it is found out.
        if isNext, part.length > 0, length == nil, part.completeLength == nil { return .complete }
        // No octet of an empty representation can be asked for: what it is called and dated the whole answer tells.
        guard part.length > 0 else { return .askForWhole(.unsatisfiable(completeLength: length)) }
        // curl takes it that the file is whole, whatever the server says of its length.
        guard manner != .asCurl else { return .complete }
        if manner == .asked, part.validator == nil, let length, length < part.length {
            return .fail(.tooLong(completeLength: length))
        }
        guard length == part.length, part.completeLength ?? part.length == part.length else {
            return .askForWhole(.unsatisfiable(completeLength: length))
        }
        guard let validator = part.validator else {
            return manner == .automatic ? .askForWhole(.noValidator) : .complete
        }
        if let known = part.source, known != source.resource { return .askForWhole(.otherResource) }
        // An answer without content need not name the version; one that names another speaks of that.
        let values = answer.validators(like: validator)
        return values.isEmpty || values == [validator] ? .complete : .askForWhole(.otherValidator)
    }
}

extension HTTPResponse {
    /// The values of the field that `validator` comes from: compared octet for octet, as the server has to compare If-Range;
    /// what is strong in both is the same.
    fileprivate func validators(like validator: String) -> [String] {
        fields.values(of: validator.hasPrefix("\"") ? .etag : .lastModified)
    }
}

extension ContentRange {
    /// The complete length, where no range is told with it.
    fileprivate var unsatisfiedLength: UInt64? {
        if case .unsatisfied(let length) = self { length } else { nil }
    }
}

extension ResumeDecision.Mismatch: CustomStringConvertible {
    /// One clause for a person.
    package var description: String {
        switch self {
        case .otherRange(let range): "the server sent \(range) in place of the rest"
        case .noContentRange: "the server sent a part without saying which"
        case .severalParts: "the server sent several parts in place of the rest"
        case .otherLength(let length, let known): "it has \(length) octets now, not \(known)"
        case .otherValidator: "it has changed"
        case .noValidator: "the server sent a part without saying of which version"
        case .otherCoding: "its content coding has changed"
        case .otherResource: "it comes from another address now"
        case .unsatisfiable(let length):
            length.map { "the server says that it has \($0) octets" }
                ?? "the server says that there is no such range"
        case .otherOctets: "the octets asked for again are not the same"
        }
    }
}
