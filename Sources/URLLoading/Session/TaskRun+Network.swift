import Download
import Glibc
import HTTPClient
import HTTPMessage
import Reachability
import System
import Transport

// What networks come and go means for a task.
extension TaskRun {
    // MARK: Before

    /// Whether there is a way to one of `addresses`, or out where there are none, that the task may use. True where nobody knows.
    private func hasWay(to addresses: [SocketAddress]) -> Bool {
        guard let status = core.feed.status(of: addresses) else { return true }
        return network.allowsCellular ? status.isReachable : status.isReachable && status != .reachableViaWWAN
    }

    /// The same of the host's addresses; its name may have others on another network.
    private var hasWayToHost: Bool {
        let addresses = load?.transfer?.addresses ?? []
        if hasWay(to: addresses) { return true }
        guard case .name = load?.current.uri.host else { return false }
        return hasWay(to: [])
    }

    /// Whether there is any network but the machine's own.
    private var hasNetwork: Bool {
        core.feed.state(waysTo: [])?.interfaces.contains {
            $0.isRunning && $0.medium != .loopback && !$0.addresses.isEmpty
        } ?? true
    }

    // MARK: Meanwhile

    /// Networks have changed. What can be asked for again is ended at once, since nobody may ever answer on a connection
    /// whose network was away; what cannot is held up until the network is there again.
    func networkHasChanged() {
        // While its addresses are looked for, nobody knows where the host is: the resolver will tell, or fail.
        guard let load, let transfer = load.transfer, network.isInUse, !transfer.addresses.isEmpty else {
            return
        }
        let host = load.current.uri.authority
        if !hasWay(to: transfer.addresses) {
            let isCellular = core.feed.status(of: transfer.addresses) == .reachableViaWWAN
            guard isCellular || core.configuration.waitsForConnectivity else { return }
            let words =
                isCellular
                ? "the way to \(host) leads over a cellular network now, which the task may not use"
                : "there is no network by which \(host) could be reached any more"
            // What may not be used is left in any case.
            let reason = TransferError(.offline, during: .content, words)
            guard !load.endTransfer(for: reason, evenIfItIsLost: isCellular), !load.isOffline else { return }
            load.isOffline = true
            tellOfWaiting()
        } else if core.configuration.waitsForConnectivity, let own = transfer.localAddress,
            !core.feed.isOwn(own)
        {
            var reason = TransferError(
                .receiveFailed, during: .content,
                "\(own.host), from which the connection to \(host) came, is no address of this machine any more"
            )
            reason.cause = .networkLost
            _ = load.endTransfer(for: reason, evenIfItIsLost: true)
        } else {
            load.isOffline = false
        }
    }

    // MARK: After

    func waitForNetwork(after error: TransferError) async throws(TransferError) -> NetworkVerdict {
        guard watchesNetwork, core.configuration.waitsForConnectivity, error.isOfNetwork else {
            return .isOther
        }
        if hasWayToHost {
            if error.isOfWay { return .isBack }
            guard error.code == .notResolved, let cameBack = network.cameBack,
                .now - cameBack < TaskNetwork.settlingTime
            else { return .isOther }
            _ = await wait(until: min(.now + .seconds(1), deadline.instant)) { false }
            return .hasCome
        }
        tellOfWaiting()
        var isFirst = true
        let hasCome = await wait(until: deadline.instant) { [weak self] in
            defer { isFirst = false }
            guard let self else { return true }
            // The name may be known to somebody in an attached network, too.
            return hasWayToHost || !isFirst && error.code == .notResolved && hasNetwork
        }
        guard hasCome else {
            guard task.state != .canceling else { throw .cancelledTask }
            throw TransferError(
                .timedOut, during: .prepare,
                "there was no network by which \(load?.current.uri.authority ?? "the server") could be reached within \(deadline.duration.inSeconds.formattedSeconds), the limit for all of a task"
            )
        }
        // Those that are left stood over a network that was lost.
        core.client.closeIdleConnections()
        network.cameBack = .now
        return .hasCome
    }

    private func tellOfWaiting() {
        session.order.append { [session, task] in
            session.delegate?.session(session, taskIsWaitingForConnectivity: task)
        }
    }

    private func wait(until instant: Instant, for isDone: @escaping @NetworkActor () -> Bool) async -> Bool {
        let pause = Pause()
        network.pause = pause
        defer { network.pause = nil }
        return await core.feed.wait(until: instant, by: pause, for: isDone)
    }
}

extension TransferError {
    /// Whether a network that is not there can be why.
    fileprivate var isOfNetwork: Bool {
        switch code {
        case .notResolved, .couldNotConnect, .offline, .incompleteContent, .receiveFailed, .emptyReply,
            .sendFailed:
            true
        case .timedOut: cause != .totalTime && cause != .speed
        default: false
        }
    }

    /// Whether it says that there was no way, or not the one that there was.
    fileprivate var isOfWay: Bool {
        switch code {
        case .offline: true
        case .couldNotConnect, .receiveFailed, .sendFailed:
            cause == .networkLost || errno.map(TransferError.numbersOfWay.contains) ?? false
        default: false
        }
    }

    private static let numbersOfWay: Set<Int32> = [
        EADDRNOTAVAIL, EHOSTDOWN, EHOSTUNREACH, ENETDOWN, ENETRESET, ENETUNREACH,
    ]
}
