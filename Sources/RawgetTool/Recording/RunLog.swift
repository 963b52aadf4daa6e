import HTTPMessage
import System

/// What the command reads and prints beside its transfers, kept for a recorder.
final class RunLog: Sendable {
    private struct Notes {
        var readings: [FileArgument: [UInt8]] = [:]
        var streams: Set<FileArgument> = []
        var times: [String: Int64] = [:]
        var output: [UInt8] = []
        var count = 0
    }

    private let notes = Lock(Notes())

    /// A file was read whole; of standard input, some more was.
    func noteReading(_ octets: [UInt8], of file: FileArgument) {
        notes.withLock { notes in
            guard notes.count <= Recorder.mostOctets else { return }
            notes.count += octets.count
            if file == .standard {
                notes.readings[file, default: []] += octets
            } else {
                notes.readings[file] = octets
            }
        }
    }

    /// Some more of a pipe was read.
    func noteMore(_ octets: [UInt8], of file: FileArgument) {
        notes.withLock { notes in
            guard notes.count <= Recorder.mostOctets else { return }
            notes.count += octets.count
            notes.readings[file, default: []] += octets
        }
    }

    /// What is read of `file` has no length.
    func noteStream(_ file: FileArgument) { notes.withLock { _ = $0.streams.insert(file) } }

    /// The time of a file was asked for: seconds since the epoch.
    func noteTime(_ seconds: Int64, of path: String) { notes.withLock { $0.times[path] = seconds } }

    /// Something went to standard output.
    func notePrinted(_ octets: Span<UInt8>) {
        notes.withLock { notes in
            guard notes.count <= Recorder.mostOctets else { return }
            notes.count += octets.count
            notes.output.append(copying: octets)
        }
    }

    /// What was read of a file; `nil` where nobody read it.
    func reading(of file: FileArgument) -> [UInt8]? { notes.withLock { $0.readings[file] } }

    /// All that was read.
    var files: [FileArgument] { notes.withLock { Array($0.readings.keys) } }

    /// Whether what was read of it had no length.
    func isStream(_ file: FileArgument) -> Bool { notes.withLock { $0.streams.contains(file) } }

    /// The time that a file had; `nil` where nobody asked.
    func time(of path: String) -> Int64? { notes.withLock { $0.times[path] } }

    /// What went to standard output, in order.
    var output: [UInt8] { notes.withLock { $0.output } }

    /// Whether more came than is kept.
    var isOverfull: Bool { notes.withLock { $0.count > Recorder.mostOctets } }
}
