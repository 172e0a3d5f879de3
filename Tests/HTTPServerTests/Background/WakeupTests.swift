import Domain
import Foundation
import Testing

@testable import HTTPServer

/// Most sleeps last a day, so that only a wake-up ends them.
@Suite(.timeLimit(.minutes(5))) struct WakeupTests {
    private let wakeup = Wakeup()

    private func sleeper(until planned: Date? = nil) -> Task<Void, Never> {
        Task { [wakeup] in await wakeup.sleep(for: .days(1), until: planned) }
    }

    @Test func wakeEndsTheSleepAtAnyMoment() async {
        for _ in 0..<200 {
            let sleep = sleeper()
            wakeup.wake()
            await sleep.value
        }
    }

    @Test func wakeBeforeTheSleepEndsItAtOnce() async {
        wakeup.wake()
        wakeup.wake()
        await wakeup.sleep(for: .days(1), until: nil)
    }

    @Test func twoWakesBeforeASleepCountOnce() async {
        wakeup.wake()
        wakeup.wake()
        await wakeup.sleep(for: .days(1), until: nil)
        // `Wakeup` stores only one wake-up, so this sleep ends after its duration.
        await wakeup.sleep(for: .milliseconds(1), until: nil)
    }

    @Test func sleepEndsByItself() async {
        await wakeup.sleep(for: .zero, until: nil)
        await wakeup.sleep(for: .milliseconds(1), until: noon)
    }

    @Test func timerOfAnEarlierSleepDoesNotEndALaterOne() async {
        for _ in 0..<20 {
            let short = Task { [wakeup] in await wakeup.sleep(for: .milliseconds(20), until: nil) }
            for _ in 0..<1_000 where !wakeup.isAsleep { await Task.yield() }
            wakeup.wake()
            await short.value
        }
        // If the short sleep ended before the wake-up, the wake-up ends the next sleep.
        wakeup.wake()
        await wakeup.sleep(for: .days(1), until: nil)
        let sleep = sleeper()
        while !wakeup.isAsleep { await Task.yield() }
        // By the end of these sleeps, the timers of all short sleeps have fired.
        for _ in 0..<3 { await Wakeup().sleep(for: .milliseconds(20), until: nil) }
        #expect(wakeup.isAsleep)
        wakeup.wake()
        await sleep.value
    }

    @Test func onlyAnEarlierTimeWakesTheSleeper() async {
        let sleep = sleeper(until: noon.adding(.hours(1)))
        while !wakeup.isAsleep { await Task.yield() }
        wakeup.wake(at: noon.adding(.hours(1)))
        wakeup.wake(at: noon.adding(.hours(2)))
        #expect(wakeup.isAsleep)
        wakeup.wake(at: noon.adding(.minutes(59)))
        await sleep.value
        #expect(!wakeup.isAsleep)
    }

    @Test func newsEndOnlyALongerSleep() async {
        let sleep = sleeper()
        while !wakeup.isAsleep { await Task.yield() }
        wakeup.noteNews(sleepingAtMost: .days(1))
        #expect(wakeup.isAsleep)
        wakeup.noteNews(sleepingAtMost: .hours(23))
        await sleep.value
    }

    @Test func onlyTheSleepAfterNewsIsShort() async {
        wakeup.noteNews(sleepingAtMost: .hours(1))
        await wakeup.sleep(for: .days(1), orAfterNews: .milliseconds(1), until: nil)
        let sleep = Task { [wakeup] in
            await wakeup.sleep(
                for: .days(1), orAfterNews: .milliseconds(1), until: noon.adding(.days(1)))
        }
        while !wakeup.isAsleep { await Task.yield() }
        #expect(wakeup.plannedEnd == noon.adding(.days(1)))
        wakeup.wake()
        await sleep.value
    }

    /// A delivery's end is news and also wakes its loop. The second pass may still be too early.
    @Test func wakeUpAfterNewsKeepsTheNextSleepShort() async {
        func sleep() async -> Task<Void, Never> {
            let sleep = Task { [wakeup] in
                await wakeup.sleep(
                    for: .days(1), orAfterNews: .hours(1), until: noon.adding(.days(1)))
            }
            while !wakeup.isAsleep { await Task.yield() }
            return sleep
        }
        wakeup.noteNews(sleepingAtMost: .hours(1))
        let first = await sleep()
        wakeup.wake()
        await first.value
        let second = await sleep()
        wakeup.wake(at: noon.adding(.hours(1)))
        #expect(wakeup.isAsleep)
        wakeup.wake()
        await second.value
    }

    @Test func newsNeverProlongASleep() async {
        wakeup.noteNews(sleepingAtMost: .days(1))
        await wakeup.sleep(for: .milliseconds(1), orAfterNews: .days(1), until: nil)
    }

    @Test func newsBringThePlannedEndForward() async {
        wakeup.noteNews(sleepingAtMost: .hours(1))
        let sleep = Task { [wakeup] in
            await wakeup.sleep(
                for: .days(1), orAfterNews: .hours(1), until: noon.adding(.days(1)))
        }
        while !wakeup.isAsleep { await Task.yield() }
        wakeup.wake(at: noon.adding(.hours(1)))
        #expect(wakeup.isAsleep)
        wakeup.wake(at: noon.adding(.minutes(59)))
        await sleep.value
    }

    @Test func sleeperWithoutAPlannedEndAlwaysWakes() async {
        let sleep = sleeper(until: nil)
        while !wakeup.isAsleep { await Task.yield() }
        wakeup.wake(at: noon.adding(.days(100)))
        await sleep.value
    }
}
