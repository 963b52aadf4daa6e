/// A name for one file in the folder of the caller's choice, made from what a server or a URI suggests: it
/// can lead nowhere else, hide nothing and be read as no option.
///
/// - Of a path, of either kind of system, only what stands behind the last "/" or "\" counts; a drive ("C:")
///   goes.
/// - Controls, line and paragraph separators and format characters (which can turn the direction of what is
///   shown, or be invisible) go.
/// - No dot, dash or white space stands at the start, no dot or white space at the end, so neither "." nor
///   ".." is left, nothing is hidden and nothing looks like an option.
/// - Characters that only another system refuses (`*?"<>|` and ":" behind more than one letter) stay, as do
///   its names of devices.
/// - It is cut to `maximumOctets` of UTF-8, between characters, before its extension.
public struct FileName: Hashable, Sendable {
    /// The name; never empty.
    public let text: String

    /// The longest name by default: of the 255 octets that Linux allows, 15 are left for `.part` and `.1`.
    public static let defaultMaximumOctets = 240

    /// Reduces `suggested` to a safe name; `nil` when nothing is left of it.
    public init?(suggested: String, maximumOctets: Int = FileName.defaultMaximumOctets) {
        var scalars = Array(suggested.unicodeScalars)[...]
        if let slash = scalars.lastIndex(where: { $0 == "/" || $0 == "\\" }) {
            scalars = scalars[(slash + 1)...]
        }
        scalars.removeAll(where: Self.isUnsafe)
        while true {
            scalars = scalars.drop { $0 == "." || $0 == "-" || $0.properties.isWhitespace }
            guard scalars.count >= 2, scalars[scalars.startIndex + 1] == ":",
                UInt8(exactly: scalars[scalars.startIndex].value)?.isLetter ?? false
            else { break }
            scalars = scalars.dropFirst(2)
        }
        let name = Self.cut(String(Self.withoutEnd(scalars)), maximumOctets: maximumOctets)
        guard !name.isEmpty else { return nil }
        text = name
    }

    /// From `filename*` or `filename`; `nil` when there is neither or nothing is left of it.
    public init?(_ disposition: ContentDisposition, maximumOctets: Int = FileName.defaultMaximumOctets) {
        guard let name = disposition.filename else { return nil }
        self.init(suggested: name, maximumOctets: maximumOctets)
    }

    /// From the last segment of the path, its escapes decoded when that gives UTF-8, else as it stands; `nil`
    /// when the path ends in "/" or nothing is left. The query is no part of the name.
    public init?(_ uri: URI, maximumOctets: Int = FileName.defaultMaximumOctets) {
        guard let segment = uri.lastPathSegment else { return nil }
        let decoded = String(validating: PercentEncoding.decode(segment), as: UTF8.self)
        self.init(suggested: decoded ?? segment, maximumOctets: maximumOctets)
    }

    private init(safe text: String) { self.text = text }

    /// The name with a number behind it, `name.1`, for when the name itself is taken. It may be that much
    /// longer than the limit.
    public func numbered(_ number: Int) -> FileName { FileName(safe: "\(text).\(number)") }

    private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: true
        default: false
        }
    }

    private static func withoutEnd(_ scalars: ArraySlice<Unicode.Scalar>) -> String.UnicodeScalarView {
        let last = scalars.lastIndex { $0 != "." && !$0.properties.isWhitespace }
        return String.UnicodeScalarView(last.map { scalars[...$0] } ?? [])
    }

    // The extension stays whole unless it takes more than half of the room: then it is no extension.
    private static func cut(_ name: String, maximumOctets: Int) -> String {
        guard name.utf8.count > maximumOctets else { return name }
        let scalars = Array(name.unicodeScalars)
        var start = scalars.lastIndex(of: ".") ?? scalars.count
        // `.tar.gz` is one.
        if start >= 4, scalars[start - 4..<start].elementsEqual(".tar".unicodeScalars) { start -= 4 }
        let suffix = String(String.UnicodeScalarView(scalars[start...]))
        if suffix.utf8.count <= maximumOctets / 2 {
            let stem = String(String.UnicodeScalarView(scalars[..<start]))
            let kept = trimmed(prefix(of: stem, octets: maximumOctets - suffix.utf8.count))
            // An extension alone would be a hidden file.
            if !kept.isEmpty { return kept + suffix }
        }
        return trimmed(prefix(of: name, octets: maximumOctets))
    }

    private static func trimmed(_ text: Substring) -> String {
        String(withoutEnd(Array(text.unicodeScalars)[...]))
    }

    /// As many whole characters as fit; when not even the first does, as many scalars.
    private static func prefix(of text: String, octets: Int) -> Substring {
        var count = 0
        var end = text.startIndex
        for index in text.indices {
            count += text[index].utf8.count
            guard count <= octets else { break }
            end = text.index(after: index)
        }
        if end > text.startIndex { return text[..<end] }
        count = 0
        return Substring(
            text.unicodeScalars.prefix { scalar in
                count += UTF8.width(scalar)
                return count <= octets
            })
    }
}

extension FileName: CustomStringConvertible {
    /// The name.
    public var description: String { text }
}
