import Domain
import Foundation
import Testing

@Suite struct OutageRuleTests {
    @Test(arguments: [(60_000, false), (60_001, true)])
    func aPauseOfMoreThanAMinuteIsAnOutage(milliseconds: Int, isOutage: Bool) {
        let outage = Outage(from: noon, to: noon.adding(.milliseconds(milliseconds)), after: nil)
        #expect((outage != nil) == isOutage)
    }

    @Test func itExplainsTheDeadlinesThatPassedInIt() throws {
        let outage = try #require(Outage(from: noon, to: noon.adding(.hours(1)), after: nil))
        #expect(!outage.explains(noon.aMillisecondBefore))
        #expect(outage.explains(noon))
        #expect(outage.explains(noon.adding(.hours(1))))
        #expect(!outage.explains(noon.adding(.hours(1)).aMillisecondAfter))
        #expect(outage.graceEnd == noon.adding(.hours(1) + .seconds(60)))
    }

    /// No message is sent within the grace after the first outage. A second outage that begins then
    /// continues the first.
    @Test(arguments: [(Duration.seconds(60) - .milliseconds(1), true), (.seconds(60), false)])
    func outageWithinTheGraceContinuesTheFirst(uptime: Duration, goesOn: Bool) throws {
        let first = try #require(Outage(from: noon, to: noon.adding(.hours(1)), after: nil))
        let last = first.to.adding(uptime)
        let second = try #require(Outage(from: last, to: last.adding(.hours(1)), after: first))
        #expect(second.explains(noon) == goesOn)
        #expect(second.from == last)
    }

    @Test func outageExplainsAQuestionWhoseTimeEndedInIt() throws {
        let outage = try #require(Outage(from: noon, to: noon.adding(.hours(1)), after: nil))
        let (first, last) = (noon.adding(.minutes(-15)), noon.adding(.minutes(45)))
        #expect(!outage.explains(questionAt: first.aMillisecondBefore))
        #expect(outage.explains(questionAt: first))
        #expect(outage.explains(questionAt: last))
        #expect(!outage.explains(questionAt: last.aMillisecondAfter))
    }
}

@Suite struct RestorationRuleTests {
    private let restoration = Restoration(restoredAt: noon.adding(.hours(5)), incompleteSince: noon)
    private let now = noon.adding(.hours(6))

    private func step(
        _ deadline: Date, heard: Date? = nil, asked: Date? = nil, at moment: Date? = nil
    ) -> Restoration.Step {
        restoration.step(deadline: deadline, heardAt: heard, askedAt: asked, at: moment ?? now)
    }

    @Test func restorationCoversDeadlinesSinceTheBackup() {
        #expect(step(noon) == .ask)
        #expect(step(noon.aMillisecondBefore) == .notify)
    }

    @Test func personHeardSinceTheRestoreIsNotAsked() {
        #expect(step(noon, heard: restoration.restoredAt) == .notify)
        #expect(step(noon, heard: restoration.restoredAt.aMillisecondBefore) == .ask)
    }

    @Test func thePersonHasFifteenMinutes() {
        let end = now.adding(.minutes(15))
        #expect(step(noon, asked: now, at: end.aMillisecondBefore) == .wait(until: end))
        #expect(step(noon, asked: now, at: end) == .notifyWithDoubt)
    }

    @Test func aQuestionAfterAnEarlierRestoreIsForgotten() {
        #expect(step(noon, asked: restoration.restoredAt.aMillisecondBefore) == .ask)
        #expect(step(noon, asked: restoration.restoredAt) == .notifyWithDoubt)
    }

    @Test func alertOfTheBackupWaitsForAMinute() {
        let start = restoration.restoredAt
        let end = start.adding(.seconds(60))
        func hold(since alert: Date, at moment: Date) -> Date? {
            restoration.holdEnd(ofAlertSince: alert, at: moment)
        }
        #expect(hold(since: start.aMillisecondBefore, at: start) == end)
        #expect(hold(since: start.aMillisecondBefore, at: end.aMillisecondBefore) == end)
        #expect(hold(since: start.aMillisecondBefore, at: end) == nil)
        #expect(hold(since: start, at: start) == nil)
        // A clock that was ahead during the restore delays nothing.
        #expect(hold(since: noon, at: start.aMillisecondBefore) == nil)
    }

    @Test func restorationEndsAfterTheLongestInterval() {
        let end = restoration.restoredAt.adding(.days(8))
        #expect(step(end.adding(.hours(-1)), at: end.aMillisecondBefore) == .ask)
        #expect(step(end.adding(.hours(-1)), at: end) == .notify)
    }
}
