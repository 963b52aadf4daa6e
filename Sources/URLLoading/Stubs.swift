public import HTTPMessage
extension HTTPResponse {
    public var uri: URI? { nil }
    func from(_ uri: URI, asked: URI) -> HTTPResponse { self }
}
struct Challenge {
    var scheme: String; var realm: String?;
    static func all(in f: HTTPFields, of n: FieldName) -> [Challenge] { [] }
}
extension FieldName { static var wwwAuthenticate: FieldName { .accept } }
final class ActivityIndicator: Sendable {
    static let shared = ActivityIndicator(); func incrementActivityCount() {};
    func decrementActivityCount() {}
}
