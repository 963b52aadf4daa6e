import Download
import HTTPClient
import HTTPMessage
import Replay
import TestSupport
import Testing
import Transport

@Suite("Trying again what has failed, and going on where it stopped")
struct RetryingTests {
    /// So many retries, without waits that anybody would notice.
    private static func policy(_ scope: RetryPolicy.Scope = .resumable, _ count: Int = 3) -> RetryPolicy {
        var policy = RetryPolicy(scope, maximumRetries: count)
        policy.delay = .milliseconds(1)
        return policy
    }

    private func get(
        _ rig: Rig, to destination: Destination = .path("f"), _ policy: RetryPolicy = Self.policy(),
        adjust: @Sendable (inout DownloadPlan) -> Void = { _ in }
    ) async throws -> Rig.Outcome {
        try await rig.download(to: destination) {
            $0.resumption = .automatic
            $0.retries = policy
            $0.savesErrorAnswers = false
            adjust(&$0)
        }
    }

    private func failure(_ outcome: Rig.Outcome) -> TransferError? {
        if case .failure(let error) = outcome { error } else { nil }
    }

    // MARK: Content that was cut

    @Test("content that was cut is gone on with in the same run", arguments: RetryPolicy.Scope.allCases)
    func cut(_ scope: RetryPolicy.Scope) async throws {
        let rig = try Rig { request in
            request.connection < 2 ? Resource().cut(request, behind: 100_000) : Resource().answer(request)
        }
        let outcome = try await get(rig, Self.policy(scope))
        guard scope != .transient else {
            // curl's --retry leaves a cut alone.
            #expect(failure(outcome)?.code == .incompleteContent && rig.ranges == [nil])
            return
        }
        let result = try outcome.get()
        #expect(result.retries == 2 && result.resumedAt == 100_000)
        #expect(rig.ranges == [nil, "bytes=100000-", "bytes=200000-"])
        #expect(rig.ifRanges == [nil, "\"v1\"", "\"v1\""])
        #expect(rig.folder.octets(of: "f") == Resource.someContent)
        #expect(rig.folder.names == ["f"])
    }

    @Test("little content is gone on with from memory", arguments: [1, 1000])
    func cutSmall(_ count: Int) async throws {
        let rig = try Rig { request in
            request.connection < 1 ? Resource().cut(request, behind: count) : Resource().answer(request)
        }
        _ = try await get(rig).get()
        #expect(rig.ranges == [nil, "bytes=\(count)-"])
        #expect(rig.folder.octets(of: "f") == Resource.someContent)
        #expect(rig.folder.names == ["f"])
    }

    @Test("what stalls is gone on with")
    func stalled() async throws {
        let rig = try Rig { request in
            request.connection < 1 ? Resource().stall(request, behind: 1000) : Resource().answer(request)
        }
        _ = try await get(rig) { $0.options.idleTimeout = .milliseconds(200) }.get()
        #expect(rig.ranges == [nil, "bytes=1000-"])
        #expect(rig.folder.octets(of: "f") == Resource.someContent)
    }

    @Test("an outage has many faces: what fails after a cut is tried again, too")
    func outage() async throws {
        let rig = try Rig { request in
            switch request.connection {
            case 0: Resource().cut(request, behind: 100_000)
            case 1: [.close]
            case 2: answer("502 Bad Gateway", [], "") + [.close]
            default: Resource().answer(request)
            }
        }
        #expect(try await get(rig).get().retries == 3)
        #expect(rig.ranges == [nil, "bytes=100000-", "bytes=100000-", "bytes=100000-"])
        #expect(rig.folder.octets(of: "f") == Resource.someContent)
    }

    @Test("without a validator nothing is tried again by itself, and begun anew where that was asked for")
    func noValidator() async throws {
        let resource = Resource(fields: [])
        for scope in [RetryPolicy.Scope.resumable, .all] {
            let rig = try Rig { request in
                request.connection < 1 ? resource.cut(request, behind: 100_000) : resource.answer(request)
            }
            let outcome = try await get(rig, Self.policy(scope))
            #expect(rig.ranges == (scope == .all ? [nil, nil] : [nil]))
            if scope == .all {
                #expect(try outcome.get().resumedAt == nil)
                #expect(rig.folder.octets(of: "f") == resource.content)
                #expect(rig.folder.names == ["f"])
            } else {
                #expect(failure(outcome)?.code == .incompleteContent)
                #expect(rig.folder.octets(of: "f.part")?.count == 100_000)
            }
        }
    }

    @Test("a version that changes meanwhile begins anew")
    func changed() async throws {
        let new = Resource(content: Array(large.suffix(200_000)), fields: ["ETag: \"v2\""])
        let rig = try Rig { request in
            request.connection < 1 ? Resource().cut(request, behind: 100_000) : new.answer(request)
        }
        _ = try await get(rig).get()
        #expect(rig.folder.octets(of: "f") == new.content)
        #expect(rig.folder.names == ["f"])
    }

    // MARK: When it ends

    @Test("a server that cuts without sending anything new is given up")
    func givesUp() async throws {
        let rig = try Rig { request in
            Resource().cut(request, behind: request.connection == 0 ? 100_000 : 0)
        }
        let failure = failure(try await get(rig))
        #expect(failure?.code == .incompleteContent && failure?.part == "f.part")
        #expect(rig.ranges == [nil] + Array(repeating: "bytes=100000-", count: 3))
        #expect(rig.folder.names == [".f.rawget", "f.part"])
        #expect(rig.folder.octets(of: "f.part") == Array(Resource.someContent.prefix(100_000)))
    }

    @Test("a try that brings enough begins the count anew")
    func progress() async throws {
        let rig = try Rig { request in
            Resource().cut(request, behind: request.connection < 5 ? 40_000 : 0)
        }
        var policy = Self.policy(.resumable, 1)
        policy.resetsOnProgress = 40_000
        let failure = failure(try await get(rig, policy))
        #expect(failure?.code == .incompleteContent)
        #expect(rig.server.requests.count == 6)
        #expect(rig.folder.octets(of: "f.part")?.count == 200_000)
    }

    @Test("a wait that would end too late is not begun")
    func budget() async throws {
        let rig = try Rig { request in Resource().cut(request, behind: 1000) }
        var policy = Self.policy()
        policy.delay = .seconds(30)
        policy.maximumTime = .seconds(20)
        let failure = failure(try await get(rig, policy))
        #expect(failure?.code == .incompleteContent && rig.ranges == [nil])
        #expect(rig.folder.names == [".f.rawget", "f.part"])
    }

    @Test("who cancels while it waits does not wait")
    func cancelled() async throws {
        let rig = try Rig { request in Resource().cut(request, behind: 1000) }
        var policy = Self.policy()
        policy.delay = .seconds(600)
        let patient = policy
        let download = Task { try await get(rig, patient) }
        #expect(rig.folder.waitForFile("f.part") || rig.server.waitForConnectionsToEnd(1))
        _ = rig.server.waitForConnectionsToEnd(1)
        download.cancel()
        let failure = failure(try await download.value)
        #expect(failure?.code == .cancelled)
        #expect(rig.ranges == [nil])
        #expect(rig.folder.octets(of: "f.part") == Array(Resource.someContent.prefix(1000)))
    }

    @Test("what an earlier run left is there still when a wait is cancelled")
    func cancelledBetween() async throws {
        let rig = try Rig { request in
            request.connection == 0
                ? Resource().cut(request, behind: 1000)
                : answer("503 Service Unavailable", ["Retry-After: 600"], "busy")
        }
        _ = try await get(rig, .none)
        let record = rig.folder.octets(of: ".f.rawget")
        let download = Task { try await get(rig) }
        #expect(rig.server.waitForRequests(2))
        // It waits by now, or will not when it comes to that.
        try await Task.sleep(for: .milliseconds(100))
        download.cancel()
        let failure = failure(try await download.value)
        #expect(failure?.code == .cancelled)
        #expect(failure?.detail == "cancelled; what was received is kept in f.part")
        #expect(rig.folder.names == [".f.rawget", "f.part"])
        #expect(rig.folder.octets(of: ".f.rawget") == record)
    }

    // MARK: Statuses

    @Test(
        "503 with Retry-After is tried again after that time",
        arguments: ["0", "Sun, 06 Nov 1994 08:49:37 GMT"])
    func retryAfter(_ value: String) async throws {
        let rig = try Rig { request in
            request.connection < 2
                ? answer("503 Service Unavailable", ["Retry-After: \(value)"], "busy") + [.close]
                : Resource().answer(request)
        }
        #expect(try await get(rig).get().retries == 2)
        #expect(rig.folder.octets(of: "f") == Resource.someContent)
        #expect(rig.folder.names == ["f"])
    }

    @Test("503 without it is tried again only where that was asked for")
    func unavailable() async throws {
        for (scope, count) in [(RetryPolicy.Scope.resumable, 1), (.transient, 4), (.all, 4)] {
            let rig = try Rig { _ in answer("503 Service Unavailable", [], "busy") }
            let result = try await get(rig, Self.policy(scope)).get()
            #expect(result.path == nil && result.report.response.status.code == 503)
            #expect(rig.server.requests.count == count)
        }
    }

    @Test("a wait that is too long is the server's no")
    func longWait() async throws {
        let rig = try Rig { _ in answer("503 Service Unavailable", ["Retry-After: 3600"], "busy") }
        var policy = Self.policy()
        policy.longestRetryAfter = .seconds(60)
        #expect(try await get(rig, policy).get().report.response.status.code == 503)
        #expect(rig.server.requests.count == 1)
    }

    @Test("so is one that would end too late, whatever the answer is taken for", arguments: [true, false])
    func lateWait(savesErrors: Bool) async throws {
        let rig = try Rig { _ in answer("503 Service Unavailable", ["Retry-After: 60"], "busy") }
        var policy = Self.policy(.all)
        policy.maximumTime = .seconds(30)
        _ = try await get(rig, policy) {
            $0.savesErrorAnswers = savesErrors
            $0.readsExcerpt = false
        }
        #expect(rig.server.requests.count == 1)
    }

    @Test("an error amid a download leaves what is there, and it goes on behind it")
    func unavailableAmid() async throws {
        let rig = try Rig { request in
            switch request.connection {
            case 0: Resource().cut(request, behind: 100_000)
            case 1: answer("503 Service Unavailable", ["Retry-After: 0"], "busy") + [.close]
            default: Resource().answer(request)
            }
        }
        _ = try await get(rig).get()
        #expect(rig.ranges == [nil, "bytes=100000-", "bytes=100000-"])
        #expect(rig.folder.octets(of: "f") == Resource.someContent)
    }

    // MARK: What a reader has got

    @Test("what a reader has got is gone on with, where a validator allows it")
    func descriptor() async throws {
        let rig = try Rig { request in
            request.connection < 2 ? Resource().cut(request, behind: 100_000) : Resource().answer(request)
        }
        let file = NamelessFile()
        _ = try await get(rig, to: .descriptor(file.descriptor)).get()
        #expect(rig.ranges == [nil, "bytes=100000-", "bytes=200000-"])
        #expect(file.octets == Resource.someContent)
    }

    @Test("without a validator nothing is put behind it", arguments: [RetryPolicy.Scope.resumable, .all])
    func descriptorWithoutValidator(_ scope: RetryPolicy.Scope) async throws {
        let resource = Resource(fields: [])
        let rig = try Rig { resource.cut($0, behind: 100_000) }
        let file = NamelessFile()
        let outcome = try await get(rig, to: .descriptor(file.descriptor), Self.policy(scope))
        #expect(failure(outcome)?.code == .incompleteContent)
        #expect(rig.ranges == [nil])
        #expect(file.octets == Array(resource.content.prefix(100_000)))
    }

    @Test("another version is not put behind it", arguments: [true, false])
    func descriptorChanged(heedsIfRange: Bool) async throws {
        let new = Resource(
            content: Array(large.suffix(300_000)), fields: ["ETag: \"v2\""], heedsIfRange: heedsIfRange)
        let rig = try Rig { request in
            request.connection < 1 ? Resource().cut(request, behind: 100_000) : new.answer(request)
        }
        let file = NamelessFile()
        let outcome = try await get(rig, to: .descriptor(file.descriptor))
        #expect(failure(outcome)?.code == .rangeNotServed, "\(outcome)")
        #expect(rig.ranges == [nil, "bytes=100000-"])
        #expect(file.octets == Array(Resource.someContent.prefix(100_000)))
    }

    @Test("the whole is not put behind pieces that a reader has got", arguments: [true, false])
    func descriptorPieces(heedsIfRange: Bool) async throws {
        let new = Resource(
            content: Array(large.suffix(300_000)), fields: ["ETag: \"v2\""], heedsIfRange: heedsIfRange)
        let rig = try Rig { request in
            request.value(of: "Range") == "bytes=0-99999"
                ? Resource().answer(request) : new.answer(request)
        }
        let file = NamelessFile()
        let outcome = try await get(rig, to: .descriptor(file.descriptor)) { $0.pieceSize = 100_000 }
        #expect(failure(outcome)?.code == .rangeNotServed, "\(outcome)")
        #expect(file.octets == Array(Resource.someContent.prefix(100_000)))
    }

    @Test("pieces that no validator holds together are not given to it: it gets the whole")
    func descriptorPiecesWithoutValidator() async throws {
        let rig = try Rig { Resource(fields: []).answer($0) }
        let file = NamelessFile()
        _ = try await get(rig, to: .descriptor(file.descriptor)) { $0.pieceSize = 100_000 }.get()
        #expect(rig.ranges == ["bytes=0-99999", nil])
        #expect(file.octets == Resource.someContent)
    }

    @Test("an overlap of what a reader has got cannot be compared, and is not asked for")
    func descriptorOverlap() async throws {
        let rig = try Rig { request in
            request.connection < 1 ? Resource().cut(request, behind: 100_000) : Resource().answer(request)
        }
        let file = NamelessFile()
        _ = try await get(rig, to: .descriptor(file.descriptor)) { $0.resumeOverlap = 1000 }.get()
        #expect(rig.ranges == [nil, "bytes=100000-"])
        #expect(file.octets == Resource.someContent)
    }
}
