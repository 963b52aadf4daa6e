/// A placeholder for the interface; the parser follows.
public struct URI: Hashable, Sendable {
    public var scheme: String
}
