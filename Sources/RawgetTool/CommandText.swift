/// The octets that URLs and outputs of a command line stand in: a list of ten thousand costs the file it came from
/// and a few numbers for each, not two Strings.
struct CommandText: Hashable, Sendable {
    /// Where one text stands.
    struct Piece: Hashable, Sendable {
        fileprivate var source: UInt32
        fileprivate var start: UInt32
        fileprivate var count: UInt32

        /// Stands where there is no text. An optional would need metadata that is made at run time: every start
        /// would pay some 30 µs for it.
        static let absent = Piece(source: .max, start: 0, count: 0)
        /// Stands where it was said that there is none.
        static let refused = Piece(source: .max, start: 0, count: 1)

        /// Whether it is a text, not what stands in the place of one.
        var isText: Bool { source != .max }
    }

    /// How much there may be in all, what is added included: offsets have 32 bits.
    static let maximumSize = Int(UInt32.max / 2)

    // What is added text by text is source 0; files taken whole follow. Apart, since an array of arrays costs a
    // start that reads no file for nothing.
    private var added: [UInt8] = []
    private var files: [[UInt8]] = []

    /// The octets kept.
    var size: Int { files.reduce(added.count) { $0 + $1.count } }

    /// The text of `piece`, which is UTF-8: the parser refuses what is not.
    func string(_ piece: Piece) -> String {
        String(decoding: octets(piece), as: UTF8.self)
    }

    /// The octets of `piece`, as they were given.
    func octets(_ piece: Piece) -> ArraySlice<UInt8> {
        guard piece != .absent else { return [] }
        let start = Int(piece.start)
        let range = start..<start + Int(piece.count)
        return piece.source == 0 ? added[range] : files[Int(piece.source) - 1][range]
    }

    /// Adds one text.
    mutating func add(_ octets: some Collection<UInt8>) -> Piece {
        let piece = Piece(source: 0, start: UInt32(added.count), count: UInt32(octets.count))
        added.append(contentsOf: octets)
        return piece
    }

    /// Adds one text.
    mutating func add(_ text: String) -> Piece { add(text.utf8) }

    /// Takes over a file; its number is for `piece(in:at:)`.
    mutating func addSource(_ octets: [UInt8]) -> Int {
        files.append(octets)
        return files.count
    }

    /// The file `number`, in the order in which they were taken over, from 1.
    func source(_ number: Int) -> [UInt8]? { files.indices.contains(number - 1) ? files[number - 1] : nil }

    /// A part of a source taken over.
    func piece(in source: Int, at range: Range<Int>) -> Piece {
        Piece(source: UInt32(source), start: UInt32(range.lowerBound), count: UInt32(range.count))
    }
}
