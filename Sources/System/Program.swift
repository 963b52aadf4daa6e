import CLinux
import Glibc

/// Another program at work, with whatever it starts; all of that is killed when the value goes away.
public final class Program: Sendable {
    /// Readable when the program has ended; lent.
    public let watch: Int32
    private let number: pid_t
    private let exit = Lock<Int32?>(nil)

    /// Starts the program at `path` in the open folder `folder`, with three open descriptors as its standard streams
    /// and no other.
    public init(
        _ path: String, _ arguments: [String], environment: [String], folder: Int32, input: Int32,
        output: Int32,
        errors: Int32
    ) throws(SystemError) {
        let words = ([path] + arguments).map { strdup($0) } + [nil]
        let variables = environment.map { strdup($0) } + [nil]
        defer { for word in words + variables { free(word) } }
        var child = pid_t()
        var watch: Int32 = -1
        // Safety: both arrays end with a null pointer and outlive the call.
        let error = clinux_spawn(path, words, variables, folder, [input, output, errors], &child, &watch)
        guard error == 0 else { throw SystemError(call: "posix_spawn", errno: error) }
        number = child
        self.watch = watch
    }

    deinit {
        if exitCode == nil {
            kill(-number, SIGKILL)
            waitpid(number, nil, 0)
        }
        close(watch)
    }

    /// Its exit code, or 128 and the signal that ended it; `nil` while it runs.
    public var exitCode: Int32? {
        exit.withLock { exit in
            if exit == nil {
                let code = clinux_reap(number)
                if code >= 0 { exit = code }
            }
            return exit
        }
    }

    /// Sends it, and what it has started, a signal, unless it has ended.
    public func send(_ signal: Int32) {
        exit.withLock { exit in
            if exit == nil { kill(-number, signal) }
        }
    }
}
