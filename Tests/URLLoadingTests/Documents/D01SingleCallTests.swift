import HTTPClient
import HTTPMessage
import NetworkProbes
import Replay
import System
import Testing
import Transport
import URLLoading

@Suite("The documents' single calls (D1, D2, D3)", .timeLimit(.minutes(1)))
struct SingleCallTests {
    private static let content = GeneratedContent(seed: 1).octets(70_000)

    private static func stage() throws -> Stage {
        try Stage { request in
            switch request.target {
            case "/small": [Stage.head(length: content.count, "Cache-Control: no-store"), .send(content)]
            case "/moved": [Stage.head("302 Found", length: 0, "Location: /small")]
            case "/chunked":
                [
                    .send(
                        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n3\r\ndef\r\n0\r\n\r\n"
                    )
                ]
            case "/cut": [Stage.head(length: 10), .send("begun"), .close]
            default: [Stage.head("404 Not Found", length: 4), .send("none")]
            }
        }
    }

    // MARK: D1

    @Test("D1: one call blocks and brings the content, redirects followed", arguments: ["/small", "/moved"])
    func contents(path: String) throws {
        let stage = try Self.stage()
        #expect(try [UInt8](contentsOf: stage.uri(path)) == Self.content)
    }

    @Test(
        "D1: content past the limit is refused, of a known length and of none",
        arguments: ["/small", "/chunked"])
    func limit(path: String) throws {
        let stage = try Self.stage()
        let uri = try stage.uri(path)
        #expect(CollectedContent.defaultMaximumLength == 256 << 20)
        let error = #expect(throws: TransferError.self) { try [UInt8](contentsOf: uri, maximumLength: 5) }
        #expect(error?.code == .tooLarge)
        let length = UInt64(path == "/small" ? Self.content.count : 6)
        #expect(try [UInt8](contentsOf: uri, maximumLength: length).count == Int(length))
    }

    @Test(
        "D1: what is no content is an error",
        arguments: [("/gone", "httpFailure"), ("/cut", "incompleteContent")])
    func failures(path: String, code: String) throws {
        let stage = try Self.stage()
        let error = #expect(throws: TransferError.self) { try [UInt8](contentsOf: stage.uri(path)) }
        #expect(error?.code.name == code)
    }

    // MARK: D2

    @Test("D2: a blocking call gives response and content, whatever the status")
    func synchronous() throws {
        let stage = try Self.stage()
        let (response, content) = try URLConnection.sendSynchronousRequest(LoadRequest(stage.uri("/small")))
        #expect(response.status == .ok)
        #expect(content == Self.content)
        let gone = try URLConnection.sendSynchronousRequest(LoadRequest(stage.uri("/gone")))
        #expect(gone.response.status == .notFound)
        #expect(gone.content == Array("none".utf8))
    }

    @Test("D2: a blocking call gives the error")
    func synchronousFailure() throws {
        let uri = try URI(parsing: "http://127.0.0.1:\(closedPort())/")
        let error = #expect(throws: TransferError.self) {
            try URLConnection.sendSynchronousRequest(LoadRequest(uri))
        }
        #expect(error?.code == .couldNotConnect)
    }

    @Test("D2: on the loop's own thread blocking calls are an error, not a deadlock")
    func onTheLoop() async throws {
        let stage = try Self.stage()
        let uri = try stage.uri("/small")
        let codes = try await onLoop {
            var codes: [TransferError.Code?] = []
            do throws(TransferError) {
                _ = try URLConnection.sendSynchronousRequest(LoadRequest(uri))
                codes.append(nil)
            } catch { codes.append(error.code) }
            do throws(TransferError) {
                _ = try [UInt8](contentsOf: uri)
                codes.append(nil)
            } catch { codes.append(error.code) }
            return codes
        }
        #expect(codes == [.badRequest, .badRequest])
        #expect(stage.server.requests.isEmpty)
    }

    @Test("D2: sixteen threads block at once, and each gets its answer")
    func manyThreads() async throws {
        let stage = try Self.stage()
        let uri = try stage.uri("/small")
        let queue = TransferQueue(name: "blocking", maxConcurrentOperationCount: 16)
        let outcomes = Box<[Bool]>([])
        for number in 0..<48 {
            queue.addOperation {
                let content =
                    number % 2 == 0
                    ? try? [UInt8](contentsOf: uri)
                    : try? URLConnection.sendSynchronousRequest(LoadRequest(uri)).content
                outcomes.change { $0.append(content == Self.content) }
            }
        }
        try await waitUntil { outcomes.value.count == 48 }
        #expect(outcomes.value.allSatisfy { $0 })
    }

    // MARK: D3

    @Test("D3: the completion runs on the queue that was given, and nowhere else")
    func asynchronous() async throws {
        let stage = try Self.stage()
        let queue = TransferQueue(name: "mine", maxConcurrentOperationCount: 1)
        queue.isSuspended = true
        let result = Box<(HTTPResponse?, [UInt8]?, TransferError?)?>()
        URLConnection.sendAsynchronousRequest(LoadRequest(try stage.uri("/small")), queue: queue) {
            response, content, error in result.set((response, content, error))
        }
        try await waitUntil { queue.operationCount == 1 }
        try await Task.sleep(for: quietTime)
        #expect(result.value == nil, "the queue is suspended")
        queue.isSuspended = false
        try await waitUntil { result.value != nil }
        #expect(result.value?.0?.status == .ok)
        #expect(result.value?.1 == Self.content)
        #expect(result.value?.2 == nil)
    }

    @Test("D3: the completion gets the error, and nothing else")
    func asynchronousFailure() async throws {
        let stage = try Self.stage()
        let result = Box<(HTTPResponse?, [UInt8]?, TransferError?)?>()
        URLConnection.sendAsynchronousRequest(LoadRequest(try stage.uri("/cut")), queue: TransferQueue()) {
            response, content, error in result.set((response, content, error))
        }
        try await waitUntil { result.value != nil }
        #expect(result.value?.0 == nil)
        #expect(result.value?.1 == nil)
        #expect(result.value?.2?.code == .incompleteContent)
    }

    @Test("D3: the content replaces an existing file at once, and a name that cannot be written is an error")
    func writing() async throws {
        let stage = try Self.stage()
        let (_, content) = try await URLConnection.send(LoadRequest(try stage.uri("/small")))
        stage.folder.write("old", to: "target.bin")
        let old = try stage.folder.open("target.bin")
        try content.write(toFile: stage.folder.path(of: "target.bin"), atomically: true)
        #expect(stage.folder.octets(of: "target.bin") == Self.content)
        // Atomically: who has the old file open still has all of it.
        #expect(try File.contents(of: old.rawValue, limit: 100) == Array("old".utf8))
        #expect(stage.folder.names == ["target.bin"])
        let error = #expect(throws: TransferError.self) {
            try content.write(toFile: stage.folder.path(of: "none/target.bin"), atomically: true)
        }
        #expect(error?.code == .writeFailed)
    }

    @Test("D3: the asynchronous call ends with its task")
    func asynchronousCancel() async throws {
        let stage = try Stage { _ in [Stage.head(length: 10), .send("begun"), .stall] }
        let request = LoadRequest(try stage.uri())
        let task = Task { try await URLConnection.send(request) }
        try await waitUntil { stage.server.requests.count == 1 }
        task.cancel()
        let error = await #expect(throws: TransferError.self) { try await task.value }
        #expect(error?.code == .cancelled)
    }
}
