import System
import Testing

@testable import URLLoading

@Suite("When a sign of activity is to be seen (D24)")
struct ActivityStateTests {
    /// A step of a story: what happens, at which millisecond, and what is to be seen then.
    struct Step: Sendable {
        enum Act: Sendable { case begin, end, on, off, time }
        var at: Int
        var act: Act
        var isVisible: Bool
        /// In milliseconds.
        var next: Int?

        init(_ at: Int, _ act: Act, _ isVisible: Bool, next: Int? = nil) {
            (self.at, self.act, self.isVisible, self.next) = (at, act, isVisible, next)
        }
    }

    private func play(_ steps: [Step], isEnabled: Bool = true) {
        var state = ActivityState(activationDelay: .seconds(1), completionDelay: .milliseconds(170))
        #expect(!state.isEnabled && state.nextChange == nil)
        state.setEnabled(isEnabled, at: Instant(nanoseconds: 0))
        for step in steps {
            let now = Instant(nanoseconds: Int64(step.at) * 1_000_000)
            switch step.act {
            case .begin: state.begin(at: now)
            case .end: state.end(at: now)
            case .on: state.setEnabled(true, at: now)
            case .off: state.setEnabled(false, at: now)
            case .time: state.advance(to: now)
            }
            #expect(state.isVisible == step.isVisible, "at \(step.at)")
            #expect(state.nextChange?.nanoseconds == step.next.map { Int64($0) * 1_000_000 }, "at \(step.at)")
        }
    }

    @Test func appearsAfterASecondAndGoesAwayAfter170Milliseconds() {
        play([
            Step(0, .begin, false, next: 1000), Step(999, .time, false, next: 1000), Step(1000, .time, true),
            Step(5000, .end, true, next: 5170), Step(5169, .time, true, next: 5170), Step(5170, .time, false),
        ])
    }

    @Test func whatIsShorterThanASecondIsNeverSeen() {
        play([
            Step(0, .begin, false, next: 1000), Step(999, .end, false, next: 1169),
            Step(1000, .time, false, next: 1169), Step(1169, .time, false),
            // The next one begins from the start.
            Step(1200, .begin, false, next: 2200), Step(2199, .end, false, next: 2369),
        ])
    }

    @Test func aShortGapDoesNotFlicker() {
        play([
            Step(0, .begin, false, next: 1000), Step(1500, .end, true, next: 1670),
            Step(1669, .begin, true), Step(9000, .time, true), Step(9001, .end, true, next: 9171),
            Step(9171, .begin, false, next: 10171),
        ])
    }

    @Test func oneShortRequestAfterAnotherIsActivity() {
        play([
            Step(0, .begin, false, next: 1000), Step(600, .end, false, next: 770),
            Step(700, .begin, false, next: 1000), Step(900, .end, false, next: 1070),
            // A second is over, and nothing is active: it appears with the next one.
            Step(1010, .time, false, next: 1070), Step(1020, .begin, true),
            Step(1030, .end, true, next: 1200),
        ])
    }

    @Test func overlappingActivitiesAreOne() {
        play([
            Step(0, .begin, false, next: 1000), Step(800, .begin, false, next: 1000),
            Step(900, .end, false, next: 1000), Step(1000, .time, true), Step(1100, .end, true, next: 1270),
        ])
    }

    @Test func aLateLookLosesNothing() {
        play([
            Step(0, .begin, false, next: 1000), Step(3000, .end, true, next: 3170),
            Step(9000, .begin, false, next: 10_000),
        ])
    }

    @Test func theSwitchCountsFromWhenItIsTurnedOn() {
        play(
            [
                Step(0, .begin, false), Step(5000, .time, false), Step(6000, .on, false, next: 7000),
                Step(6500, .on, false, next: 7000), Step(7000, .time, true), Step(7100, .off, false),
                Step(7200, .on, false, next: 8200), Step(8200, .time, true),
                Step(8300, .end, true, next: 8470),
                Step(8400, .off, false),
            ], isEnabled: false)
    }

    @Test func theCountGoesOnWhileOffAndNeverBelowZero() {
        var state = ActivityState(activationDelay: .seconds(1), completionDelay: .milliseconds(170))
        let now = Instant(nanoseconds: 0)
        state.end(at: now)
        #expect(state.count == 0)
        state.begin(at: now)
        state.begin(at: now)
        #expect(state.count == 2 && state.nextChange == nil)
        state.setEnabled(true, at: now)
        state.setEnabled(false, at: now)
        state.end(at: now)
        state.end(at: now)
        state.end(at: now)
        #expect(state.count == 0)
        state.setEnabled(true, at: now)
        #expect(state.nextChange == nil && !state.isVisible)
    }

    @Test func withoutDelaysItFollowsAtOnce() {
        var state = ActivityState(activationDelay: .zero, completionDelay: .zero)
        let now = Instant(nanoseconds: 0)
        state.setEnabled(true, at: now)
        state.begin(at: now)
        #expect(state.isVisible)
        state.end(at: now)
        #expect(!state.isVisible)
        state.setEnabled(false, at: now)
        state.begin(at: now)
        state.setEnabled(true, at: now)
        #expect(state.isVisible && state.nextChange == nil)
    }
}
