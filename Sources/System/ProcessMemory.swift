import Glibc

/// What this process uses of the machine's memory.
package enum ProcessMemory {
    /// Octets of memory that no file stands behind; 0 where the system does not tell.
    package static var anonymous: Int {
        guard let file = try? File.open("/proc/self/status", in: File.workingDirectory, flags: O_RDONLY),
            let octets = try? File.contents(of: file.rawValue, limit: 1 << 16)
        else { return 0 }
        // "RssAnon:	    1234 kB"
        let lines = String(decoding: octets, as: UTF8.self).split(separator: "\n")
        guard let line = lines.first(where: { $0.hasPrefix("RssAnon:") }) else { return 0 }
        return (Int(line.filter { ("0"..."9").contains($0) }) ?? 0) << 10
    }
}
