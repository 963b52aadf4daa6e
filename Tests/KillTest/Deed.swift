import Replay

/// What the server does with one request instead of answering it well. Numbers are random; each deed takes what it needs
/// of them.
enum Deed: Hashable, Sendable {
    // Honest, but a nuisance.
    case cut(UInt64)
    case reset(UInt64)
    case stall(UInt64)
    /// The range ends sooner than asked for, as its Content-Range says (RFC 9110, section 15.3.7).
    case shorterRange(UInt64)
    /// The whole file for a range (RFC 9110, section 14.2).
    case wholeFile
    /// 503 with text; only where the client is told to save no errors.
    case unavailable

    // Lies.
    /// Another part than that asked for.
    case otherStart(UInt64)
    /// Another length of the whole file.
    case otherTotal(UInt64)
    case noContentRange
    /// The octets of another version, without its validators.
    case otherVersion
    /// 206 with the new version and its validators, though If-Range names another one.
    case ignoredCondition
    /// 416, with a length that is not that of the file.
    case unsatisfiable(UInt64)
    case multipart
    /// A Content-Length that is not that of the Content-Range.
    case otherLength(UInt64)
    /// 206 for a request of the whole file.
    case unaskedPart(UInt64)

    /// Its name in the summary.
    var name: String {
        switch self {
        case .cut: "cut"
        case .reset: "reset"
        case .stall: "stall"
        case .shorterRange: "shorter range"
        case .wholeFile: "whole file for a range"
        case .unavailable: "503"
        case .otherStart: "other start"
        case .otherTotal: "other total"
        case .noContentRange: "no Content-Range"
        case .otherVersion: "other version"
        case .ignoredCondition: "If-Range ignored"
        case .unsatisfiable: "odd 416"
        case .multipart: "multipart"
        case .otherLength: "other length"
        case .unaskedPart: "part not asked for"
        }
    }

    /// Whether it says what is not so.
    var isLie: Bool {
        switch self {
        case .cut, .reset, .stall, .shorterRange, .wholeFile, .unavailable: false
        case .otherStart, .otherTotal, .noContentRange, .otherVersion, .ignoredCondition, .unsatisfiable,
            .multipart, .otherLength, .unaskedPart:
            true
        }
    }

    /// Whether it is for a client that has nothing yet.
    var isForBeginnings: Bool { if case .unaskedPart = self { true } else { false } }

    /// Whether a client that believes it for a while has to start over when it hears the truth.
    var tellsOtherTotal: Bool { if case .otherTotal = self { true } else { false } }

    /// Whether the client has to end the wait itself.
    var isSilence: Bool { if case .stall = self { true } else { false } }

    /// One that ends the answer early.
    static func breaking(_ generator: inout SplitMix64) -> Deed {
        let number = generator.next()
        switch generator.number(in: 0..<5) {
        case 0, 1: return .cut(number)
        case 2, 3: return .reset(number)
        default: return .stall(number)
        }
    }

    /// One of the others.
    static func odd(_ generator: inout SplitMix64, mayBeError: Bool) -> Deed {
        let number = generator.next()
        switch generator.number(in: 0..<(mayBeError ? 19 : 18)) {
        case 0: return .shorterRange(number)
        case 1: return .wholeFile
        case 2, 3: return .otherStart(number)
        case 4, 5: return .otherTotal(number)
        case 6: return .noContentRange
        case 7, 8, 9: return .otherVersion
        case 10, 11, 12: return .ignoredCondition
        case 13, 14: return .unsatisfiable(number)
        case 15: return .multipart
        case 16: return .otherLength(number)
        case 17: return .unaskedPart(number)
        default: return .unavailable
        }
    }
}
