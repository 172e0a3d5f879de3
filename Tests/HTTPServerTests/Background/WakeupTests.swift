import Domain
import Foundation
import Testing

@testable import HTTPServer

/// No sleep of these ends by itself within the test: a day is long.
@Suite(.timeLimit(.minutes(5))) struct AlarmTests {
    private let alarm = Alarm()

    private func sleeper(until planned: Date? = nil) -> Task<Void, Never> {
        Task { [alarm] in await alarm.sleep(for: .days(1), until: planned) }
    }

    @Test func aRingEndsTheSleepWheneverItComes() async {
        for _ in 0..<200 {
            let sleep = sleeper()
            alarm.ring()
            await sleep.value
        }
    }

    @Test func aRingBeforeTheSleepEndsItBeforeItBegins() async {
        alarm.ring()
        alarm.ring()
        await alarm.sleep(for: .days(1), until: nil)
    }

    @Test func twoRingsBeforeASleepAreOne() async {
        alarm.ring()
        alarm.ring()
        await alarm.sleep(for: .days(1), until: nil)
        // The second would be spent by now: this sleep ends by its own time.
        await alarm.sleep(for: .milliseconds(1), until: nil)
    }

    @Test func aSleepEndsByItself() async {
        await alarm.sleep(for: .zero, until: nil)
        await alarm.sleep(for: .milliseconds(1), until: noon)
    }

    @Test func theTimerOfAnEarlierSleepDoesNotEndALaterOne() async {
        for _ in 0..<20 {
            let short = Task { [alarm] in await alarm.sleep(for: .milliseconds(20), until: nil) }
            for _ in 0..<1_000 where !alarm.isAsleep { await Task.yield() }
            alarm.ring()
            await short.value
        }
        // A short sleep may have ended by itself before its ring, which then waits for the next
        // one.
        alarm.ring()
        await alarm.sleep(for: .days(1), until: nil)
        let sleep = sleeper()
        while !alarm.isAsleep { await Task.yield() }
        // By the end of these the timers of all short sleeps have gone off.
        for _ in 0..<3 { await Alarm().sleep(for: .milliseconds(20), until: nil) }
        #expect(alarm.isAsleep)
        alarm.ring()
        await sleep.value
    }

    @Test func onlyWhatIsDueEarlierWakesTheSleeper() async {
        let sleep = sleeper(until: noon.adding(.hours(1)))
        while !alarm.isAsleep { await Task.yield() }
        alarm.ring(at: noon.adding(.hours(1)))
        alarm.ring(at: noon.adding(.hours(2)))
        #expect(alarm.isAsleep)
        alarm.ring(at: noon.adding(.minutes(59)))
        await sleep.value
        #expect(!alarm.isAsleep)
    }

    @Test func whenNobodyKnowsWhenTheSleeperWakesEveryRingCounts() async {
        let sleep = sleeper(until: nil)
        while !alarm.isAsleep { await Task.yield() }
        alarm.ring(at: noon.adding(.days(100)))
        await sleep.value
    }
}
