/// The octets that URLs and outputs of a command line stand in: a list of ten thousand costs the file it came from
/// and a few numbers for each, not two Strings.
struct CommandText: Hashable, Sendable {
    /// Where one text stands.
    struct Piece: Hashable, Sendable {
        fileprivate var source: UInt32
        fileprivate var start: UInt32
        fileprivate var count: UInt32
    }

    /// The octets of one source are all it may have: offsets have 32 bits.
    static let maximumSourceSize = Int(UInt32.max)

    // The first holds what is added text by text, the others are files taken whole.
    private var sources: [[UInt8]] = [[]]

    /// The text of `piece`, octets that are no UTF-8 replaced.
    func string(_ piece: Piece) -> String {
        String(decoding: octets(piece), as: UTF8.self)
    }

    /// The octets of `piece`, as they were given.
    func octets(_ piece: Piece) -> ArraySlice<UInt8> {
        let start = Int(piece.start)
        return sources[Int(piece.source)][start..<start + Int(piece.count)]
    }

    /// Whether `piece` is exactly the text.
    func equals(_ piece: Piece, _ text: StaticString) -> Bool {
        octets(piece).elementsEqual(String(describing: text).utf8)
    }

    /// Adds one text.
    mutating func add(_ octets: some Collection<UInt8>) -> Piece {
        let piece = Piece(source: 0, start: UInt32(sources[0].count), count: UInt32(octets.count))
        sources[0].append(contentsOf: octets)
        return piece
    }

    /// Adds one text.
    mutating func add(_ text: String) -> Piece { add(text.utf8) }

    /// Takes over a file; its number is for `piece(in:at:)`.
    mutating func addSource(_ octets: [UInt8]) -> Int {
        sources.append(octets)
        return sources.count - 1
    }

    /// The octets of a source taken over.
    func source(_ number: Int) -> [UInt8] { sources[number] }

    /// A part of a source taken over.
    func piece(in source: Int, at range: Range<Int>) -> Piece {
        Piece(source: UInt32(source), start: UInt32(range.lowerBound), count: UInt32(range.count))
    }
}
