public import Glibc

/// A process that a test started. It is killed when nobody holds it any more.
public final class ChildProcess: @unchecked Sendable {
    // Safety: `status` is only touched by the one test that holds the process, or the thread it waits for.
    /// Its process number.
    public let number: pid_t
    private var status: Int32?

    /// How a process ended.
    public enum Ending: Hashable, Sendable {
        case exit(Int32)
        case signal(Int32)
    }

    /// Runs a program. The descriptors become its standard streams; it gets no other.
    /// Traps where it cannot be started.
    public init(
        _ program: String, _ arguments: [String], in folder: String = "/", input: Int32? = nil,
        output: Int32? = nil, errors: Int32? = nil, environment: [String] = []
    ) {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (stream, descriptor) in [(Int32(0), input), (1, output), (2, errors)] {
            if let descriptor {
                posix_spawn_file_actions_adddup2(&actions, descriptor, stream)
            } else {
                posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_RDWR, 0)
            }
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // A test run may have been started with signals ignored or blocked.
        var none = sigset_t()
        sigemptyset(&none)
        var all = sigset_t()
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        // Sockets of tests that run beside this one must not live on in the child. Swift sees neither of the calls that
        // would do this and the change of folder without a shell.
        let script =
            #"cd "$0"; for file in /proc/$$/fd/*; do file=${file##*/}; [ $file -le 2 ] || eval "exec $file>&-"; done; exec "$@""#
        var words = (["bash", "-c", script, folder, program] + arguments).map { strdup($0) } + [nil]
        // Under the address sanitizer: it takes the side table of a weak reference, to which Swift keeps a shifted
        // pointer, for a leak; and memory that it holds back would look like growth.
        let sanitizer = "ASAN_OPTIONS=detect_leaks=0:quarantine_size_mb=0"
        var variables =
            (environment + [sanitizer, "PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"])
            .map { strdup($0) } + [nil]
        defer { for word in words + variables { free(word) } }
        var number = pid_t()
        let error = posix_spawnp(&number, "bash", &actions, &attributes, &words, &variables)
        precondition(error == 0, "bash cannot be started: errno \(error)")
        self.number = number
    }

    deinit {
        guard status == nil else { return }
        Glibc.kill(number, SIGKILL)
        var status: Int32 = 0
        waitpid(number, &status, 0)
    }

    /// Sends a signal.
    public func signal(_ signal: Int32) { Glibc.kill(number, signal) }

    /// Whether it has ended.
    public var hasEnded: Bool {
        if status != nil { return true }
        var status: Int32 = 0
        guard waitpid(number, &status, WNOHANG) == number else { return false }
        self.status = status
        return true
    }

    /// Waits for its end, at most for `limit`; kills it then. `look` is called every two milliseconds while it runs, on a
    /// thread of its own: those of the tests may all be busy.
    public func ending(
        within limit: Duration = .seconds(60), look: @escaping @Sendable () -> Void = {}
    ) async -> Ending {
        await withCheckedContinuation { continuation in
            let end = ContinuousClock.now + limit
            let watch = Watch {
                while !self.hasEnded {
                    if ContinuousClock.now > end { self.signal(SIGKILL) }
                    look()
                    usleep(2000)
                }
                continuation.resume(returning: self.ended ?? .signal(0))
            }
            var thread = pthread_t()
            let reference = Unmanaged.passRetained(watch)
            let error = pthread_create(&thread, nil, runWatch, reference.toOpaque())
            precondition(error == 0, "no thread: errno \(error)")
            pthread_detach(thread)
        }
    }

    /// How it ended; `nil` while it runs, or while nobody has looked.
    public var ended: Ending? {
        status.map { $0 & 0x7F == 0 ? .exit($0 >> 8 & 0xFF) : .signal($0 & 0x7F) }
    }

    /// The number in a line of its entry in /proc, such as `VmHWM`; `nil` once it has ended.
    public func figure(_ name: String) -> Int? {
        guard let line = statusLines.first(where: { $0.hasPrefix("\(name):") }) else { return nil }
        return line.split(whereSeparator: { " \t".contains($0) }).dropFirst().first.flatMap { Int($0) }
    }

    private var statusLines: [Substring] {
        let file = open("/proc/\(number)/status", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return [] }
        defer { close(file) }
        return String(decoding: contents(ofDescriptor: file), as: UTF8.self).split(separator: "\n")
    }
}

/// What a thread runs.
private final class Watch: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}

/// The beginning of a thread that watches. Free, since a closure made in isolated code would trap on another thread.
private func runWatch(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument else { return nil }
    Unmanaged<Watch>.fromOpaque(argument).takeRetainedValue().body()
    return nil
}

/// The executables that are built beside the tests.
public enum Executable {
    /// The path of `rawget`.
    public static let path = path(of: "rawget")
    /// The path of `NetworkScenes`, where a test depends on it.
    public static let scenes = path(of: "NetworkScenes")

    private static func path(of name: String) -> String {
        var octets = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &octets, octets.count)
        let runner = String(
            decoding: octets.prefix(max(0, count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
        // The tests' bundle is what runs, or what a runner of the toolchain has loaded.
        var folders = [runner] + CommandLine.arguments.filter { $0.hasSuffix(".xctest") }
        folders += mapped.filter { $0.hasSuffix(".xctest") }
        for path in folders {
            let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(
                separator: "/")
            let candidate = "\(folder)/\(name)"
            if access(candidate, X_OK) == 0 { return candidate }
        }
        preconditionFailure("no \(name) beside \(folders)")
    }

    private static var mapped: [String] {
        let file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return [] }
        defer { close(file) }
        var octets: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = read(file, &chunk, chunk.count), count > 0 { octets += chunk[0..<count] }
        return String(decoding: octets, as: UTF8.self).split(separator: "\n").compactMap {
            $0.split(separator: " ").last.map(String.init)
        }
    }
}
