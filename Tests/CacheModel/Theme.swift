/// What one sequence is mostly about: without it, random steps would seldom meet.
struct Theme {
    /// Seconds that lifetimes and pauses are made of.
    var unit: Int64
    /// How often, of a hundred, field values are odd.
    var oddity: Int
    /// How often the origin fails, errs or lies.
    var trouble: Int
    /// How often requests have directives of their own.
    var requestDirectives: Int
    /// How often requests ask for a part.
    var ranges: Int
    /// How often requests have conditions of their own.
    var conditions: Int
    /// How often requests are unsafe.
    var unsafe: Int
    /// How often other policies than the protocol's are used.
    var policies: Int
    /// How often exchanges stay under way while others go on.
    var overlap: Int
    /// How often a resource changes between two steps.
    var change: Int
    /// How often a wall clock jumps.
    var jumps: Int
    /// How often content ends before its time.
    var cuts: Int
    /// How often a response has been under way for long.
    var ages: Int
    /// How often requests have credentials.
    var credentials: Int
    /// How often requests are for the head alone.
    var heads: Int
    /// A directive that responses have often.
    var favourite: String?

    init(using random: inout SplitMix64) {
        unit = random.pick(10, 60, 3600, 86_400)
        oddity = random.pick(0, 0, 10, 40)
        trouble = random.pick(0, 5, 25, 50)
        requestDirectives = random.pick(0, 15, 60)
        ranges = random.pick(0, 0, 20, 70)
        conditions = random.pick(0, 5, 30)
        unsafe = random.pick(0, 5, 25)
        policies = random.pick(0, 0, 20, 60)
        overlap = random.pick(0, 0, 10, 40)
        change = random.pick(0, 4, 20)
        jumps = random.pick(0, 0, 3, 15)
        cuts = random.pick(0, 0, 10, 50)
        ages = random.pick(0, 10, 50)
        credentials = random.pick(0, 3, 30)
        heads = random.pick(3, 8, 25)
        favourite = random.pick(
            nil, nil, nil, "stale-if-error", "stale-while-revalidate", "must-revalidate", "immutable",
            "must-understand, no-store", "no-cache=\"x-note\"", "public")
    }

    /// Seconds between two steps: often fewer than a lifetime has, now and then many more.
    func pause(using random: inout SplitMix64) -> Int64 {
        random.weighted([
            8: 0, 6: unit / 10, 4: unit / 2, 3: unit, 2: Int64.random(in: 0...unit * 2, using: &random),
            1: unit * 10, 1: 864_000,
        ])
    }

    /// A number of seconds around the unit, most often below.
    func seconds(using random: inout SplitMix64) -> Int64 {
        random.weighted([
            2: 0, 2: 1, 4: unit / 10, 6: unit / 2, 6: unit, 5: unit * 2, 3: unit * 10,
            1: Int64.random(in: 0...unit * 3, using: &random), 1: 864_000,
        ])
    }
}
