import Glibc
import System

/// How many sockets of this machine are open whose other end is `port` of the loopback, in whatever state. Tests run
/// side by side in one process, so the descriptors of the process say nothing of one test.
public func openSockets(to port: UInt16) -> Int {
    let wanted = ":" + hexadecimal(port)
    return ["/proc/self/net/tcp", "/proc/self/net/tcp6"].reduce(0) { count, path in
        count
            + text(of: path).split(separator: "\n").dropFirst().count { line in
                let columns = line.split(separator: " ")
                // Behind the number: local, remote, state, queues, timer, retransmissions, user, time-out, inode.
                // A socket that no process holds any more has no inode.
                return columns.count > 9 && columns[2].hasSuffix(wanted) && columns[9] != "0"
            }
    }
}

private func hexadecimal(_ port: UInt16) -> String {
    let digits = String(port, radix: 16, uppercase: true)
    return String(repeating: "0", count: 4 - digits.count) + digits
}

private func text(of path: String) -> String {
    guard let file = try? File.open(path, in: File.workingDirectory, flags: O_RDONLY),
        let octets = try? File.contents(of: file.rawValue, limit: 16 << 20)
    else { return "" }
    return String(decoding: octets, as: UTF8.self)
}

/// The names in a folder, such as the threads in `/proc/PID/task`.
public func names(in folder: String) -> [String] {
    guard let stream = opendir(folder) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
        // Safety: the system ends the name by a NUL; the entry is valid until the next call.
        let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
            pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if name != "." && name != ".." { names.append(name) }
    }
    return names
}
