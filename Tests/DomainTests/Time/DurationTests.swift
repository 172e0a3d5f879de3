import Foundation
import SeededGenerator
import Testing

@testable import Domain

@Suite struct DurationTests {
    @Test func unitsAreWhatTheySay() {
        #expect(Duration.minutes(90) == .seconds(5400))
        #expect(Duration.hours(24) == .days(1))
        #expect(Duration.days(7) == .seconds(604_800))
        #expect(Duration.milliseconds(1500).inSeconds == 1.5)
    }

    @Test(arguments: [(1_999, 1), (2_000, 2), (-1_999, -1), (0, 0)])
    func durationTruncatesToMilliseconds(microseconds: Int, milliseconds: Int64) {
        #expect(Duration.microseconds(microseconds).milliseconds == milliseconds)
    }

    @Test(arguments: [
        (Duration.minutes(1), false), (.milliseconds(60_001), true), (.zero, false),
        (.hours(-1), false),
    ])
    func moreThanAMinuteIsLate(delay: Duration, isLate: Bool) {
        #expect(delay.isLate == isLate)
    }

    @Test(arguments: [
        (Duration.hours(71) + .minutes(59), "71 hours 59 minutes"), (.hours(72), "3 days"),
        (.hours(72) + .minutes(59), "3 days"), (.hours(97), "4 days 1 hour"),
        (.hours(188) + .seconds(3599), "7 days 20 hours"), (.seconds(-1), "0 seconds"),
    ])
    func measuredTimeIsInDaysFromThreeDaysOn(time: Duration, words: String) {
        #expect(time.elapsedWords == words)
    }

    @Test(arguments: 0..<4)
    func addingAndSinceUndoEachOther(seed: Int) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            let start = Date(milliseconds: .random(in: 0..<4_102_444_800_000, using: &random))
            let step = Duration.milliseconds(
                Int.random(in: -1_000_000_000...1_000_000_000, using: &random))
            #expect(start.adding(step).since(start) == step)
            #expect(start.adding(step).adding(.zero - step) == start)
        }
    }
}
