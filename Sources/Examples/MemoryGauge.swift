/// How much memory the process uses more than at the beginning, at the worst moment.
final class MemoryGauge: @unchecked Sendable {
    // Safety: a style calls back one call at a time, and the gauge is read behind the last call.
    private let memory: @Sendable () -> Int
    private let before: Int
    private var peak: Int

    init(_ stage: ExampleStage) {
        memory = stage.memory
        before = memory()
        peak = before
    }

    /// Looks now.
    func look() { peak = max(peak, memory()) }

    /// Octets more than at the beginning.
    var growth: Int { peak - before }

    /// Both figures, for people.
    var text: String { "memory \(MemoryGauge.text(before)) before, \(MemoryGauge.text(peak)) at the peak" }

    private static func text(_ octets: Int) -> String {
        let tenths = octets * 10 / (1 << 20)
        return "\(tenths / 10).\(tenths % 10) MiB"
    }
}
