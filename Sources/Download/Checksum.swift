public import System

/// The digest that a person says a download has.
public struct Checksum: Hashable, Sendable {
    /// How it is computed.
    public let algorithm: MessageDigest.Algorithm
    /// As many octets as the algorithm gives.
    public let value: [UInt8]

    /// Reads `ALGORITHM:HEX` as in `sha-256:9f86d0…`: md5, sha-1, sha-224, sha-256, sha-384 or sha-512, with or without the
    /// hyphen, in any case.
    public init(parsing text: String) throws(ChecksumError) {
        guard let colon = text.firstIndex(of: ":") else { throw .noAlgorithm }
        let name = text[..<colon]
        let plain = name.lowercased().filter { $0 != "-" }
        guard
            let algorithm = MessageDigest.Algorithm.allCases.first(where: {
                $0.rawValue.filter { $0 != "-" } == plain
            })
        else { throw .unknownAlgorithm(String(name)) }
        let digits = text[text.index(after: colon)...].utf8
        let numbers = digits.compactMap(Checksum.number)
        guard numbers.count == digits.count else { throw .notHex }
        guard digits.count == algorithm.digestLength * 2 else {
            throw .wrongLength(algorithm, digits: digits.count)
        }
        self.algorithm = algorithm
        value = stride(from: 0, to: numbers.count, by: 2).map { numbers[$0] << 4 | numbers[$0 + 1] }
    }

    /// Whether other content with this digest can be made by whoever wants to: it finds accidents alone.
    public var isInsecure: Bool { algorithm == .md5 || algorithm == .sha1 }

    private static func number(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - 0x30
        case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"):
            (digit | 0x20) - 0x57
        default: nil
        }
    }

    /// Two digits an octet, in lower case.
    static func hex(_ octets: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(
            decoding: octets.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}

extension Checksum: CustomStringConvertible {
    /// As it is read, such as `sha-256:9f86d0…`.
    public var description: String { "\(algorithm):\(Checksum.hex(value))" }
}

/// Why a text is no checksum; the description is one clause for whoever wrote it.
public enum ChecksumError: Error, Hashable, Sendable {
    /// There is no colon.
    case noAlgorithm
    /// What stands before the colon is no algorithm.
    case unknownAlgorithm(String)
    /// What stands behind the colon has other characters than hex digits.
    case notHex
    /// So many digits are too many or too few.
    case wrongLength(MessageDigest.Algorithm, digits: Int)
}

extension ChecksumError: CustomStringConvertible {
    /// One clause for a person.
    public var description: String {
        switch self {
        case .noAlgorithm: "an algorithm comes first, as in sha-256:HEX"
        case .unknownAlgorithm(let name):
            "\(name) is none of \(MessageDigest.Algorithm.allCases.map(\.rawValue).joined(separator: ", "))"
        case .notHex: "a digest has the digits 0 to 9 and a to f alone"
        case .wrongLength(let algorithm, let digits):
            "\(algorithm) has \(algorithm.digestLength * 2) hex digits, not \(digits)"
        }
    }
}
