import Glibc

/// A terminal and the person in front of it.
public final class PseudoTerminal: Sendable {
    private let master: Int32
    /// The end that a program reads.
    public let descriptor: Int32

    /// A terminal of its own; `nil` where the system has none to give.
    public init?() {
        master = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        // TIOCSPTLCK and TIOCGPTN: what unlockpt and ptsname do.
        var (isLocked, number): (Int32, Int32) = (0, 0)
        guard ioctl(master, 0x4004_5431, &isLocked) == 0, ioctl(master, 0x8004_5430, &number) == 0 else {
            return nil
        }
        descriptor = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
        guard descriptor >= 0 else { return nil }
    }

    deinit {
        close(master)
        close(descriptor)
    }

    /// Whether what is typed is shown.
    public var echoes: Bool {
        var settings = termios()
        return tcgetattr(descriptor, &settings) == 0 && settings.c_lflag & tcflag_t(ECHO) != 0
    }

    /// Whether anything was shown that is not read yet.
    public var hasShown: Bool {
        var shown = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
        return poll(&shown, 1, 0) != 0
    }

    /// Types `text` as soon as it is not shown: before, it would be thrown away.
    public func typeSecretly(_ text: String) -> Task<Bool, Never> {
        Task.detached { [self] in
            while echoes { usleep(1000) }
            return write(master, text, text.utf8.count) == text.utf8.count
        }
    }
}
