import Replay

/// All of a round that is chosen beforehand; its seed determines it.
struct RoundPlan: Sendable {
    /// How often the client tries again by itself.
    enum Retries: Hashable, Sendable { case never, asUsual, thrice }

    let seed: UInt64
    let isSecure: Bool
    /// `nil`: the file is asked for in one piece.
    let chunkSize: String?
    let retries: Retries
    let savesErrors: Bool
    /// Whether the client is told to give up silence after a second.
    let givesUpSilence: Bool
    let validators: Validators.Kind
    /// Whether answers come in chunks, so that a 200 does not tell the file's length.
    let isChunked: Bool
    let versions: [FileVersion]
    /// How many octets the file system holds at first; `nil`: enough.
    let room: UInt64?
    /// What happens before the last run, in which everything is well.
    let runs: [RunPlan]
    /// How long the server takes for the whole file, in milliseconds.
    let duration: UInt64

    init(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        self.seed = seed
        isSecure = generator.chance(35)
        chunkSize = generator.chance(45) ? generator.one(of: ["64k", "64k", "100000", "256k", "1m"]) : nil
        retries = generator.one(of: [.never, .never, .asUsual, .thrice])
        savesErrors = generator.chance(60)
        givesUpSilence = generator.chance(6)
        validators =
            generator.chance(67)
            ? generator.one(of: [.strongTag, .strongTagWithSharedDate])
            : generator.one(of: [.weakTag, .oldDate, .freshDate, .none])
        isChunked = generator.chance(15)
        duration = generator.chance(25) ? 0 : generator.number(in: 10..<200)

        let size = RoundPlan.size(&generator)
        let count = generator.one(of: [2, 2, 3])
        var versions: [FileVersion] = []
        for version in 0..<count {
            // Versions of one length are those that only a validator tells apart.
            let isAlike = version == 0 || generator.chance(80)
            let other = isAlike ? size : RoundPlan.size(&generator)
            versions.append(
                FileVersion(
                    content: GeneratedContent(seed: generator.next()), size: other,
                    validators: Validators(validators, version: version, seed: seed)))
        }
        self.versions = versions
        let isShort = size >= 1 << 18 && generator.chance(10)
        room = isShort ? max(32_768, size / 100 * generator.number(in: 10..<95)) / 4096 * 4096 : nil
        var runs: [RunPlan] = []
        for number in 0..<generator.number(in: 0..<5) {
            runs.append(
                RunPlan(
                    isFirst: number == 0, hasManyRequests: size > 1 << 20, mayBeError: !savesErrors,
                    mayStall: givesUpSilence, &generator))
        }
        // A lie shows best where a part lies there to be continued.
        if runs.isEmpty || validators.hasStrongTag, generator.chance(80) {
            let deed = Deed.odd(&generator, mayBeError: !savesErrors)
            let lie = RunPlan(lyingIn: deed, &generator)
            if deed.isForBeginnings {
                runs.insert(lie, at: 0)
            } else {
                runs += [RunPlan(interruptingBy: &generator), lie]
            }
        }
        // Then the last run finds one, too.
        if generator.chance(50) { runs.append(RunPlan(interruptingBy: &generator)) }
        self.runs = runs
    }

    private static func size(_ generator: inout SplitMix64) -> UInt64 {
        switch generator.number(in: 0..<100) {
        case 0..<3: 0
        case 3..<9: generator.number(in: 1..<5000)
        case 9..<14: generator.number(in: 5000..<1_048_576)
        case 14..<88: generator.number(in: 1_048_576..<8_388_609)
        default: generator.number(in: 8_388_609..<25_165_825)
        }
    }

    /// Options of the command for all of this.
    var options: [String] {
        var options: [String] = []
        if let chunkSize { options += ["--chunk-size", chunkSize] }
        switch retries {
        case .never: options += ["--retry", "0"]
        case .asUsual: break
        case .thrice: options += ["--retry", "3", "--retry-delay", "0"]
        }
        if !savesErrors { options.append("-f") }
        if givesUpSilence { options += ["-Y", "1", "-y", "1"] }
        return options
    }

    /// For a person.
    var description: String {
        let sizes = versions.map { "\($0.size)" }.joined(separator: ", ")
        let full = room.map { ", room for \($0) octets" } ?? ""
        return "\(isSecure ? "TLS" : "plain")\(isChunked ? ", chunked" : ""), validators: \(validators), "
            + "\(duration) ms for versions of \(sizes) octets\(full): \(options.joined(separator: " "))"
    }
}

/// One start of the client, and how it ends.
struct RunPlan: Sendable {
    /// When the client is killed. Times are in microseconds.
    enum Kill: Hashable, Sendable {
        case never
        /// So long after its start.
        case afterStart(UInt32)
        /// So long after its first request has come.
        case afterRequest(UInt32)
        /// When so many thousandths of what it lacks have been sent.
        case inContent(thousandths: UInt64)
        /// So long after all it lacks has been sent: where a file is renamed.
        case afterContent(UInt32)
    }

    let kill: Kill
    /// Whether the file has changed since the run before.
    let isChangedBefore: Bool
    /// Thousandths of the file after which it changes while the client runs.
    let changesAfter: UInt64?
    /// What goes wrong, by the number of the request in this run.
    let deeds: [Int: Deed]

    /// Nothing goes wrong.
    static let honest = RunPlan()

    private init() {
        kill = .never
        isChangedBefore = false
        changesAfter = nil
        deeds = [:]
    }

    /// Leaves a part.
    init(interruptingBy generator: inout SplitMix64) {
        kill = .inContent(thousandths: generator.number(in: 300..<950))
        isChangedBefore = false
        changesAfter = nil
        deeds = [:]
    }

    /// Meets a lie at once, and seldom ends before it is heard.
    init(lyingIn deed: Deed, _ generator: inout SplitMix64) {
        kill = generator.chance(80) ? .never : .afterContent(UInt32(generator.number(in: 0..<500)))
        isChangedBefore = deed == .ignoredCondition
        changesAfter = nil
        deeds = [0: deed]
    }

    init(
        isFirst: Bool, hasManyRequests: Bool, mayBeError: Bool, mayStall: Bool, _ generator: inout SplitMix64
    ) {
        let choice = generator.number(in: 0..<100)
        let time = UInt32(generator.number(in: 0..<4000))
        kill =
            switch choice {
            case 0..<10: .afterStart(time)
            case 10..<15: .afterRequest(time / 8)
            case 15..<57: .inContent(thousandths: generator.number(in: 0..<1000))
            case 57..<65: .inContent(thousandths: generator.number(in: 960..<1000))
            case 65..<82: .afterContent(generator.chance(70) ? time / 8 : time)
            default: .never
            }
        changesAfter = generator.chance(8) ? generator.number(in: 0..<1000) : nil
        var deeds: [Int: Deed] = [:]
        let last: UInt64 = hasManyRequests && generator.chance(40) ? 12 : 2
        if generator.chance(35) {
            let deed = Deed.breaking(&generator)
            let place = generator.chance(60) ? 0 : Int(generator.number(in: 0..<last))
            // A client that nobody kills would wait for a minute.
            if kill != .never || mayStall || !deed.isSilence { deeds[place] = deed }
        }
        if generator.chance(35) {
            let first = generator.chance(75) ? 0 : Int(generator.number(in: 0..<last))
            deeds[first] = Deed.odd(&generator, mayBeError: mayBeError)
        }
        self.deeds = deeds
        // What a condition is for shows only when the file has changed.
        isChangedBefore = !isFirst && (generator.chance(22) || deeds.values.contains(.ignoredCondition))
    }

    /// What goes wrong with a request of this run; a server that ignores conditions always does.
    func deed(at number: Int) -> Deed? {
        deeds[number] ?? (deeds[0] == .ignoredCondition ? .ignoredCondition : nil)
    }

    /// For a person.
    var description: String {
        let deeds = deeds.sorted { $0.key < $1.key }.map { "\($0.value) at request \($0.key)" }
        return (["kill: \(kill)"] + (changesAfter.map { ["changes after \($0)/1000"] } ?? []) + deeds)
            .joined(separator: ", ")
    }
}

extension SplitMix64 {
    /// A number of the range.
    mutating func number(in range: Range<UInt64>) -> UInt64 {
        range.lowerBound + next() % (range.upperBound - range.lowerBound)
    }

    /// True in so many of a hundred cases.
    mutating func chance(_ percent: UInt64) -> Bool { next() % 100 < percent }

    /// One of the values, of which there is at least one.
    mutating func one<Value>(of values: [Value]) -> Value { values[Int(next() % UInt64(values.count))] }
}
