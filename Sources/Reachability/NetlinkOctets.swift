/// Octets of netlink, in the order of this machine. Every read is checked: a length that does not fit is no value.
struct NetlinkOctets {
    private let octets: ArraySlice<UInt8>

    init(_ octets: ArraySlice<UInt8>) { self.octets = octets }

    var count: Int { octets.count }

    /// All of them.
    var all: [UInt8] { Array(octets) }

    /// The octets from `offset` to `end`; none where there are not so many.
    func part(_ offset: Int, to end: Int) -> NetlinkOctets {
        guard 0 <= offset, offset <= end, end <= count else { return NetlinkOctets([]) }
        return NetlinkOctets(octets[octets.startIndex + offset..<octets.startIndex + end])
    }

    /// The number at `offset`.
    func number<Number: FixedWidthInteger & UnsignedInteger>(at offset: Int) -> Number? {
        let size = Number.bitWidth / 8
        guard offset >= 0, offset <= count - size else { return nil }
        var value: Number = 0
        for place in 0..<size {
            value |= Number(octets[octets.startIndex + offset + place]) << Number(place * 8)
        }
        return Number(littleEndian: value)
    }

    /// The number that they are.
    func number<Number: FixedWidthInteger & UnsignedInteger>() -> Number? { number(at: 0) }

    /// The text before the first NUL.
    var text: String { String(decoding: octets.prefix { $0 != 0 }, as: UTF8.self) }

    /// The attributes from `offset` on, in order; an ill-formed one ends them.
    func attributes(from offset: Int) -> [(type: UInt16, value: NetlinkOctets)] {
        var list: [(type: UInt16, value: NetlinkOctets)] = []
        var offset = offset
        while let length: UInt16 = number(at: offset), let type: UInt16 = number(at: offset + 2) {
            let end = offset + Int(length)
            guard length >= 4, end <= count else { break }
            // The two highest bits say how it is encoded.
            list.append((type & 0x3FFF, part(offset + 4, to: end)))
            offset += Int(length + 3) & ~3
        }
        return list
    }
}

/// One message of netlink: what it is, which question it answers, and where its own octets are.
struct NetlinkMessage {
    var type: UInt16
    var flags: UInt16
    var sequence: UInt32
    var content: NetlinkOctets

    /// Octets of the header of every message.
    static let headerLength = 16

    /// The messages in what one read has brought; an ill-formed one ends them.
    static func all(in octets: ArraySlice<UInt8>) -> [NetlinkMessage] {
        let octets = NetlinkOctets(octets)
        var list: [NetlinkMessage] = []
        var offset = 0
        while let length: UInt32 = octets.number(at: offset),
            let type: UInt16 = octets.number(at: offset + 4),
            let flags: UInt16 = octets.number(at: offset + 6),
            let sequence: UInt32 = octets.number(at: offset + 8)
        {
            guard let length = Int(exactly: length), length >= headerLength, length <= octets.count - offset
            else { break }
            list.append(
                NetlinkMessage(
                    type: type, flags: flags, sequence: sequence,
                    content: octets.part(offset + headerLength, to: offset + length)))
            offset += (length + 3) & ~3
        }
        return list
    }
}

extension NetlinkMessage {
    /// Types of messages that are not those of a question.
    static let error: UInt16 = 2
    static let done: UInt16 = 3

    /// Something has changed while the answer was given: parts of it may not fit.
    var isInterrupted: Bool { flags & 0x10 != 0 }

    /// The errno in an `error`, or at the end of an answer; 0 means that all is well.
    var errorNumber: Int32 {
        guard let number: UInt32 = content.number() else { return 0 }
        return Int32(bitPattern: 0 &- number)
    }
}
