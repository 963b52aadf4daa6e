import Replay

/// One version of the file that the server has: content that its seed determines, so that a part of one version is never
/// a part of another.
struct FileVersion: Sendable {
    let content: GeneratedContent
    let size: UInt64
    let validators: Validators
}

/// The fields by which a client can tell versions apart, or not.
struct Validators: Hashable, Sendable {
    /// What a round's server gives with the file.
    enum Kind: CaseIterable, Hashable, Sendable {
        /// A strong entity tag, another one for each version.
        case strongTag
        /// The same with a Last-Modified that all versions share.
        case strongTagWithSharedDate
        /// A weak entity tag, the same for all versions: they mean the same (RFC 9110, section 8.8.1).
        case weakTag
        /// Only a Last-Modified, long ago and another one for each version: strong (RFC 9110, section 8.8.2.2).
        case oldDate
        /// Only a Last-Modified in the second of the answer, the same for all versions: weak.
        case freshDate
        case none

        var hasStrongTag: Bool { self == .strongTag || self == .strongTagWithSharedDate }
    }

    var entityTag: String?
    var lastModified: String?
    /// The value of If-Range with which a client may ask for a part of this version; `nil`: with none
    /// (RFC 9110, section 13.1.5).
    var condition: String?

    /// The time of every answer.
    static let now = "Tue, 01 Jul 2025 12:00:00 GMT"
    private static let days = ["Sun, 01", "Mon, 02", "Tue, 03", "Wed, 04"]

    init(_ kind: Kind, version: Int, seed: UInt64) {
        let day = "\(Validators.days[version % Validators.days.count]) Jun 2025 12:00:00 GMT"
        switch kind {
        case .strongTag, .strongTagWithSharedDate:
            entityTag = "\"v\(version)-\(String(seed, radix: 16))\""
            condition = entityTag
            lastModified = kind == .strongTag ? nil : Validators.now
        case .weakTag:
            entityTag = "W/\"any\""
            lastModified = day
        case .oldDate:
            lastModified = day
            condition = day
        case .freshDate:
            lastModified = Validators.now
        case .none:
            break
        }
    }

    /// The field lines.
    var fields: [String] {
        (entityTag.map { ["ETag: \($0)"] } ?? []) + (lastModified.map { ["Last-Modified: \($0)"] } ?? [])
    }
}
