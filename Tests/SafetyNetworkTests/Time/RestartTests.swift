import Domain
import Foundation
import Testing

@testable import SafetyNetwork

/// The deadline monitor's state is in the database, so a new monitor continues where the last one
/// stopped.
@Suite struct RestartTests {
    @Test func newMonitorContinues() async throws {
        let server = try TestServer()
        let (ada, ben) = (try await server.armed("Ada"), try await server.person("Ben"))
        try await server.connect(ben, watchesOver: ada)
        try await server.pass(.hours(24))
        try await server.pass(.minutes(5))
        #expect(
            try await server.news(of: ben) == [
                "Ada missed a check-in", "Ada still hasn't checked in",
            ])

        let deadlineMonitor = DeadlineMonitor(server.network)
        try await deadlineMonitor.handleDueDeadlines()
        #expect(try await server.news(of: ben) == [])
        server.clock.pass(.minutes(10))
        try await deadlineMonitor.handleDueDeadlines()
        #expect(try await server.news(of: ben) == ["Ada still hasn't checked in"])
    }

    /// The server stops after each step, and a new one opens the same file.
    @Test func newServerContinuesOnTheSameFile() async throws {
        let (environment, folder) = (TestEnvironment(), try TestFolder())
        var people: (ada: Person, ben: Person)?
        let moments: [(Duration, [String])] = [
            (.hours(24), ["Ada missed a check-in"]),
            (.hours(24) + .minutes(5), ["Ada still hasn't checked in"]),
            (.hours(24) + .minutes(6), []),
            (.hours(24) + .minutes(15), ["Ada still hasn't checked in"]),
            (.hours(24) + .minutes(30), ["Ada still hasn't checked in"]),
            (.hours(24) + .minutes(90), ["Ada still hasn't checked in"]),
        ]
        try await serve(environment, folder) { server in
            let (ada, ben) = (try await server.armed("Ada"), try await server.person("Ben"))
            try await server.connect(ben, watchesOver: ada)
            people = (ada, ben)
        }
        let (ada, ben) = try #require(people)
        for (moment, news) in moments {
            environment.clock.set(noon.adding(moment))
            try await serve(environment, folder) { server in
                try await server.deadlineMonitor.handleDueDeadlines()
                #expect(try await server.news(of: ben) == news)
            }
        }
        try await serve(environment, folder) { server in
            #expect(try await server.alerts(ada).count == 1)
            try await server.checkIn(ada)
            #expect(try await server.news(of: ben) == ["Ada checked in"])
        }
    }

    private func serve(
        _ environment: TestEnvironment, _ folder: TestFolder,
        _ story: (TestServer) async throws -> Void
    )
        async throws
    {
        let server = try TestServer(environment, path: folder.database)
        try await story(server)
        try server.engine.close()
    }

    @Test func longOutageIsReportedOnceAsLate() async throws {
        let server = try TestServer()
        let (ada, ben) = (try await server.armed("Ada"), try await server.person("Ben"))
        try await server.connect(ben, watchesOver: ada)
        try await server.outage(.hours(24) + .hours(5) - .minutes(1))
        try await server.pass(.minutes(1))
        let items = try await server.newsItems(of: ben)
        #expect(items.map(\.title) == ["Ada missed a check-in"])
        #expect(
            items.first?.body.contains(
                "This is late: LifeSignal could not tell you for 5 hours.") == true)
        let alert = try #require(try await server.openAlert(ada))
        #expect(alert.toldLate)
        #expect(alert.deadline == noon.adding(.hours(24)))
        #expect(alert.startTime == noon.adding(.hours(29)))
        try await server.pass(.minutes(5).minusAMillisecond)
        #expect(try await server.newsItems(of: ben).isEmpty)
    }

    @Test(arguments: [(Duration.minutes(1), false), (.minutes(1) + .milliseconds(1), true)])
    func aMinuteIsNotLateYet(delay: Duration, isLate: Bool) async throws {
        let server = try TestServer()
        let ada = try await server.armed("Ada")
        try await server.outage(.hours(24) + delay - .minutes(1))
        try await server.pass(.minutes(1))
        #expect(try await server.openAlert(ada)?.toldLate == isLate)
        #expect(server.watched.all.delays == [delay])
    }

    /// The server was down during an open alert. Only one repeat follows, however many were due.
    @Test func missedRepeatsBecomeOne() async throws {
        let server = try TestServer()
        let (ada, ben) = (try await server.armed("Ada"), try await server.person("Ben"))
        try await server.connect(ben, watchesOver: ada)
        try await server.raiseAlert(ada)
        _ = try await server.news(of: ben)
        try await server.pass(.hours(10))
        #expect(try await server.news(of: ben) == ["Ada still needs help"])
        try await server.pass(.hours(1))
        #expect(try await server.news(of: ben) == ["Ada still needs help"])
    }
}
