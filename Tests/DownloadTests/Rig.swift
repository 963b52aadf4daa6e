import Download
import Glibc
import HTTPClient
import HTTPMessage
import Replay
import TestSupport
import Transport

/// A server and a folder, and downloads from the one to the other.
struct Rig {
    let folder = TemporaryFolder()
    let server: ReplayServer
    private let client = Client()

    /// A rig whose server answers every request alike.
    init(_ steps: [Script.Step]) throws { server = try serve(steps) }

    /// A rig whose server answers as `handler` says.
    init(_ handler: @escaping @Sendable (RecordedRequest) -> [Script.Step]) throws {
        server = try serve(handler)
    }

    /// What became of a download: the path, or the error.
    typealias Outcome = Result<DownloadResult, TransferError>

    /// Downloads `target`.
    func download(
        _ target: String = "/file.bin", to destination: Destination,
        adjust: @Sendable (inout DownloadPlan) -> Void = { _ in }
    ) async throws -> Outcome {
        let uri = try URI(parsing: "http://\(server.authority)\(target)")
        var plan = DownloadPlan(
            HTTPRequest(.get, uri), to: destination, in: folder.descriptor,
            now: HTTPDate(secondsSinceEpoch: 1_800_000_000))
        adjust(&plan)
        do throws(TransferError) { return .success(try await Downloader(client).download(plan)) } catch {
            return .failure(error)
        }
    }

    /// The same, where only the path is of interest.
    func path(
        _ target: String = "/file.bin", to destination: Destination,
        adjust: @Sendable (inout DownloadPlan) -> Void = { _ in }
    ) async throws -> String? {
        try await download(target, to: destination, adjust: adjust).get().path
    }

    /// The same, where a failure is expected: its detail.
    func failure(
        _ target: String = "/file.bin", to destination: Destination,
        adjust: @Sendable (inout DownloadPlan) -> Void = { _ in }
    ) async throws -> TransferError? {
        switch try await download(target, to: destination, adjust: adjust) {
        case .success: nil
        case .failure(let error): error
        }
    }
}

/// Content that is too large to be kept in memory until it is whole.
let largeCount = 3 << 20
/// Its octets.
let large = GeneratedContent(seed: 7).octets(largeCount)

/// A response with the large content.
let largeAnswer: [Script.Step] = [
    .send("HTTP/1.1 200 OK\r\nContent-Length: \(largeCount)\r\n\r\n"), .send(large),
]
