import Glibc
import Replay
import System

/// One round: a server, a folder, and runs of the client until one may end by itself.
struct Round {
    let plan: RoundPlan
    let client: Client
    private(set) var tally = Tally()
    /// What happened, for a person.
    private(set) var log: [String] = []
    private(set) var faults: [String] = []
    private let origin: Origin
    private let server: ReplayServer
    private var hasLied = false
    /// Whether the part there may stand on another length than the file's.
    private var isMisled = false
    private var runCount = 0

    init(_ plan: RoundPlan, _ client: Client, _ identity: TestIdentity) throws(ReplayError) {
        self.plan = plan
        self.client = client
        let origin = Origin(plan)
        self.origin = origin
        server = try ReplayServer(
            tls: plan.isSecure ? TLSService(identity) : nil, handler: { origin.answer($0) })
    }

    /// Carries the round out. What could not be tried is an error, what went wrong a fault.
    mutating func carryOut() throws {
        tally.count(.rounds)
        log.append(plan.description)
        guard let folder = WorkFolder(room: plan.room) else {
            tally.count(.skippedFullRounds)
            return
        }
        if plan.isSecure { tally.count(.secureRounds) }
        if plan.chunkSize != nil { tally.count(.piecedRounds) }
        if !plan.validators.hasStrongTag { tally.count(.unvalidatedRounds) }
        if plan.room != nil { tally.count(.fullRounds) }
        try server.start()
        defer { server.stop() }
        for run in plan.runs {
            if run.isChangedBefore {
                log.append("the file is now version \(origin.change())")
                tally.count(.changes)
            }
            _ = try carryOut(run, in: folder)
        }
        guard folder.makeRoom() else { throw SystemError(call: "mount", errno: EPERM) }
        try end(in: folder)
    }

    /// The last run, without a kill or a fault: all must be well after it.
    private mutating func end(in folder: WorkFolder) throws {
        // A lie believed for a while may cost a run, but not more than that.
        var left = hasLied ? 3 : 1
        var code: Client.Ending
        repeat {
            code = try carryOut(.honest, in: folder)
            left -= 1
            if code != .exit(0), left > 0 { tally.count(.lateEnds) }
        } while code != .exit(0) && left > 0
        if code != .exit(0) { fail("no good end", "the last run: \(code)") }
        for name in try folder.names() where name != "f" {
            let size = try folder.size(of: name)
            if name.hasSuffix(".part"), size == 0 {
                tally.count(.orphans)
            } else {
                fail("left over", "\(name) of \(size) octets is left over")
            }
        }
    }

    /// One run of the client and what is to be said of it.
    private mutating func carryOut(_ run: RunPlan, in folder: WorkFolder) throws -> Client.Ending {
        let current = origin.current
        let part = try largestPart(in: folder, of: plan.versions[current])
        let before = try Verdict(of: "f", in: folder.descriptor, plan.versions)
        if part == 0 { isMisled = false }
        let lack = plan.versions[current].size - part
        let witness = Witness(run, trigger(run, lacking: lack), current: current)
        origin.begin(witness)
        let scheme = plan.isSecure ? "https" : "http"
        let arguments = client.arguments(plan, "\(scheme)://127.0.0.1:\(server.port)/file")
        let (ending, errors) = try client.run(arguments, in: folder.descriptor, witness)
        if !server.waitUntilIdle() { fail("the server is not idle", "connections outlive the client") }
        let sight = witness.sight
        let after = try Verdict(of: "f", in: folder.descriptor, plan.versions)

        runCount += 1
        log.append("run \(runCount), version \(current), \(part) octets of it there; \(run.description)")
        log += sight.log.prefix(12).map { "    " + $0 }
        if sight.log.count > 12 { log.append("    … \(sight.requestCount) requests") }
        log.append("  \(ending), \(sight.sent) octets sent of \(sight.asked), f: \(after.description)")
        log += errors.split(separator: "\n").prefix(4).map { "    says: \($0)" }
        count(ending, sight, part: part)

        judge(ending, sight, from: before, to: after)
        if client.isRawget, plan.validators.hasStrongTag, sight.deeds.isEmpty, sight.current == [current] {
            judgeEconomy(sight, part: part, of: plan.versions[current])
        }
        return ending
    }

    private func trigger(_ run: RunPlan, lacking lack: UInt64) -> Witness.Trigger {
        switch run.kill {
        case .never, .afterStart: .none
        case .afterRequest(let delay): .request(after: delay)
        case .inContent(let thousandths):
            lack == 0 ? .request(after: 0) : .content(lack * thousandths / 1000, after: 0)
        case .afterContent(let delay): lack == 0 ? .request(after: delay) : .content(lack, after: delay)
        }
    }

    /// How much of a version the best part has.
    private func largestPart(in folder: WorkFolder, of version: FileVersion) throws -> UInt64 {
        let names = try folder.names().filter { $0.hasPrefix("f.") && $0.hasSuffix(".part") }
        let sizes = try names.map { try Verdict.common($0, in: folder.descriptor, with: version) }
        return sizes.max() ?? 0
    }

    // MARK: What must hold

    private mutating func fail(_ kind: String, _ text: String) {
        tally.count(fault: kind)
        faults.append(text)
        log.append("  WRONG: \(text)")
    }

    /// After every end of the client: the file is there only when it is whole, and a good end means a whole file.
    private mutating func judge(
        _ ending: Client.Ending, _ sight: Witness.Sight, from before: Verdict, to after: Verdict
    ) {
        switch after {
        case .whole(let versions):
            if versions.isDisjoint(with: origin.served) {
                fail("a version never served", "f is \(after.description), which was never the file")
            } else if ending == .exit(0), versions.isDisjoint(with: sight.current) {
                fail("an old version", "exit 0, but f is \(after.description), which was not the file then")
            }
        case .missing:
            if ending == .exit(0) { fail("no file", "exit 0, but f is not there") }
            if before != .missing { fail("a file lost", "f was there before") }
        case .beginning, .mixture, .foreign:
            fail(after.name + (ending == .exit(0) ? " with exit 0" : ""), "f is \(after.description)")
        }
        switch ending {
        case .died(let signal): fail("died", "ended by signal \(signal)")
        case .endless: fail("endless", "did not end within \(Client.bound)")
        case .exit, .killed: break
        }
        for violation in sight.violations.prefix(3) { fail("a bad condition", violation) }
    }

    /// A restart asks for no more than what the part lacks, and one MiB.
    private mutating func judgeEconomy(_ sight: Witness.Sight, part: UInt64, of version: FileVersion) {
        // Where no length was told, a part that is all looks like any other.
        let looksUnfinished = plan.isChunked && part == version.size
        guard part > 0, !isMisled, !looksUnfinished, sight.requestCount > 0 else { return }
        tally.count(.measured)
        let most = version.size - part + (1 << 20)
        if sight.asked > most {
            fail(
                "asked for too much",
                "asked for \(sight.asked) of \(version.size) octets with \(part) there: more than \(most)")
        }
    }

    private mutating func count(_ ending: Client.Ending, _ sight: Witness.Sight, part: UInt64) {
        tally.count(.runs)
        switch ending {
        case .exit(0): tally.count(.successes)
        case .exit, .died, .endless: tally.count(.failures)
        case .killed:
            let sent = sight.killedAt ?? 0
            // What a killed client had asked for may have been more than it had got.
            tally.count(sent == 0 ? .killsBefore : sent < sight.asked ? .killsWithin : .killsBehind)
        }
        if sight.isResumed {
            tally.count(.resumed)
        } else if part > 0, sight.asked > 0 {
            tally.count(.startedOver)
        }
        if sight.current.count > 1 { tally.count(.changes) }
        for deed in sight.deeds { tally.count(deed) }
        if sight.deeds.contains(where: \.isLie) { hasLied = true }
        if sight.deeds.contains(where: \.tellsOtherTotal) { isMisled = true }
    }
}
