import HTTPMessage

/// What a freshness lifetime comes from, in the order in which it is looked for (RFC 9111, section 4.2.1).
package enum FreshnessBasis: String, Hashable, Sendable {
    case maxAge = "max-age"
    case expires = "Expires"
    /// A part of the time since Last-Modified (section 4.2.2).
    case heuristic
    case none
}

/// How long a response is fresh, and what it says of its use afterwards (RFC 9111, section 4.2).
struct Freshness: Sendable {
    /// Longest lifetime that is guessed: seven days.
    static let longestGuess: Int64 = 7 * 86400

    /// Seconds; negative where it was stale when it was made.
    let lifetime: Int64
    let basis: FreshnessBasis
    /// `no-cache`, for the whole response: it is validated before each use (section 5.2.2.4).
    let needsValidation: Bool
    /// `must-revalidate`: once stale it is validated before each use (section 5.2.2.2).
    let mustRevalidate: Bool
    /// While it is fresh, a reload changes nothing (RFC 8246).
    let isImmutable: Bool
    /// Seconds behind the lifetime in which it may be used while it is validated (RFC 5861, section 3).
    let staleWhileRevalidate: Int64
    /// Seconds behind the lifetime in which it may take the place of an error; `nil` where that is not said (RFC 5861,
    /// section 4).
    let staleIfError: Int64?

    /// What a response says that came at that date.
    init(of response: HTTPResponse, _ control: CacheControl, receivedAt received: HTTPDate) {
        needsValidation = control.contains(.noCache) && control.fieldNames(of: .noCache) == nil
        mustRevalidate = control.contains(.mustRevalidate)
        isImmutable = control.contains(.immutable)
        staleWhileRevalidate = control.grace(.staleWhileRevalidate) ?? 0
        staleIfError = control.grace(.staleIfError)
        let date = response.date(receivedAt: received) ?? received
        if let maximum = control.seconds(.maxAge) {
            basis = .maxAge
            // What is invalid is stale (section 4.2.1).
            if case .seconds(let seconds) = maximum { lifetime = seconds } else { lifetime = 0 }
        } else if response.fields.contains(.expires) {
            basis = .expires
            // Of two lines none counts, and an invalid date is in the past (sections 4.2.1 and 5.3).
            let lines = response.fields.values(of: .expires)
            let expires = lines.count == 1 ? HTTPDate(parsing: lines[0], now: received) : nil
            lifetime = expires?.seconds(since: date) ?? 0
        } else if response.status.allowsHeuristics || control.contains(.public),
            let modified = response.lastModified(receivedAt: received), modified < date
        {
            basis = .heuristic
            lifetime = min(date.seconds(since: modified) / 10, Freshness.longestGuess)
        } else {
            basis = .none
            lifetime = 0
        }
    }
}

extension CacheControl {
    /// The seconds of a directive that lengthens the use of what is stale: none where they cannot be read, `nil` where
    /// there is no such directive.
    func grace(_ name: Name) -> Int64? {
        guard let time = seconds(name) else { return nil }
        return if case .seconds(let seconds) = time { seconds } else { 0 }
    }
}

extension HTTPStatus {
    /// Statuses whose freshness may be guessed (RFC 9110, section 15.1).
    var allowsHeuristics: Bool {
        switch code {
        case 200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501: true
        default: false
        }
    }

    /// Statuses of RFC 9110, section 15, and others whose demands on caches are known and met: for `must-understand`
    /// (RFC 9111, section 5.2.2.3).
    var isUnderstood: Bool {
        switch code {
        case 200...206, 300...304, 307, 308, 400...417, 421, 422, 426, 428, 429, 431, 451, 500...505, 511:
            true
        default: false
        }
    }
}

extension HTTPResponse {
    /// The Date; `nil` where there is none, or none that is valid.
    func date(receivedAt now: HTTPDate) -> HTTPDate? { date(.date, now) }

    /// The Last-Modified; `nil` where there is none, or none that is valid.
    func lastModified(receivedAt now: HTTPDate) -> HTTPDate? { date(.lastModified, now) }

    private func date(_ name: FieldName, _ now: HTTPDate) -> HTTPDate? {
        fields.single(name).flatMap { HTTPDate(parsing: $0, now: now) }
    }

    /// The ETag; `nil` where there is none, or none that is valid. Of two nobody knows which one it is.
    var entityTag: EntityTag? { fields.single(.etag).flatMap { EntityTag(parsing: $0) } }
}

extension HTTPFields {
    /// The value of the first line of that name.
    func first(_ name: FieldName) -> String? { index(of: name, from: 0).map { self[$0].value } }
}
