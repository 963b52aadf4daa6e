import Glibc
import RawgetTool
import TestSupport
import Testing

@Suite("Uploads to nginx")
struct NginxUploadTests {
    private let nginx: Nginx
    private let folder = TemporaryFolder()

    init() throws { nginx = try #require(Nginx.shared, "nginx is needed: .ci/setup installs it") }

    @Test(
        "a file of 64 MiB is stored octet for octet, also over a redirect",
        arguments: ["stored/", "elsewhere/"])
    func stored(place: String) async throws {
        let file = nginx.path(of: "middle")
        let run = await rawget(
            ["-T", file, "-w", "%{http_code} %{size_upload} %{num_redirects}", nginx.url(place)], in: folder)
        let isRedirected = place == "elsewhere/"
        #expect(run.text == "201 \(Nginx.middle) \(isRedirected ? 1 : 0)", "\(run.errors)")
        #expect(holdTheSame(nginx.path(of: isRedirected ? "stored/elsewhere/middle" : "stored/middle"), file))
    }

    @Test("what comes through a pipe is sent in chunks, and put together")
    func chunked() async throws {
        let text = String(repeating: "line\n", count: 50_000)
        folder.write(text, to: "f")
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        let (reading, writing) = (ends[0], ends[1])
        defer { close(reading) }
        let writer = Task.detached {
            defer { close(writing) }
            return text.utf8.withContiguousStorageIfAvailable { write(writing, $0.baseAddress, $0.count) }
        }
        let run = await rawget(
            ["-v", "-T", "-", "-w", "%{http_code} %{size_upload}", nginx.url("stored/chunked")], in: folder
        ) { $0.standardInput = reading }
        #expect(await writer.value == text.utf8.count)
        #expect(run.text == "201 \(text.utf8.count)", "\(run.errors)")
        #expect(run.errors.contains("> Transfer-Encoding: chunked"))
        #expect(holdTheSame(nginx.path(of: "stored/chunked"), folder.path(of: "f")))
    }

    @Test("what is too much is refused before it is sent, or while it is", arguments: [true, false])
    func refused(asks: Bool) async throws {
        let arguments = asks ? [] : ["-H", "Expect:"]
        let run = await rawget(
            arguments + [
                "-T", nginx.path(of: "middle"), "-o", "f", "-w", "%{http_code} %{size_upload}",
                nginx.url("tight/x"),
            ],
            in: folder)
        let words = run.text.split(separator: " ")
        #expect(words.first == "413", "\(run.errors)")
        let sent = words.last.flatMap { Int($0) } ?? .max
        #expect(asks ? sent == 0 : sent < Nginx.middle)
    }
}
