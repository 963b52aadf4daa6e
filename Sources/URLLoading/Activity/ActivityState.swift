import System

/// When a sign of network activity is to be seen (D24), by counts and instants alone.
///
/// ```text
///            begin                        activationDelay, something active
///   idle ─────────────► activating ──────────────────────────────────────► visible
///     ▲                      │                                                │
///     └──────────────────────┴──────── nothing active for completionDelay ────┘
/// ```
///
/// A gap shorter than the completion delay interrupts no activity: one request after another shows the sign as one long
/// request does, without flicker. While nothing is active the sign does not appear.
struct ActivityState: Sendable {
    private enum Phase: Sendable {
        case idle
        /// Active since then; `quiet` since nothing is.
        case activating(since: Instant, quiet: Instant?)
        case visible(quiet: Instant?)
    }

    /// How long something has to be active before the sign appears.
    var activationDelay: Duration
    /// How long nothing may be active before it goes away.
    var completionDelay: Duration
    /// How many activities there are, counted whether enabled or not.
    private(set) var count = 0
    private(set) var isEnabled = false
    private var phase = Phase.idle

    init(activationDelay: Duration, completionDelay: Duration) {
        self.activationDelay = activationDelay
        self.completionDelay = completionDelay
    }

    /// Whether the sign is to be seen.
    var isVisible: Bool {
        if case .visible = phase { true } else { false }
    }

    /// When time alone changes something; `nil` when it does not.
    var nextChange: Instant? {
        switch phase {
        case .idle, .visible(quiet: nil): nil
        case .activating(let since, quiet: nil): since + activationDelay
        case .activating(_, let quiet?), .visible(let quiet?): quiet + completionDelay
        }
    }

    /// Time has gone on.
    mutating func advance(to now: Instant) {
        guard let nextChange, nextChange <= now else { return }
        if case .activating(_, quiet: nil) = phase { phase = .visible(quiet: nil) } else { phase = .idle }
    }

    /// One activity more.
    mutating func begin(at now: Instant) {
        advance(to: now)
        count += 1
        guard isEnabled else { return }
        switch phase {
        case .idle: phase = .activating(since: now, quiet: nil)
        case .activating(let since, _): phase = .activating(since: since, quiet: nil)
        case .visible: phase = .visible(quiet: nil)
        }
        advance(to: now)
    }

    /// One activity less. Where there is none, nothing changes.
    mutating func end(at now: Instant) {
        advance(to: now)
        guard count > 0 else { return }
        count -= 1
        guard count == 0 else { return }
        switch phase {
        case .idle: break
        case .activating(let since, _): phase = .activating(since: since, quiet: now)
        case .visible: phase = .visible(quiet: now)
        }
        advance(to: now)
    }

    /// The switch. What is active when it is turned on counts from then on; turned off, the sign goes away at once.
    mutating func setEnabled(_ isOn: Bool, at now: Instant) {
        guard isOn != isEnabled else { return }
        isEnabled = isOn
        phase = isOn && count > 0 ? .activating(since: now, quiet: nil) : .idle
        advance(to: now)
    }
}
