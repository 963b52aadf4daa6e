import Glibc
public import HTTPClient
public import HTTPMessage
import HTTPWire
import Reachability
import System
import Transport

/// Says step by step whether a URL can be reached, as a download would reach it: interface, address and route by what the
/// kernel knows; from the host's addresses to the answer by one transfer.
public struct Probe: Sendable {
    /// How connections are made. Its cache is not asked.
    public var configuration: ClientConfiguration
    /// What is expected of the answer.
    public var expectation = AnswerExpectation()
    /// Limits: 10 s to find the host and connect, 10 s of silence, 30 s in all.
    public var options: TransferOptions
    /// Where the kernel shows what kind each interface is.
    public var interfaceFolder = NetworkState.interfaceFolder
    /// Where the name servers stand (resolv.conf(5)), to name them.
    public var resolverFile = "/etc/resolv.conf"

    /// A probe that connects so.
    public init(_ configuration: ClientConfiguration = ClientConfiguration()) {
        self.configuration = configuration
        self.configuration.cache = nil
        // Nothing is left behind.
        self.configuration.maximumIdleConnections = 0
        options = TransferOptions()
        options.connectTimeout = .seconds(10)
        options.idleTimeout = .seconds(10)
        options.totalTimeout = .seconds(30)
        options.redirects = nil
        options.cachePolicy = nil
    }

    /// Tries `request`; redirects are not followed, and of content no more is read than is expected. Without a request only
    /// interface, address and route are looked at.
    public func run(_ request: HTTPRequest? = nil) async -> ProbeResult {
        await NetworkActor.run { await ProbeRun(self).run(request) }
    }

    /// The name servers, the first three.
    func nameServers() -> [SocketAddress] {
        guard let file = try? File.open(resolverFile, in: File.workingDirectory, flags: O_NONBLOCK),
            let octets = try? File.readSome(16 << 10, from: file.rawValue)
        else { return [] }
        let servers = String(decoding: octets, as: UTF8.self).split(whereSeparator: \.isNewline).compactMap {
            line in
            let words = line.split { $0 == " " || $0 == "\t" }
            return words.count > 1 && words[0] == "nameserver"
                ? SocketAddress(literal: String(words[1]), port: 53) : nil
        }
        return Array(servers.prefix(3))
    }
}
