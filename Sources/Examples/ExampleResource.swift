/// What the server has from which the examples load. All but `large` are the archive of half a megabyte.
public enum ExampleResource: String, Sendable, CaseIterable {
    /// The documents' archive (D20), which comes in pieces with short rests.
    case archive = "metro_demo使用Highcharts实现图表展示.zip"
    /// The archive, of which the first half comes and then nothing; who asks for the second half gets it.
    case interrupted = "interrupted.zip"
    /// The archive, of which a third comes before the connection ends.
    case cut = "cut.zip"
    /// The archive without a word on its length.
    case unsized = "unsized.zip"
    /// A redirect to the archive.
    case moved = "latest.zip"
    /// No answer at all.
    case silent = "silent.zip"
    /// Content of which nothing is stored in a cache.
    case large = "large.bin"

    /// Octets of its content.
    public var length: Int { self == .large ? 64 << 20 : 592_441 }
}
