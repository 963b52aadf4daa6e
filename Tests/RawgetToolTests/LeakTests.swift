import Glibc
import Replay
import TestSupport
import Testing

@Suite("What many invocations leave behind")
struct LeakTests {
    @Test("hundreds of invocations, most of them failing, leave no descriptor open")
    func descriptors() async {
        // In a process of its own: beside other tests nobody could count.
        await #expect(processExitsWith: .success) {
            let server = try serve { request in
                switch request.target {
                case "/cut": [.send("HTTP/1.1 200 OK\r\nContent-Length: 200000\r\n\r\nabc"), .close]
                case "/reset": [.reset]
                case "/stall": [.stall]
                case "/bad": [.send("nonsense\r\n\r\n")]
                default: answer("200 OK", [], [UInt8](repeating: 1, count: 200_000))
                }
            }
            let base = "http://\(server.authority)"
            let folder = TemporaryFolder()
            func runAll() async -> [Int32] {
                var exits: [Int32] = []
                for arguments in [
                    ["\(base)/good"], ["\(base)/cut"], ["\(base)/reset"], ["-m", "0.01", "\(base)/stall"],
                    ["\(base)/bad"], ["http://127.0.0.1:1/"], ["-o", "/dev/full", "\(base)/good"],
                    ["-o", "no/folder", "\(base)/good"],
                    ["-D", "heads", "-Z", "\(base)/good", "\(base)/cut"],
                    ["--max-filesize", "5", "\(base)/good"], ["--nonsense"], ["-K", "absent"],
                ] {
                    exits.append(await rawget(arguments, in: folder).exit)
                }
                return exits
            }
            let expected: [Int32] = [0, 18, 56, 28, 1, 7, 23, 23, 18, 63, 2, 26]
            guard await runAll() == expected else { exit(3) }
            let before = openDescriptors
            for _ in 0..<30 where await runAll() != expected { exit(4) }
            // The server closes its ends on threads of its own.
            for _ in 0..<200 where openDescriptors > before { usleep(10_000) }
            guard openDescriptors <= before else { exit(5) }
        }
    }
}

/// How many descriptors this process has open.
private var openDescriptors: Int {
    guard let stream = opendir("/proc/self/fd") else { return -1 }
    defer { closedir(stream) }
    var count = 0
    while readdir(stream) != nil { count += 1 }
    return count
}
