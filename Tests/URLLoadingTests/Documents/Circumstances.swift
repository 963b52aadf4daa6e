import Glibc
import HTTPClient
import HTTPMessage
import NetworkProbes
import Replay
import System
import Transport
import URLLoading

/// A step of a load at which something may happen to it.
enum Phase: String, CaseIterable, Sendable {
    case resolve, connect, tls, firstOctet, content
}

/// A server that does something to a load at one of its steps, and the way to it.
struct Circumstances {
    /// What happens.
    enum Event { case failure, silence }

    let stage: Stage
    let uri: URI
    let configuration: SessionConfiguration
    private let holds: [any Sendable]
    /// The names that were looked for, and connections that were made: the load is at the step once one is there.
    let isReached: @Sendable () -> Bool

    init(_ event: Event, at phase: Phase) throws {
        var configuration = try Stage { _ in [] }.configuration
        let isAsked = Box(false)
        let isOpen = Box(false)
        var holds: [any Sendable] = []
        var reached: @Sendable () -> Bool = { isAsked.value }
        let last: Script.Step = event == .failure ? .close : .stall
        let stage: Stage
        var address: String?
        switch phase {
        case .resolve:
            stage = try Stage { _ in [] }
            address = "http://name.test/"
            configuration.client.asking = { _, _ in
                isAsked.set(true)
                if event == .silence { for _ in 0..<5000 where !isOpen.value { usleep(1000) } }
                return .failure("no such name")
            }
            holds.append(Opener(isOpen))
        case .connect:
            stage = try Stage { _ in [] }
            let full = try FullListener()
            holds.append(full)
            address = "http://127.0.0.1:\(try event == .failure ? closedPort() : full.port)/"
            let begin = ContinuousClock.now
            reached = { ContinuousClock.now - begin > .milliseconds(30) }
        case .tls:
            stage = try Stage(
                Script(everyConnection: .init(event == .failure ? [.send("no TLS\r\n"), .close] : [.stall])))
            address = "https://\(stage.server.authority)/"
            reached = { [server = stage.server] in server.connectionCount > 0 }
        case .firstOctet:
            stage = try Stage(Script(everyConnection: .init([.expectHead, last])))
            reached = { [server = stage.server] in !server.requests.isEmpty }
        case .content:
            let head = Stage.head(length: 10, "Cache-Control: no-store", "ETag: \"v1\"")
            stage = try Stage(Script(everyConnection: .init([.expectHead, head, .send("begun"), last])))
            reached = { [server = stage.server] in !server.requests.isEmpty }
        }
        configuration.temporaryDirectory = stage.temporaryPath
        self.stage = stage
        uri = try address.map { (text) throws(URIError) in try URI(parsing: text) } ?? stage.uri()
        self.configuration = configuration
        self.holds = holds
        isReached = reached
    }

    /// Lets a look-up that is held end when the test does.
    private final class Opener: Sendable {
        private let isOpen: Box<Bool>
        init(_ isOpen: Box<Bool>) { self.isOpen = isOpen }
        deinit { isOpen.set(true) }
    }
}
