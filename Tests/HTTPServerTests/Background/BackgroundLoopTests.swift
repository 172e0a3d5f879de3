import Domain
import Foundation
import Persistence
import ServiceLifecycle
import Synchronization
import Testing

@testable import HTTPServer

@Suite(.timeLimit(.minutes(5))) struct BackgroundLoopTests {
    private let wakeup = Wakeup()
    private let log = LogBook()
    private let looks = Looks()

    /// The loop's work, with scripted results. A test can wait for each pass.
    private final class Looks: Sendable {
        private let outcomes = Mutex<[Result<Date?, DatabaseError>]>([])
        let began = AsyncStream.makeStream(of: Int.self)
        private let count = Counter()

        func plan(_ outcomes: [Result<Date?, DatabaseError>]) {
            self.outcomes.withLock { $0 = outcomes }
        }

        func look() throws -> Date? {
            began.continuation.yield(count.next())
            return try outcomes.withLock { $0.isEmpty ? .success(nil) : $0.removeFirst() }.get()
        }
    }

    private func loop(
        longestPause: Duration = .days(1), quietPause: Duration? = nil
    ) -> BackgroundLoop {
        BackgroundLoop(
            "test",
            .init(
                wakeup: wakeup, longestPause: longestPause, quietPause: quietPause, now: { noon }),
            logger: log.logger
        ) { [looks] in try looks.look() }
    }

    @Test func loopWorksAtOnceAndAtEachWakeup() async throws {
        let loop = loop()
        let running = Task { try await loop.run() }
        var began = looks.began.stream.makeAsyncIterator()
        #expect(await began.next() == 1)
        for number in 2...20 {
            wakeup.wake()
            #expect(await began.next() == number)
        }
        running.cancel()
        try await running.value
    }

    @Test func loopWorksAgainWhenMoreIsDue() async throws {
        looks.plan([
            .success(noon.adding(.milliseconds(1))), .success(noon.adding(.hours(-1))),
            .success(noon),
        ])
        let loop = loop()
        let running = Task { try await loop.run() }
        var began = looks.began.stream.makeAsyncIterator()
        for number in 1...4 { #expect(await began.next() == number) }
        running.cancel()
        try await running.value
    }

    @Test func lostWakeupDelaysAtMostTheLongestPause() async throws {
        looks.plan([.success(noon.adding(.days(300))), .success(nil)])
        let loop = loop(longestPause: .milliseconds(1))
        let running = Task { try await loop.run() }
        var began = looks.began.stream.makeAsyncIterator()
        for number in 1...3 { #expect(await began.next() == number) }
        running.cancel()
        try await running.value
    }

    /// After news, the loop looks at once and again after the longest pause.
    @Test(arguments: [nil, noon.adding(.hours(30))])
    func quietLoopSleepsUntilNews(due: Date?) async throws {
        looks.plan(Array(repeating: .success(due), count: 5))
        let loop = loop(longestPause: .milliseconds(1), quietPause: .days(1))
        #expect(loop.awaitsNews)
        let running = Task { try await loop.run() }
        var began = looks.began.stream.makeAsyncIterator()
        #expect(await began.next() == 1)
        while !wakeup.isAsleep { await Task.yield() }
        #expect(wakeup.plannedEnd == noon.adding(.days(1)))
        loop.noteNews()
        for number in 2...3 { #expect(await began.next() == number) }
        while !wakeup.isAsleep { await Task.yield() }
        #expect(wakeup.plannedEnd == noon.adding(.days(1)))
        wakeup.wake()
        #expect(await began.next() == 4)
        running.cancel()
        try await running.value
    }

    @Test func quietPauseIsNeverShorterThanTheLongest() async throws {
        let loop = loop(quietPause: .seconds(1))
        #expect(!loop.awaitsNews)
        let running = Task { try await loop.run() }
        var began = looks.began.stream.makeAsyncIterator()
        #expect(await began.next() == 1)
        while !wakeup.isAsleep { await Task.yield() }
        loop.noteNews()
        #expect(wakeup.isAsleep)
        running.cancel()
        try await running.value
    }

    @Test func sleepingLoopIsNotLate() async throws {
        let loop = loop()
        #expect(loop.timeWithoutProgress == nil)
        let running = Task { try await loop.run() }
        var began = looks.began.stream.makeAsyncIterator()
        #expect(await began.next() == 1)
        while !wakeup.isAsleep { await Task.yield() }
        #expect(loop.timeWithoutProgress == .zero)
        running.cancel()
        try await running.value
    }

    @Test func failureIsLoggedOnceAndRetried() async throws {
        looks.plan([.failure(.closed), .failure(.closed), .success(nil)])
        let loop = loop()
        #expect(!loop.hasFailed)
        let running = Task { try await loop.run() }
        var began = looks.began.stream.makeAsyncIterator()
        #expect(await began.next() == 1)
        while !wakeup.isAsleep { await Task.yield() }
        #expect(loop.hasFailed)
        wakeup.wake()
        #expect(await began.next() == 2)
        while !wakeup.isAsleep { await Task.yield() }
        #expect(loop.hasFailed)
        wakeup.wake()
        #expect(await began.next() == 3)
        while !wakeup.isAsleep { await Task.yield() }
        #expect(!loop.hasFailed)
        #expect(log.lines.filter { $0.contains("test failed and tries again") }.count == 1)
        running.cancel()
        try await running.value
    }

    @Test func gracefulShutdownEndsTheLoop() async throws {
        let loop = loop()
        let group = ServiceGroup(
            services: [loop, EventHubService(hub: EventHub())], logger: log.logger)
        let running = Task { try await group.run() }
        var began = looks.began.stream.makeAsyncIterator()
        #expect(await began.next() == 1)
        await group.triggerGracefulShutdown()
        try await running.value
    }
}

@Suite(.timeLimit(.minutes(5))) struct EventHubServiceTests {
    @Test func gracefulShutdownEndsOpenStreams() async throws {
        let scene = try await Scene()
        let stream = try await OpenStream(scene.server, scene.rita)
        #expect(await stream.next()?.event == "ready")
        let group = ServiceGroup(
            services: [EventHubService(hub: scene.server.hub)], logger: scene.server.log.logger)
        let running = Task { try await group.run() }
        await group.triggerGracefulShutdown()
        #expect(await stream.rest() == [])
        try await running.value
    }
}
