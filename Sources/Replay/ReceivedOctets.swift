/// Octets that arrived and wait to be used; taking from the front costs what is taken.
struct ReceivedOctets {
    /// What is received is appended here.
    var octets: [UInt8] = []
    private var start = 0

    var count: Int { octets.count - start }
    var isEmpty: Bool { count == 0 }

    /// All that wait.
    var all: ArraySlice<UInt8> { octets[start...] }

    /// The octet at an offset behind the first that waits.
    subscript(offset: Int) -> UInt8 { octets[start + offset] }

    /// The offset of the first octet of this value.
    func offset(of octet: UInt8) -> Int? { all.firstIndex(of: octet).map { $0 - start } }

    /// Takes so many octets, or all where there are fewer.
    mutating func take(_ wanted: Int) -> [UInt8] {
        let taken = Array(all.prefix(wanted))
        start += taken.count
        if start == octets.count {
            octets.removeAll(keepingCapacity: true)
            start = 0
        } else if start > 65_536, start > octets.count / 2 {
            octets.removeFirst(start)
            start = 0
        }
        return taken
    }

    /// Where the first blank line ends that ends at or behind an offset; line ends may be bare.
    func endOfHead(from offset: Int) -> Int? {
        let newline = UInt8(ascii: "\n")
        var index = max(0, offset)
        while index + 1 < count {
            if self[index] == newline {
                if self[index + 1] == newline { return index + 2 }
                if self[index + 1] == UInt8(ascii: "\r"), index + 2 < count, self[index + 2] == newline {
                    return index + 3
                }
            }
            index += 1
        }
        return nil
    }
}
