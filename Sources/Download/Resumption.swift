/// How a download goes on with what is there already.
public enum Resumption: Hashable, Sendable {
    /// Not at all: no record is read or written.
    case none
    /// By a record beside the part, when a strong validator proves that it is the same version.
    case automatic
    /// With the file of the name itself, as long as it is: `-C -`. Where there is none, as `automatic`.
    case fileSize
    /// From this octet on: `-C OFFSET`. The file, if there is one, must have as many.
    case offset(UInt64)

    /// Whether a person said so.
    var isAsked: Bool {
        switch self {
        case .none, .automatic: false
        case .fileSize, .offset: true
        }
    }
}
