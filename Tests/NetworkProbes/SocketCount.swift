import Glibc
import System

/// How many sockets of this machine are open whose other end is `port` of the loopback, in whatever state. Tests run
/// side by side in one process, so the descriptors of the process say nothing of one test.
public func openSockets(to port: UInt16) -> Int {
    // Behind the number: local, remote, state, queues, timer, retransmissions, user, time-out, inode.
    let rows = ["/proc/self/net/tcp", "/proc/self/net/tcp6"].flatMap { path in
        text(of: path).split(separator: "\n").dropFirst().map { $0.split(separator: " ") }
    }.filter { $0.count > 9 }
    // A server's own end may, for a moment, have a former client's number as its other end.
    let listening = Set(rows.filter { $0[3] == "0A" }.compactMap { $0[1].split(separator: ":").last })
    let wanted = ":" + hexadecimal(port)
    return rows.count { row in
        // A socket that no process holds any more has no inode.
        row[2].hasSuffix(wanted) && row[9] != "0"
            && !(row[1].split(separator: ":").last.map(listening.contains) ?? false)
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
