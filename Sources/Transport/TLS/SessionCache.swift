import COpenSSL
import Glibc

/// Sole owner of one reference to a session.
final class TLSSession {
    let pointer: OpaquePointer

    init(owning pointer: OpaquePointer) { self.pointer = pointer }

    // Safety: the reference was handed over, and is given back here only.
    deinit { SSL_SESSION_free(pointer) }

    /// Whether a server may still take it up.
    var isFresh: Bool {
        guard SSL_SESSION_is_resumable(pointer) == 1 else { return false }
        // OpenSSL counts in seconds of the wall clock, too.
        return SSL_SESSION_get_time(pointer) + SSL_SESSION_get_timeout(pointer) > time(nil)
    }
}

/// Sessions that servers offer to take up again, of one configuration: what was verified for a host stays with it.
@NetworkActor
final class SessionCache {
    /// Whom a session was made with.
    struct Key: Hashable {
        var host: String
        var port: UInt16
    }

    /// Most sessions kept, over all hosts.
    nonisolated static let capacity = 64

    // The newest stands last; a few dozen are searched faster than a dictionary is set up.
    private var sessions: [(key: Key, session: TLSSession)] = []

    nonisolated init() {}

    /// Sessions kept now.
    var count: Int { sessions.count }

    /// Whether there is one for `key`, fresh or not.
    func has(_ key: Key) -> Bool { sessions.contains { $0.key == key } }

    /// Keeps a session; the oldest goes where there are too many.
    func keep(_ session: TLSSession, for key: Key) {
        if sessions.count == SessionCache.capacity { sessions.removeFirst() }
        sessions.append((key, session))
    }

    /// Takes out the newest session that can still be used: a ticket is for one connection, or who listens could tell
    /// that two belong together (RFC 8446, appendix C.4).
    func take(for key: Key) -> TLSSession? {
        sessions.removeAll { !$0.session.isFresh }
        guard let place = sessions.lastIndex(where: { $0.key == key }) else { return nil }
        return sessions.remove(at: place).session
    }
}
