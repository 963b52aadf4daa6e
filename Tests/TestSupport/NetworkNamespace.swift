public import Glibc
import Synchronization

/// A namespace of the network of a test's own (ip-netns(8)), in which programs run. It goes away, with the programs in it,
/// when nobody holds it any more.
///
/// A namespace belongs to a thread: what is to be seen from inside runs as a program of its own.
public final class NetworkNamespace: Sendable {
    /// Its name: of this process, and of no other namespace.
    public let name: String

    private static let lastNumber = Atomic(0)
    private static let prefix = "rawget-test-"

    /// Whether namespaces, and devices in them, can be made here.
    public static let isAllowed: Bool = {
        guard getuid() == 0, shell("ip -V") else { return false }
        sweep()
        let (left, right) = (NetworkNamespace(), NetworkNamespace())
        return left.ip("link add e type veth peer name e netns \(right.name)")
    }()

    /// A namespace with nothing but its loopback, which is up. Its addresses are its own at once: nobody else could have them.
    public init() {
        let number = NetworkNamespace.lastNumber.add(1, ordering: .relaxed).newValue
        name = "\(NetworkNamespace.prefix)\(getpid())-\(number)"
        _ = NetworkNamespace.shell(
            """
            ip netns add \(name) && ip netns exec \(name) sh -c 'for name in all default; do
            echo 0 >/proc/sys/net/ipv6/conf/$name/accept_dad; done; ip link set lo up'
            """)
    }

    deinit { NetworkNamespace.remove(name) }

    /// Has ip(8) obey each of these lines, in the namespace. Whether all could be obeyed.
    @discardableResult
    public func ip(_ lines: String...) -> Bool { ip(lines) }

    /// The same.
    @discardableResult
    public func ip(_ lines: [String]) -> Bool {
        let input = NamelessFile(Array((lines.joined(separator: "\n") + "\n").utf8))
        let process = ChildProcess("ip", ["-n", name, "-batch", "-"], input: input.descriptor)
        return NetworkNamespace.end(process)
    }

    /// What a file of /etc is to hold for programs in the namespace.
    public func setFile(_ file: String, _ text: String) {
        mkdir("/etc/netns", 0o755)
        mkdir("/etc/netns/\(name)", 0o755)
        let descriptor = open("/etc/netns/\(name)/\(file)", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        defer { close(descriptor) }
        _ = write(descriptor, text, text.utf8.count)
    }

    /// Starts a program in the namespace.
    public func start(
        _ program: String, _ arguments: [String], in folder: String = "/", input: Int32? = nil
    ) -> LineProcess {
        LineProcess("ip", ["netns", "exec", name, program] + arguments, in: folder, input: input)
    }

    // MARK: Removal

    /// Removes what processes have left that were killed.
    private static func sweep() {
        _ = shell(
            """
            for name in $(ip netns list | cut -d' ' -f1); do
                case $name in \(prefix)*) rest=${name#\(prefix)}; [ -d /proc/${rest%%-*} ] || {
                    ip netns pids $name | xargs -r kill -9; ip netns del $name; rm -rf /etc/netns/$name; } ;; esac
            done
            """)
    }

    private static func remove(_ name: String) {
        _ = shell("ip netns pids \(name) | xargs -r kill -9; ip netns del \(name); rm -rf /etc/netns/\(name)")
    }

    /// Whether a script ends well.
    private static func shell(_ script: String) -> Bool { end(ChildProcess("bash", ["-c", script])) }

    private static func end(_ process: ChildProcess) -> Bool {
        for _ in 0..<30_000 where !process.hasEnded { usleep(1000) }
        return process.ended == .exit(0)
    }
}

/// A program whose output is read line by line.
public final class LineProcess: Sendable {
    private let process: ChildProcess
    private let output = NamelessFile()
    private let errors = NamelessFile()

    init(_ program: String, _ arguments: [String], in folder: String, input: Int32?) {
        process = ChildProcess(
            program, arguments, in: folder, input: input, output: output.descriptor,
            errors: errors.descriptor)
    }

    /// The whole lines that it has written so far.
    public var lines: [String] {
        let text = output.text
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        return lines.map(String.init)
    }

    /// What it has written to its standard error.
    public var complaints: String { errors.text }

    /// Its process number.
    public var number: pid_t { process.number }

    /// Sends a signal.
    public func signal(_ signal: Int32) { process.signal(signal) }

    /// Waits for its end.
    public func ending() async -> ChildProcess.Ending { await process.ending(within: .seconds(60)) }

    /// Waits until `condition` holds for its lines, for at most `limit`; whether it holds.
    public func said(
        within limit: Duration = .seconds(20), _ condition: ([String]) -> Bool
    ) async -> Bool {
        let end = ContinuousClock.now + (isSanitized ? limit * 5 : limit)
        while !condition(lines) {
            guard ContinuousClock.now < end else { return false }
            try? await Task.sleep(for: .milliseconds(2))
        }
        return true
    }

    /// Waits for a line, for at most 20 seconds; whether it came.
    public func said(_ line: String) async -> Bool { await said { $0.contains(line) } }
}
