import Foundation
import Testing

@testable import Domain

@Suite struct CheckInMomentTests {
    @Test func aCheckInCountsFromTheMomentItHappened() throws {
        let anHourAgo = noon.adding(.hours(-1))
        #expect(try CheckInRules.moment(anHourAgo, receivedAt: noon) == anHourAgo)
        #expect(
            try CheckInRules.moment(noon.aMillisecondBefore, receivedAt: noon)
                == noon.aMillisecondBefore)
        #expect(try CheckInRules.moment(noon, receivedAt: noon) == noon)
    }

    @Test(
        "a device's clock may be two minutes ahead, and counts from now",
        arguments: [1, 60_000, 119_999, 120_000])
    func skew(millisecondsAhead: Int) throws {
        #expect(
            try CheckInRules.moment(noon.adding(.milliseconds(millisecondsAhead)), receivedAt: noon)
                == noon)
    }

    @Test(arguments: [120_001, 3_600_000])
    func aMomentFurtherAheadIsRefused(millisecondsAhead: Int) {
        let moment = noon.adding(.milliseconds(millisecondsAhead))
        #expect(
            refusal { try CheckInRules.moment(moment, receivedAt: noon) }?.field == "occurredAt")
    }

    @Test(
        "nobody is refused for what our own clock may be off",
        arguments: [(1, true), (0, true), (-1, false)])
    func doubt(millisecondsInside: Int, isAccepted: Bool) {
        let moment = noon.adding(.minutes(12) - .milliseconds(millisecondsInside))
        #expect(
            (refusal { try CheckInRules.moment(moment, receivedAt: noon, clockGap: .minutes(10)) }
                == nil) == isAccepted)
    }

    @Test func aCheckInIsInTimeUntilTheMillisecondBeforeTheDeadline() {
        #expect(!CheckInRules.isMissed(deadline: noon, at: noon.aMillisecondBefore))
        #expect(CheckInRules.isMissed(deadline: noon, at: noon))
        #expect(CheckInRules.isMissed(deadline: noon, at: noon.aMillisecondAfter))
    }
}

@Suite struct IntervalLimitsTests {
    private func settings(_ seconds: Int) -> CheckInSettings {
        CheckInSettings(
            intervalSeconds: seconds, remindTwoHoursBefore: true, remindThirtyMinutesBefore: true)
    }

    @Test(arguments: [3_600, 3_601, 86_400, 604_799, 604_800])
    func anHourToSevenDaysIsAccepted(seconds: Int) {
        #expect(refusal { try IntervalLimits.standard.check(settings(seconds)) } == nil)
    }

    @Test(arguments: [Int.min, -3_600, 0, 3_599, 604_801, Int.max])
    func anythingElseIsRefused(seconds: Int) {
        #expect(
            refusal { try IntervalLimits.standard.check(settings(seconds)) }?.field
                == "intervalSeconds")
    }

    @Test func aDemonstrationStartsAtOneSecond() {
        #expect(refusal { try IntervalLimits.demonstration.check(settings(1)) } == nil)
        #expect(
            refusal { try IntervalLimits.demonstration.check(settings(0)) }?.field
                == "intervalSeconds")
        #expect(
            refusal { try IntervalLimits.demonstration.check(settings(604_801)) }?.field
                == "intervalSeconds")
    }

    @Test func thePresetsAreAcceptedAndTheDefaultIsOneOfThem() {
        #expect(CheckInSettings.presets == [.hours(8), .hours(16), .hours(24), .hours(48)])
        for preset in CheckInSettings.presets {
            #expect(
                refusal { try IntervalLimits.standard.check(settings(Int(preset.inSeconds))) }
                    == nil)
        }
        #expect(CheckInSettings.standard == settings(24 * 3600))
    }
}
