import Domain
import Foundation
import Testing

@testable import HTTPServer

/// No sleep of these ends by itself within the test: a day is long.
@Suite(.timeLimit(.minutes(5))) struct WakeupTests {
    private let wakeup = Wakeup()

    private func sleeper(until planned: Date? = nil) -> Task<Void, Never> {
        Task { [wakeup] in await wakeup.sleep(for: .days(1), until: planned) }
    }

    @Test func aRingEndsTheSleepWheneverItComes() async {
        for _ in 0..<200 {
            let sleep = sleeper()
            wakeup.wake()
            await sleep.value
        }
    }

    @Test func aRingBeforeTheSleepEndsItBeforeItBegins() async {
        wakeup.wake()
        wakeup.wake()
        await wakeup.sleep(for: .days(1), until: nil)
    }

    @Test func twoRingsBeforeASleepAreOne() async {
        wakeup.wake()
        wakeup.wake()
        await wakeup.sleep(for: .days(1), until: nil)
        // The second would be spent by now: this sleep ends by its own time.
        await wakeup.sleep(for: .milliseconds(1), until: nil)
    }

    @Test func aSleepEndsByItself() async {
        await wakeup.sleep(for: .zero, until: nil)
        await wakeup.sleep(for: .milliseconds(1), until: noon)
    }

    @Test func theTimerOfAnEarlierSleepDoesNotEndALaterOne() async {
        for _ in 0..<20 {
            let short = Task { [wakeup] in await wakeup.sleep(for: .milliseconds(20), until: nil) }
            for _ in 0..<1_000 where !wakeup.isAsleep { await Task.yield() }
            wakeup.wake()
            await short.value
        }
        // A short sleep may have ended by itself before its ring, which then waits for the next
        // one.
        wakeup.wake()
        await wakeup.sleep(for: .days(1), until: nil)
        let sleep = sleeper()
        while !wakeup.isAsleep { await Task.yield() }
        // By the end of these the timers of all short sleeps have gone off.
        for _ in 0..<3 { await Wakeup().sleep(for: .milliseconds(20), until: nil) }
        #expect(wakeup.isAsleep)
        wakeup.wake()
        await sleep.value
    }

    @Test func onlyWhatIsDueEarlierWakesTheSleeper() async {
        let sleep = sleeper(until: noon.adding(.hours(1)))
        while !wakeup.isAsleep { await Task.yield() }
        wakeup.wake(at: noon.adding(.hours(1)))
        wakeup.wake(at: noon.adding(.hours(2)))
        #expect(wakeup.isAsleep)
        wakeup.wake(at: noon.adding(.minutes(59)))
        await sleep.value
        #expect(!wakeup.isAsleep)
    }

    @Test func whenNobodyKnowsWhenTheSleeperWakesEveryRingCounts() async {
        let sleep = sleeper(until: nil)
        while !wakeup.isAsleep { await Task.yield() }
        wakeup.wake(at: noon.adding(.days(100)))
        await sleep.value
    }
}
