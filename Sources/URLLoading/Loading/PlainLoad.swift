import Download
import HTTPClient
import HTTPMessage
import Transport

/// A load whose content is wanted whole and in memory, and about which nobody is asked.
@NetworkActor
final class PlainLoad: LoadFollower {
    private let load: Load
    private let target: CollectingTarget
    private var activity = ActivityCount()
    private var isRunning = false
    private var response: HTTPResponse?
    private let progress: (@NetworkActor (TransferProgress) -> Void)?

    /// A load of `request` by the client of `session`. `progress` is told how far it is.
    init(
        _ request: LoadRequest, of session: Session, maximumLength: UInt64,
        progress: (@NetworkActor (TransferProgress) -> Void)? = nil
    ) {
        target = CollectingTarget(maximumLength: maximumLength)
        load = Load(request, of: session, to: target)
        self.progress = progress
    }

    /// Runs to the end. Throws why it failed.
    func run() async throws(TransferError) -> (response: HTTPResponse, content: [UInt8]) {
        load.follower = self
        activity.isActive = !load.isSuspended
        isRunning = true
        defer {
            isRunning = false
            activity.isActive = false
        }
        let report = try await load.run()
        return (response ?? report.response, target.octets)
    }

    /// Ends it: it fails as `cancelled`.
    func cancel() { load.cancel() }

    /// Whether it is held.
    var isSuspended: Bool {
        get { load.isSuspended }
        set {
            load.isSuspended = newValue
            activity.isActive = isRunning && !newValue
        }
    }

    func request(_ request: HTTPRequest, after redirect: HTTPResponse?) async -> HTTPRequest? { request }
    func mayReceive(_ response: HTTPResponse) async -> Bool {
        self.response = response
        return true
    }
    func mayStore(_ response: HTTPResponse) async -> Bool { true }
    func answer(_ challenge: AuthenticationChallenge) async -> AuthenticationAnswer {
        .performDefaultHandling
    }
    func observe(_ event: TransferEvent) {}
    func willSend(_ request: HTTPRequest) {}
    func hasReceived(_ progress: TransferProgress) { self.progress?(progress) }
    func goesOn(_ response: HTTPResponse, at offset: UInt64, of total: UInt64?) {}
}

extension Load {
    /// A load into memory by the client of `session`.
    convenience init(_ request: LoadRequest, of session: Session, to target: any LoadTarget) {
        let configuration = session.configuration
        self.init(
            configuration.prepared(request), by: session.core.client, to: target,
            options: configuration.options(for: request, intoMemory: true), deadline: .never)
        if !configuration.allowsCellularAccess || !request.allowsCellularAccess {
            mayConnect = session.core.feed.avoidingCellular
        }
    }
}
