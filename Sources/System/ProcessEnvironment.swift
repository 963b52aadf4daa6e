import Glibc

/// What the system knows of who runs the process. Whoever reads it depends on more than its arguments: the tests name
/// the one file that may.
public enum ProcessEnvironment {
    /// The value of a variable of the environment; `nil` where there is none, or it is not UTF-8.
    public static func variable(_ name: String) -> String? {
        // Safety: the text is copied at once. A program that changes its environment while others read it is in the
        // wrong with every library.
        getenv(name).flatMap { String(validatingCString: $0) }
    }

    /// The user's home, from the system's list of users; `nil` where the user is not in it.
    public static var homeOfUser: String? {
        var size = 1024
        while size <= 1 << 20 {
            let texts = UnsafeMutablePointer<CChar>.allocate(capacity: size)
            defer { texts.deallocate() }
            var entry = passwd()
            var found: UnsafeMutablePointer<passwd>?
            // Safety: the call is told how long `texts` is; what `entry` points to lies there, and is copied before that
            // goes.
            let code = getpwuid_r(geteuid(), &entry, texts, size, &found)
            if code == 0 {
                return found == nil ? nil : entry.pw_dir.flatMap { String(validatingCString: $0) }
            }
            guard code == ERANGE || code == EINTR else { return nil }
            if code == ERANGE { size *= 2 }
        }
        return nil
    }
}
