import Domain
import Foundation
import Synchronization
import Testing

@testable import HTTPServer

@Suite struct HeartbeatTests {
    private let clock = TestClock()
    private let world = World()

    /// The heartbeat's vitals, requests and reports.
    private final class World: Sendable {
        let vitals = Mutex(Vitals())
        let calls = Mutex<[Date]>([])
        let isAnswered = Mutex(true)
        /// The reason of a failed request; nil for an error of another type.
        let reason = Mutex<String?>(nil)
        let reports = Mutex<[String?]>([])
    }

    private struct Unanswered: Error {}

    private func heartbeat() -> Heartbeat {
        Heartbeat(
            vitals: { [world] in world.vitals.withLock { $0 } },
            request: { [world, clock] in
                guard world.isAnswered.withLock({ $0 }) else {
                    guard let reason = world.reason.withLock({ $0 }) else { throw Unanswered() }
                    throw Heartbeat.RequestFailure(reason: reason)
                }
                world.calls.withLock { $0.append(clock.now()) }
            },
            now: { [clock] in clock.now() },
            report: { [world] trouble in world.reports.withLock { $0.append(trouble) } })
    }

    private var calls: Int { world.calls.withLock { $0.count } }

    @Test func heartbeatIsSentEveryMinute() async {
        let heartbeat = heartbeat()
        for _ in 0..<3 {
            let start = clock.now()
            #expect(await heartbeat.beat() == start.adding(.minutes(1)))
            clock.advance(by: .minutes(1) - .milliseconds(1))
            #expect(await heartbeat.beat() == start.adding(.minutes(1)))
            clock.advance(by: .milliseconds(1))
        }
        #expect(calls == 3)
        #expect(heartbeat.warning == nil && world.reports.withLock { $0 }.isEmpty)
    }

    @Test(arguments: [
        Vitals(database: ["the database can't be written"]),
        Vitals(loops: [.init(name: "deadline monitor", timeWithoutProgress: nil)]),
        Vitals(loops: [.init(name: "deadline monitor", timeWithoutProgress: .seconds(31))]),
        Vitals(loops: [.init(name: "webhooks", hasFailed: true, timeWithoutProgress: .zero)]),
        Vitals(loops: [.init(name: "Web Push", timeWithoutProgress: .minutes(5))]),
        Vitals(deadlines: "a deadline could not be handled"),
        Vitals(freeDisk: 99_999_999), Vitals(providers: ["text messages: nothing was accepted"]),
    ])
    func heartbeatStopsWhileSomethingIsWrong(vitals: Vitals) async {
        let heartbeat = heartbeat()
        world.vitals.withLock { $0 = vitals }
        for _ in 0..<10 {
            let start = clock.now()
            #expect(await heartbeat.beat() == start.adding(Heartbeat.pauseInTrouble))
            clock.advance(by: Heartbeat.pauseInTrouble)
        }
        #expect(calls == 0)
        #expect(heartbeat.warning?.contains(vitals.problems[0]) == true)
        world.vitals.withLock { $0 = Vitals() }
        _ = await heartbeat.beat()
        #expect(calls == 1 && heartbeat.warning == nil)
        #expect(world.reports.withLock { $0 } == [vitals.problems[0], nil])
    }

    @Test func firstPassesMayTakeHalfAMinute() async {
        let heartbeat = heartbeat()
        let first = Vitals(loops: [.init(name: "console", timeWithoutProgress: nil)])
        world.vitals.withLock { $0 = first }
        _ = await heartbeat.beat()
        clock.advance(by: .seconds(30) - .milliseconds(1))
        _ = await heartbeat.beat()
        #expect(calls == 0 && heartbeat.warning == nil)
        #expect(world.reports.withLock { $0 }.isEmpty)
        clock.advance(by: .milliseconds(1))
        _ = await heartbeat.beat()
        #expect(world.reports.withLock { $0 } == ["console has not finished a pass yet"])
    }

    @Test func otherTroubleAtTheStartIsReported() async {
        let heartbeat = heartbeat()
        let first = Vitals.Loop(name: "console", timeWithoutProgress: nil)
        world.vitals.withLock { $0 = Vitals(loops: [first], providers: ["e-mail: smtp-554"]) }
        _ = await heartbeat.beat()
        #expect(
            world.reports.withLock { $0 }
                == ["console has not finished a pass yet; e-mail: smtp-554"])
    }

    @Test func healthyVitalsHaveNoProblems() {
        let loops = [
            Vitals.Loop(name: "deadline monitor", timeWithoutProgress: .zero),
            Vitals.Loop(name: "webhooks", timeWithoutProgress: .seconds(30)),
        ]
        #expect(Vitals(loops: loops, freeDisk: 100_000_000).problems == [])
    }

    @Test func failedHeartbeatIsRetriedSoon() async {
        let heartbeat = heartbeat()
        world.isAnswered.withLock { $0 = false }
        let start = clock.now()
        #expect(await heartbeat.beat() == start.adding(Heartbeat.pauseInTrouble))
        #expect(heartbeat.warning?.contains("did not take") == true)
        world.isAnswered.withLock { $0 = true }
        clock.advance(by: Heartbeat.pauseInTrouble)
        _ = await heartbeat.beat()
        #expect(calls == 1 && heartbeat.warning == nil)
    }

    @Test(
        arguments: [(nil, ""), ("it answered 404", ": it answered 404")] as [(String?, String)])
    func warningSaysWhyTheCallFailed(reason: String?, words: String) async {
        let heartbeat = heartbeat()
        world.isAnswered.withLock { $0 = false }
        world.reason.withLock { $0 = reason }
        _ = await heartbeat.beat()
        let trouble = "its address did not take the last call\(words)"
        #expect(heartbeat.warning == "the heartbeat is not sent: \(trouble)")
        #expect(world.reports.withLock { $0 } == [trouble])
    }

    @Test func heartbeatContinuesAfterTheClockIsSetBack() async {
        let heartbeat = heartbeat()
        _ = await heartbeat.beat()
        clock.advance(by: .zero - .hours(1))
        _ = await heartbeat.beat()
        #expect(calls == 2)
    }
}
