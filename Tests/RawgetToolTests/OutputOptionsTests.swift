import Glibc
import Replay
import TestSupport
import Testing

@Suite("Where the command puts what it receives")
struct OutputOptionsTests {
    private let folder = TemporaryFolder()
    private let named = ["Content-Disposition: attachment; filename=\"server.txt\""]

    private func run(_ steps: [Script.Step], _ arguments: [String], path: String = "/file.bin") async throws
        -> ToolRun
    {
        let server = try serve(steps)
        return await rawget(arguments + ["http://\(server.authority)\(path)"], in: folder)
    }

    @Test(
        "the name comes from -o, -O, -O -J or, unasked, from the server or the URL",
        arguments: [
            (["-o", "mine"], "mine"), (["-O"], "file.bin"), (["-OJ"], "server.txt"), ([], "server.txt"),
            (["-J"], "server.txt"),
            (["--remote-name-all"], "file.bin"), (["--output-dir", ".", "-o", "mine"], "mine"),
        ] as [([String], String)])
    func names(_ arguments: [String], _ name: String) async throws {
        let run = try await run(answer("200 OK", named), arguments)
        #expect(run.exit == 0)
        #expect(run.output.isEmpty && run.errors.isEmpty)
        #expect(folder.names == [name])
        #expect(folder.text(of: name) == "content")
    }

    @Test("--output-dir with --create-dirs makes the folder")
    func outputFolder() async throws {
        let without = try await run(answer(), ["--output-dir", "a/b", "-O"])
        #expect(without.exit == 23)
        let run = try await run(answer(), ["--output-dir", "a/b", "--create-dirs", "-O"])
        #expect(run.exit == 0)
        #expect(folder.text(of: "a/b/file.bin") == "content")
    }

    @Test("-o - writes to standard output and nothing else", arguments: [[], ["-N"]])
    func standardOutput(_ more: [String]) async throws {
        let run = try await run(answer(), more + ["-o", "-"])
        #expect(run.exit == 0)
        #expect(run.text == "content")
        #expect(folder.names.isEmpty)
    }

    @Test("-i puts the head before the content, -I shows it alone")
    func heads() async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 7\r\nX-A: b\r\n\r\n"
        let included = try await run(answer("200 OK", ["X-A: b"]), ["-i", "-o", "file"])
        #expect(included.exit == 0)
        #expect(folder.text(of: "file") == head + "content")
        let alone = try await run([.send(head)], ["-I"])
        #expect(alone.exit == 0)
        #expect(alone.text == head)
    }

    @Test("-D writes the heads of all URLs to one file, interim ones with them")
    func headFile() async throws {
        let server = try serve {
            [.send("HTTP/1.1 103 Early\r\n\r\n")] + answer("200 OK", ["X: \($0.target)"])
        }
        let base = "http://\(server.authority)"
        folder.write("something that stood there", to: "heads")
        let run = await rawget(["-D", "heads", "\(base)/1", "\(base)/2"], in: folder)
        #expect(run.exit == 0)
        let head = { (target: String) in
            "HTTP/1.1 103 Early\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 7\r\nX: \(target)\r\n\r\n"
        }
        #expect(folder.text(of: "heads") == "\(head("/1"))\(head("/2"))")
        let standard = try await self.run(answer(), ["-D", "-", "-o", "f"])
        #expect(standard.text == "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n")
    }

    @Test("a head that cannot be written makes exit 23")
    func headFileFails() async throws {
        let run = try await run(answer(), ["-D", "/dev/full", "-o", "f"])
        #expect(run.exit == 23)
    }

    @Test("--remote-time dates the file")
    func remoteTime() async throws {
        _ = try await run(answer("200 OK", ["Last-Modified: Mon, 01 Jun 2015 03:58:27 GMT"]), ["-R", "-O"])
        #expect(folder.status(of: "file.bin")?.st_mtim.tv_sec == 1_433_131_107)
    }

    @Test("-w tells what happened")
    func writeOut() async throws {
        let server = try serve(answer("200 OK", ["Content-Type: text/plain"]))
        let url = "http://\(server.authority)/f"
        let format =
            "%{http_code}|%{size_download}|%{url}|%{content_type}|%{num_connects}|%{filename_effective}|"
            + "%{remote_ip}|%{remote_port}|%{method}|%{scheme}|%{exitcode}|%{errormsg}|%{header{content-type}}\\n"
        let run = await rawget(["-w", format, url, url], in: folder)
        let port = server.port
        let line = { (connects: Int, name: String) in
            "200|7|\(url)|text/plain|\(connects)|\(name)|127.0.0.1|\(port)|GET|http|0||text/plain\n"
        }
        #expect(run.text == line(1, "f") + line(0, "f.1"))
    }

    @Test("-w tells of failures, too")
    func writeOutOfFailure() async throws {
        let run = try await run([.close], ["-w", "%{http_code} %{exitcode} %{size_download}", "-o", "f"])
        #expect(run.exit == 52)
        #expect(run.text == "000 52 0")
    }

    @Test("-w's sizes and times are those of the transfer")
    func sizesAndTimes() async throws {
        let steps = [Script.Step.pause(.milliseconds(50))] + answer("200 OK", ["A: b"])
        let server = try serve(steps)
        let run = await rawget(
            [
                "-o", "f", "-w", "%{size_header} %{size_request} %{time_starttransfer} %{time_total}",
                "http://\(server.authority)/",
            ], in: folder)
        let values = run.text.split(separator: " ")
        #expect(values.count == 4)
        #expect(values[0] == "\("HTTP/1.1 200 OK\r\nContent-Length: 7\r\nA: b\r\n\r\n".utf8.count)")
        #expect(values[1] == "\(server.requests[0].head.count)")
        let times = values[2...].compactMap { Double($0) }
        #expect(times.allSatisfy { $0 >= 0.05 && $0 < 10 } && times[0] <= times[1])
    }

    @Test("two outputs of one run never share a file")
    func apart() async throws {
        let server = try serve { answer("200 OK", [], $0.target) }
        let base = "http://\(server.authority)"
        let run = await rawget(["-Z", "\(base)/1/x", "\(base)/2/x", "\(base)/3/x", "-o", "x"], in: folder)
        #expect(run.exit == 0)
        #expect(folder.names == ["x", "x.1", "x.2"])
        #expect(Set(folder.names.compactMap { folder.text(of: $0) }) == ["/1/x", "/2/x", "/3/x"])
    }

    @Test("a reader that has enough ends the command quietly with 23")
    func closedPipe() async throws {
        // Writing to a pipe without a reader raises SIGPIPE, which this process must not die of.
        signal(SIGPIPE, SIG_IGN)
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        close(ends[0])
        defer { close(ends[1]) }
        let server = try serve(answer())
        let run = await rawget(["-o", "-", "http://\(server.authority)/"], in: folder, output: ends[1])
        #expect(run.exit == 23)
        #expect(run.errors.isEmpty)
    }

    @Test("a full disk is told with its reason, and exit 23")
    func fullDisk() async throws {
        let run = try await run(answer(), ["-o", "/dev/full"])
        #expect(run.exit == 23)
        #expect(run.errors.contains("no space is left on the device"))
    }
}
