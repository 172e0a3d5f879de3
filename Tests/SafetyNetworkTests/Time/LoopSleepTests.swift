import Domain
import Foundation
import Testing

@testable import Persistence
@testable import SafetyNetwork

@Suite struct LoopSleepTests {
    private let start = Date(milliseconds: 1_772_366_400_000)
    private let moment = ContinuousClock.now

    // MARK: Pauses

    @Test func pauseEndsAtTheDueTimeOrAfterTheQuietPause() {
        let pauses = LoopPauses(quiet: .minutes(1))
        #expect(pauses.pause(until: nil, at: start) == .minutes(1))
        #expect(pauses.pause(until: start.adding(.seconds(59)), at: start) == .seconds(59))
        #expect(pauses.pause(until: start.adding(.seconds(61)), at: start) == .minutes(1))
        #expect(pauses.pause(until: start, at: start) == .milliseconds(1))
        #expect(pauses.pause(until: start.adding(.hours(-1)), at: start) == .milliseconds(1))
    }

    @Test func onlyALoopThatHearsOfEverythingIsQuiet() {
        #expect(LoopPauses.deliveries(isShared: false).awaitsNews)
        #expect(LoopPauses.deadlines(isShared: false, noticesClockSets: true).awaitsNews)
        #expect(!LoopPauses.deliveries(isShared: true).awaitsNews)
        #expect(!LoopPauses.deadlines(isShared: true, noticesClockSets: true).awaitsNews)
        #expect(!LoopPauses.deadlines(isShared: false, noticesClockSets: false).awaitsNews)
    }

    // MARK: Commits

    @Test func commitCallsLoopsForWhatItMakesDue() {
        var outbox = Outbox()
        outbox.nextDue = start
        outbox.hasDeliveries = true
        var report = CommitReport(
            operations: 1, duration: .zero, outbox: outbox, failure: nil, hasWritten: false)
        #expect(LoopCalls(report) == LoopCalls(deadlines: start, deliveries: true, isNews: false))
        report.outbox = Outbox()
        report.hasWritten = true
        #expect(LoopCalls(report) == LoopCalls())
    }

    // MARK: Sleeps

    private func begin(_ sleep: inout LoopSleep, after: Duration = .zero) -> Duration? {
        let pause: Duration = .hours(1)
        return sleep.begin(
            for: pause, orAfterNews: .seconds(5), until: start.adding(after + pause),
            at: moment + after)
    }

    @Test func wakeBeforeASleepEndsOneSleep() {
        var sleep = LoopSleep()
        let early = sleep.wake()
        #expect(!early)
        let first = begin(&sleep)
        let second = begin(&sleep)
        #expect(first == nil && second == .hours(1))
        let wakes = sleep.wake()
        #expect(wakes && !sleep.isAsleep)
    }

    @Test func onlyAnEarlierTimeWakes() {
        var sleep = LoopSleep()
        _ = begin(&sleep)
        let atEnd = sleep.wake(at: start.adding(.hours(1)))
        #expect(!atEnd && sleep.isAsleep)
        let before = sleep.wake(at: start.adding(.minutes(59)))
        #expect(before && !sleep.isAsleep)
    }

    @Test func newsEndALongSleepAndShortenTheNext() {
        var sleep = LoopSleep()
        _ = begin(&sleep)
        let ends = sleep.noteNews(at: moment, sleepingAtMost: .seconds(5))
        #expect(ends)
        sleep.finish()
        let next = begin(&sleep)
        #expect(next == .seconds(5))
        let again = sleep.noteNews(at: moment, sleepingAtMost: .seconds(5))
        #expect(!again && sleep.isAsleep)
        sleep.finish()
        let third = begin(&sleep)
        sleep.finish()
        let fourth = begin(&sleep, after: .seconds(5))
        #expect(third == .seconds(5) && fourth == .hours(1))
    }
}
