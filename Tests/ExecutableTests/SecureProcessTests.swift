import Replay
import TestSupport
import Testing

@Suite("rawget as a process, over TLS", .serialized, .timeLimit(.minutes(2)))
struct SecureProcessTests {
    private let folder = TemporaryFolder()

    @Test("one thread brings content over TLS, and memory does not grow with it")
    func oneThread() async throws {
        let authority = try TestAuthority()
        folder.write(authority.certificatePEM, to: "ca.pem")
        let identity = try authority.issue(TestCertificate(addresses: ["127.0.0.1"]))
        let server = try serve(tls: TLSService(identity)) { request in
            let length: UInt64 = request.target == "/large" ? 256 << 20 : 8 << 20
            let piece = [UInt8](repeating: 7, count: 1 << 20)
            return [
                .send("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n"),
                .sendRepeated(piece, times: Int(length >> 20)),
            ]
        }
        func peak(_ path: String) async -> Int {
            let (threads, memory, errors) = (Samples(), Samples(), NamelessFile())
            let process = ChildProcess(
                Executable.path,
                ["-sS", "--cacert", "ca.pem", "-o", "/dev/null", "https://\(server.authority)\(path)"],
                in: folder.path, errors: errors.descriptor)
            let ending = await process.ending {
                threads.add(process.figure("Threads"))
                memory.add(process.figure("RssAnon"))
            }
            #expect(ending == .exit(0), "\(errors.text)")
            #expect(!threads.all.isEmpty && threads.all.allSatisfy { $0 == 1 })
            return memory.all.max() ?? 0
        }
        let small = await peak("/small")
        let large = await peak("/large")
        #expect(small > 0 && large > 0)
        #expect(large <= small + 1024)  // KiB: the buffers of 256 and 128
    }
}
