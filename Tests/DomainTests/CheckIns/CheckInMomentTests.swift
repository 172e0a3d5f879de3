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
        "an error of the server's own clock causes no refusal",
        arguments: [(1, true), (0, true), (-1, false)])
    func doubt(millisecondsInside: Int, isAccepted: Bool) {
        let moment = noon.adding(.minutes(12) - .milliseconds(millisecondsInside))
        #expect(
            (refusal { try CheckInRules.moment(moment, receivedAt: noon, clockGap: .minutes(10)) }
                == nil) == isAccepted)
    }

    @Test(
        "a press that is sent at once counts from its receipt",
        arguments: [-25 * 60, -49, -3, 3, 49, 25 * 60, 366 * 24 * 60])
    func wrongClock(minutesAhead: Int) throws {
        let pressed = noon.adding(.minutes(minutesAhead))
        #expect(try CheckInRules.moment(pressed, sentAt: pressed, receivedAt: noon) == noon)
        // The check-in waited for an hour in the device's queue. Even a wrong clock measures that
        // hour correctly.
        let sent = pressed.adding(.hours(1))
        let later = noon.adding(.hours(1))
        #expect(try CheckInRules.moment(pressed, sentAt: sent, receivedAt: later) == noon)
    }

    @Test func aRightClockIsBelieved() throws {
        let pressed = noon.adding(.minutes(-30))
        for seconds in [-120, 0, 120] {
            let sent = noon.adding(.seconds(seconds))
            #expect(try CheckInRules.moment(pressed, sentAt: sent, receivedAt: noon) == pressed)
        }
    }

    /// The press seems later than the sending, because the device's clock was set back in between.
    /// The real time of the press is unknown.
    @Test func aPressAfterItsSendingIsRefused() {
        let (pressed, sent) = (noon.adding(.hours(5)), noon.adding(.hours(-1)))
        #expect(
            refusal { try CheckInRules.moment(pressed, sentAt: sent, receivedAt: noon) }?.field
                == "occurredAt")
    }

    /// The device's clock starts in 1970 until it is set.
    @Test func unsetClockStillMeasuresTheWait() throws {
        let pressed = Date(milliseconds: 5_000)
        let sent = pressed.adding(.hours(1))
        let later = noon.adding(.hours(1))
        #expect(try CheckInRules.moment(pressed, sentAt: sent, receivedAt: later) == noon)
        for sent in [nil, noon] {
            #expect(
                refusal { try CheckInRules.moment(pressed, sentAt: sent, receivedAt: noon) }?.field
                    == "occurredAt")
        }
    }

    @Test func checkInIsInTimeUntilTheDeadline() {
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

    @Test func demonstrationJourneyLastsASecondOrMore() {
        let now = Date(milliseconds: 1_795_338_120_000)
        func field(_ limits: IntervalLimits, _ length: Duration) -> String? {
            refusal {
                try JourneyRules.check(
                    expectedReturn: now.adding(length), at: now, shortest: limits.shortestJourney)
            }?.field
        }
        #expect(field(.demonstration, .seconds(1)) == nil)
        #expect(field(.demonstration, .milliseconds(999)) == "expectedReturn")
        #expect(field(.standard, .minutes(5)) == nil)
        #expect(field(.standard, .seconds(299)) == "expectedReturn")
    }

    @Test func presetsAndDefaultAreAccepted() {
        #expect(CheckInSettings.presets == [.hours(8), .hours(16), .hours(24), .hours(48)])
        for preset in CheckInSettings.presets {
            #expect(
                refusal { try IntervalLimits.standard.check(settings(Int(preset.inSeconds))) }
                    == nil)
        }
        #expect(CheckInSettings.standard == settings(24 * 3600))
    }
}
