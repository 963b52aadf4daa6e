import Glibc

/// A terminal that a person types at.
public enum Terminal {
    /// Longest line that is read.
    private static let longestLine = 4096

    /// Reads a line that is not shown while it is typed, without its end. Blocks until it is there.
    public static func readSecret(from descriptor: Int32) throws(SystemError) -> [UInt8] {
        var settings = termios()
        let isTerminal = tcgetattr(descriptor, &settings) == 0
        if isTerminal {
            var silent = settings
            silent.c_lflag &= ~tcflag_t(ECHO)
            _ = tcsetattr(descriptor, TCSAFLUSH, &silent)
        }
        defer { if isTerminal { _ = tcsetattr(descriptor, TCSAFLUSH, &settings) } }
        var line: [UInt8] = []
        while line.count < longestLine {
            let octet: [UInt8]
            do throws(SystemError) { octet = try File.readSome(1, from: descriptor) } catch {
                guard error.errno == EAGAIN else { throw error }
                var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                _ = poll(&wait, 1, -1)
                continue
            }
            guard let octet = octet.first, octet != 0x0A else { return line }
            if octet != 0x0D { line.append(octet) }
        }
        throw SystemError(call: "read", errno: EMSGSIZE)
    }
}
