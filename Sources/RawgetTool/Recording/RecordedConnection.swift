import HTTPClient
import HTTPMessage
import Transport

/// What happened on one connection, as its tap was told.
@NetworkActor
final class RecordedConnection: ConnectionTap {
    /// What happened.
    nonisolated enum Event: Hashable, Sendable {
        case sent([UInt8])
        case received([UInt8])
        case ended
        case broke(TransportError.Reason)
        case closed
    }

    /// For whom it was opened.
    let origin: Origin
    /// Its place among those of the run that stood, from 0; `nil` where it never did.
    private(set) var number: Int?
    /// What made it fail before anything could be sent.
    private(set) var failure: TransportError.Reason?
    /// What happened before what is still growing.
    private var earlier: [Event] = []
    /// The octets of the present direction; apart, so that they grow in place.
    private var octets: [UInt8] = []
    private var isSending = false
    private(set) var isSecured = false
    /// Whether it stands while another one to the same origin does.
    var hasCompany = false
    private let recorder: Recorder

    init(_ origin: Origin, _ recorder: Recorder) {
        self.origin = origin
        self.recorder = recorder
    }

    /// What happened, octets of one direction in one piece.
    var events: [Event] {
        octets.isEmpty ? earlier : earlier + [isSending ? .sent(octets) : .received(octets)]
    }

    private func end() {
        earlier = events
        octets = []
    }

    private func add(_ event: Event) {
        end()
        earlier.append(event)
    }

    /// Forgets all octets.
    func drop() {
        earlier = []
        octets = []
    }

    func opened(_ remote: SocketAddress?) {
        number = recorder.connectionOpened(self)
    }

    func secured(_ summary: TLSSummary) { isSecured = true }

    func failed(_ error: TransportError) { failure = error.reason }

    func sent(_ octets: ArraySlice<UInt8>) {
        guard recorder.admits(octets.count) else { return }
        if !isSending { end() }
        isSending = true
        self.octets += octets
    }

    func received(_ octets: Span<UInt8>) {
        guard recorder.admits(octets.count) else { return }
        if isSending { end() }
        isSending = false
        self.octets.append(copying: octets)
    }

    func ended() { add(.ended) }

    func broke(_ error: TransportError) { add(.broke(error.reason)) }

    func closed() {
        add(.closed)
        recorder.connectionClosed(self)
    }
}
