import Glibc
import HTTPMessage
import System
import Transport

extension Client {
    /// What opening a connection led to. A class of its own: a generic result costs a start a tenth of all it does.
    private final class Opening {
        var connection: PooledConnection?
        var failure: TransferError?
    }

    struct LeasedConnection {
        var connection: PooledConnection
        var opened: Int
    }

    /// Leases a connection, or opens one.
    func connection(
        for request: HTTPRequest, transfer: Transfer, fresh: Bool, total: Deadline
    ) async throws(TransferError) -> LeasedConnection {
        let origin = request.uri.origin
        let key = ConnectionKey(
            origin: origin, route: configuration.addressMap.route(to: origin),
            isTapped: configuration.tap != nil)
        var holdsTurn = false
        while true {
            let careful = !request.method.isIdempotent
            switch pool.lease(for: key, fresh: fresh, careful: careful, holdsTurn: holdsTurn) {
            case .use(let connection):
                transfer.note(connection)
                if let remote = connection.stream.remoteAddress,
                    !(transfer.hooks.mayConnect?(remote) ?? true)
                {
                    // The way has changed since it was opened.
                    connection.stream.close()
                    pool.closed(key)
                    holdsTurn = false
                    continue
                }
                transfer.observe(.reusing(connection: connection.number))
                return LeasedConnection(connection: connection, opened: 0)
            case .open:
                let opening = Opening()
                await transfer.interruptibly {
                    do throws(TransferError) {
                        opening.connection = try await self.open(key, transfer, total)
                    } catch {
                        opening.failure = error
                    }
                }
                if let connection = opening.connection {
                    transfer.note(connection)
                    return LeasedConnection(connection: connection, opened: 1)
                }
                pool.closed(key)
                throw opening.failure ?? TransferError(.cancelled, during: .connect, "cancelled")
            case .wait:
                transfer.observe(.waitingForConnection)
                let turn = pool.turn(for: key)
                let outcome = await transfer.wait(turn.pause, until: total)
                guard outcome == .ready else {
                    pool.leave(turn, for: key)
                    let reason: TransportError.Reason =
                        outcome == .timedOut ? .timedOut(total.limit, after: total.duration) : .cancelled
                    throw TransferError(
                        TransportError(reason), host: origin.host.description, during: .connect)
                }
                holdsTurn = true
            }
        }
    }

    private func open(
        _ key: ConnectionKey, _ transfer: Transfer, _ total: Deadline
    ) async throws(TransferError) -> PooledConnection {
        let host = key.route.host
        let connectTimeout = transfer.options.connectTimeout
        var phase = TransferError.Phase.resolve
        var tap: (any ConnectionTap)?
        if let origin = key.tappedOrigin { tap = configuration.tap?(origin) }
        do throws(TransportError) {
            let limit = connectTimeout ?? configuration.resolveTimeout
            let resolveDeadline = Deadline.earlier(Deadline(.resolve, in: limit), total)
            var addresses = try await addresses(for: key.route, transfer, until: resolveDeadline)
            var dialer = Dialer(
                options: configuration.socketOptions, delay: configuration.connectionAttemptDelay)
            if let binding = configuration.localBinding, key.route.socket == nil {
                let end = try await binding.localEnd(until: resolveDeadline)
                dialer.options.localEnd = end
                // Where none is left, all fail, and the error says how.
                let reached = addresses.filter(end.reaches)
                if !reached.isEmpty { addresses = reached }
            }
            transfer.timings.resolved = .now
            transfer.addresses = addresses
            phase = .connect
            if let mayConnect = transfer.hooks.mayConnect, key.route.socket == nil {
                addresses = addresses.filter(mayConnect)
                guard !addresses.isEmpty else { throw TransportError(.notPermitted) }
            }
            dialer.observer = { event in
                switch event {
                case .trying(let address): transfer.observe(.connecting(address))
                case .failed(let attempt): transfer.observe(.connectFailed(attempt))
                }
            }
            // A caller's connect limit covers the search for the host too, as curl's does.
            let start = connectTimeout == nil ? Instant.now : transfer.timings.start
            let time = connectTimeout ?? configuration.connectTimeout
            let deadline = Deadline(.connect, at: start + time, duration: time)
            // First, since a stream that nobody took over would stay open.
            let buffer = try ReceiveBuffer()
            if key.securedOrigin != nil { prepareTLS() }
            let stream = try await dial(
                addresses, of: key.route, by: dialer, until: .earlier(deadline, total))
            connections += 1
            let number = connections
            transfer.timings.connected = .now
            let connected = TransferEvent.connected(
                remote: stream.remoteAddress, local: stream.localAddress, connection: number)
            transfer.observe(connected)
            tap?.opened(stream.remoteAddress)
            guard let origin = key.securedOrigin else {
                return PooledConnection(key: key, stream: tapped(stream, tap), buffer: buffer, number: number)
            }
            phase = .tls
            let secured = try await secure(stream, for: origin, transfer, until: .earlier(deadline, total))
            tap?.secured(secured.summary)
            return PooledConnection(key: key, stream: tapped(secured, tap), buffer: buffer, number: number)
        } catch {
            tap?.failed(error)
            let peer = key.securedOrigin.map { "\($0.host) port \($0.port)" }
            let route = "\(host) port \(key.route.port)"
            throw TransferError(error, host: phase == .tls ? peer ?? route : route, during: phase)
        }
    }

    private func tapped(_ stream: any ByteStream, _ tap: (any ConnectionTap)?) -> any ByteStream {
        tap.map { TappedStream(stream, tap: $0) } ?? stream
    }

    /// Opens a stream. Where the process has no descriptor left, idle connections give theirs, and those in use are
    /// waited for, if there are any beside this one.
    private func dial(
        _ addresses: [SocketAddress], of route: Route, by dialer: Dialer, until deadline: Deadline
    ) async throws(TransportError) -> TCPStream {
        while true {
            do throws(TransportError) { return try await dialer.open(addresses, until: deadline) } catch {
                guard error.errno == EMFILE || error.errno == ENFILE else {
                    if let refusal = error.refusalToBind, let binding = configuration.localBinding {
                        throw TransportError(
                            .notBound("\(binding.name) cannot be used: \(refusal.explanation)"))
                    }
                    // What is remembered of the host may be out of date.
                    if case .name(let name) = route.host, error.reason != .cancelled {
                        addressCache.forget(name, family: configuration.addressFamily)
                    }
                    throw error
                }
                let isAlone = pool.idleConnectionCount == 0 && pool.inUseCount <= 1
                guard !isAlone else { throw error }
                pool.closeIdle()
                let next = min(Instant.now + .milliseconds(20), deadline.instant)
                guard await NetworkActor.loop.sleep(until: next) else { throw TransportError(.cancelled) }
                guard next < deadline.instant else { throw error }
            }
        }
    }

    private func addresses(
        for route: Route, _ transfer: Transfer, until deadline: Deadline
    ) async throws(TransportError) -> [SocketAddress] {
        if let socket = route.socket { return [socket] }
        let family = configuration.addressFamily
        if let given = configuration.addressMap.addresses(for: route.host, port: route.port) {
            let allowed = given.filter(family.allows)
            guard !allowed.isEmpty else {
                let reason = given.isEmpty ? "it has none" : "no address of the wanted family"
                throw TransportError(.notResolved(reason))
            }
            return allowed
        }
        switch route.host {
        case .ipv4, .ipv6:
            guard let address = SocketAddress(literal: route.host.unbracketed, port: route.port),
                family.allows(address)
            else { throw TransportError(.notResolved("the address is not of the wanted family")) }
            return [address]
        case .name(let name):
            if let known = addressCache.knownAddresses(of: name, port: route.port, family: family),
                !known.isEmpty
            {
                transfer.observe(.resolved(known))
                return known
            }
            transfer.observe(.resolving(host: name))
            let found = try await addressCache.addresses(
                of: name, port: route.port, family: family, until: deadline)
            guard !found.isEmpty else {
                throw TransportError(.notResolved("no address of the wanted family"))
            }
            transfer.observe(.resolved(found))
            return found
        }
    }
}

extension Transfer {
    /// The transfer uses `connection` from now on.
    fileprivate func note(_ connection: PooledConnection) {
        addresses = connection.stream.remoteAddress.map { [$0] } ?? []
        localAddress = connection.localAddress
    }
}
