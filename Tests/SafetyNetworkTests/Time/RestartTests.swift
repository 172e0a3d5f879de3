import Domain
import Foundation
import Testing

@testable import SafetyNetwork

/// The monitor's state is in the rows: the next one goes on where the last one was.
@Suite struct RestartTests {
    @Test func aNewWatchGoesOn() async throws {
        let town = try Town()
        let (ada, ben) = (try await town.armed("Ada"), try await town.person("Ben"))
        try await town.connect(ben, watchesOver: ada)
        try await town.pass(.hours(24))
        try await town.pass(.minutes(5))
        #expect(
            try await town.news(of: ben) == [
                "Ada missed a check-in", "Ada is still non-responsive",
            ])

        let watch = Watch(town.network)
        try await watch.look()
        #expect(try await town.news(of: ben) == [])
        town.clock.pass(.minutes(10))
        try await watch.look()
        #expect(try await town.news(of: ben) == ["Ada is still non-responsive"])
    }

    /// The server dies at every step of the story, and a new one opens the same file.
    @Test func aNewServerOnTheSameFileGoesOn() async throws {
        let (world, folder) = (World(), try TestFolder())
        var people: (ada: Person, ben: Person)?
        let moments: [(Duration, [String])] = [
            (.hours(24), ["Ada missed a check-in"]),
            (.hours(24) + .minutes(5), ["Ada is still non-responsive"]),
            (.hours(24) + .minutes(6), []),
            (.hours(24) + .minutes(15), ["Ada is still non-responsive"]),
            (.hours(24) + .minutes(30), ["Ada is still non-responsive"]),
            (.hours(24) + .minutes(90), ["Ada is still non-responsive"]),
        ]
        try await serve(world, folder) { town in
            let (ada, ben) = (try await town.armed("Ada"), try await town.person("Ben"))
            try await town.connect(ben, watchesOver: ada)
            people = (ada, ben)
        }
        let (ada, ben) = try #require(people)
        for (moment, news) in moments {
            world.clock.set(noon.adding(moment))
            try await serve(world, folder) { town in
                try await town.watch.look()
                #expect(try await town.news(of: ben) == news)
            }
        }
        try await serve(world, folder) { town in
            #expect(try await town.alerts(ada).count == 1)
            try await town.checkIn(ada)
            #expect(try await town.news(of: ben) == ["Ada checked in"])
        }
    }

    private func serve(_ world: World, _ folder: TestFolder, _ story: (Town) async throws -> Void)
        async throws
    {
        let town = try Town(world, path: folder.database)
        try await story(town)
        try town.engine.close()
    }

    @Test func afterHoursOfSilenceThoseConcernedAreToldOnceAndThatItIsLate() async throws {
        let town = try Town()
        let (ada, ben) = (try await town.armed("Ada"), try await town.person("Ben"))
        try await town.connect(ben, watchesOver: ada)
        try await town.outage(.hours(24) + .hours(5) - .minutes(1))
        try await town.pass(.minutes(1))
        let items = try await town.newsItems(of: ben)
        #expect(items.map(\.title) == ["Ada missed a check-in"])
        #expect(
            items.first?.body.hasSuffix(
                "This comes late: LifeSignal could not tell you for 5 hours.") == true)
        let alert = try #require(try await town.openAlert(ada))
        #expect(alert.toldLate)
        #expect(alert.deadline == noon.adding(.hours(24)))
        #expect(alert.startTime == noon.adding(.hours(29)))
        try await town.pass(.minutes(5).minusAMillisecond)
        #expect(try await town.newsItems(of: ben).isEmpty)
    }

    @Test(arguments: [(Duration.minutes(1), false), (.minutes(1) + .milliseconds(1), true)])
    func aMinuteIsNotLateYet(delay: Duration, isLate: Bool) async throws {
        let town = try Town()
        let ada = try await town.armed("Ada")
        try await town.outage(.hours(24) + delay - .minutes(1))
        try await town.pass(.minutes(1))
        #expect(try await town.openAlert(ada)?.toldLate == isLate)
        #expect(town.watched.all.delays == [delay])
    }

    /// Down while an alert was open: one repeat, not one for each that was missed.
    @Test func missedRepeatsAreMadeUpForByOne() async throws {
        let town = try Town()
        let (ada, ben) = (try await town.armed("Ada"), try await town.person("Ben"))
        try await town.connect(ben, watchesOver: ada)
        try await town.raiseAlert(ada)
        _ = try await town.news(of: ben)
        try await town.pass(.hours(10))
        #expect(try await town.news(of: ben) == ["Ada still needs help"])
        try await town.pass(.hours(1))
        #expect(try await town.news(of: ben) == ["Ada still needs help"])
    }
}
