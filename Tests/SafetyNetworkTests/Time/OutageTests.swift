import Domain
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

/// No server was running, and then one is.
@Suite struct OutageTests: ServesAgain {
    let world = World()
    let folder: TestFolder

    init() throws { folder = try TestFolder() }

    /// Ada, whose deadline is 24 hours after noon, and Ben; the server's last sign of life is
    /// `left` after noon.
    private func people(until left: Duration) async throws -> (ada: Person, ben: Person) {
        try await serve { town in
            let (ada, ben) = (try await town.armed("Ada"), try await town.person("Ben"))
            try await town.connect(ben, watchesOver: ada)
            try await town.pass(left)
            try await town.network.giveSignOfLife()
            for person in [ada, ben] { _ = try await town.news(of: person) }
            return (ada, ben)
        }
    }

    private let deadline = Duration.hours(24)

    @Test(arguments: [(Duration.seconds(60), false), (.seconds(60).plusAMillisecond, true)])
    func aPauseOfMoreThanAMinuteIsAnOutage(pause: Duration, isOutage: Bool) async throws {
        let (ada, ben) = try await people(until: deadline - .seconds(1))
        world.clock.pass(pause)
        try await serve { town in
            try await town.watch.look()
            #expect(try await town.alerts(ada).isEmpty == isOutage)
            try await town.pass(.seconds(60).minusAMillisecond)
            #expect(try await town.alerts(ada).isEmpty == isOutage)
            try await town.pass(.milliseconds(1))
            #expect(try await town.openAlert(ada)?.toldLate == isOutage)
            #expect(try await town.news(of: ben) == ["Ada missed a check-in"])
        }
    }

    @Test func aCheckInThatWaitedOnTheDeviceComesInTime() async throws {
        let (ada, ben) = try await people(until: .hours(20))
        world.clock.pass(.hours(6))
        try await serve { town in
            try await town.pass(.seconds(59))
            try await town.checkIn(ada, at: noon.adding(.hours(23)))
            try await town.pass(.minutes(5))
            #expect(try await town.alerts(ada).isEmpty)
            #expect(try await town.news(of: ben) == [])
            // It arms her as usual.
            try await town.pass(noon.adding(.hours(47)).since(town.clock.now))
            #expect(try await town.openAlert(ada)?.toldLate == false)
        }
    }

    @Test func theGraceIsNeverRenewed() async throws {
        let (ada, _) = try await people(until: .hours(20))
        world.clock.pass(.hours(6))
        for _ in 1...2 {
            try await serve { town in
                try await town.watch.look()
                #expect(try await town.alerts(ada).isEmpty)
            }
            world.clock.pass(.seconds(30))
        }
        try await serve { town in
            try await town.watch.look()
            #expect(try await town.openAlert(ada)?.toldLate == true)
        }
    }

    /// A server that dies again and again, each time for more than a minute.
    @Test func aSecondOutageDoesNotHoldUpWhatTheFirstHeldUp() async throws {
        let (ada, ben) = try await people(until: .hours(20))
        world.clock.pass(.hours(6))
        try await serve { town in
            try await town.pass(.seconds(10))
            try await town.network.giveSignOfLife()
        }
        world.clock.pass(.seconds(61))
        try await serve { town in
            try await town.watch.look()
            #expect(try await town.openAlert(ada)?.toldLate == true)
            #expect(
                try await town.newsItems(of: ben).last?.body.contains(
                    "could not tell you for 2 hours") == true)
        }
    }

    @Test func aDeadlineFromBeforeTheOutageIsToldAtOnce() async throws {
        let (ada, _) = try await people(until: deadline - .seconds(1))
        try await serve { town in
            // The watch is held up until the server dies.
            world.clock.pass(.seconds(2))
            try await town.network.giveSignOfLife()
        }
        world.clock.pass(.hours(6))
        try await serve { town in
            try await town.watch.look()
            #expect(try await town.openAlert(ada)?.toldLate == false)
        }
    }

    @Test func manualAlertsAndRepeatsGoOutAtOnce() async throws {
        let (ada, ben) = try await people(until: .hours(20))
        try await serve { town in
            try await town.raiseAlert(ada)
            try await town.network.giveSignOfLife()
            _ = try await town.news(of: ben)
        }
        world.clock.pass(.hours(6))
        try await serve { town in
            try await town.watch.look()
            #expect(try await town.news(of: ben) == ["Ada still needs help"])
            let cleo = try await town.person("Cleo")
            try await town.connect(ben, watchesOver: cleo)
            try await town.raiseAlert(cleo)
            #expect(try await town.news(of: ben) == ["Cleo needs help"])
        }
    }

    @Test func aReminderDoesNotWait() async throws {
        let (ada, _) = try await people(until: .hours(20))
        world.clock.pass(.hours(3))
        try await serve { town in
            try await town.watch.look()
            #expect(try await town.news(of: ada) == ["Check in soon"])
        }
    }

    /// The server had been running all the time.
    @Test func whoShortensTheIntervalIsMissedWithoutAWordOfDowntime() async throws {
        let (ada, ben) = try await people(until: .hours(5))
        try await serve { town in
            _ = try await town.setInterval(.hours(1), of: ada)
            try await town.watch.look()
            #expect(try await town.openAlert(ada)?.toldLate == false)
            let body = try #require(try await town.newsItems(of: ben).last?.body)
            #expect(!body.contains("could not tell"))
        }
    }

    /// The server was down, but the deadline came to lie there afterwards.
    @Test func whoShortensTheIntervalIntoAnOutageIsMissedAtOnceWithoutAWordOfIt() async throws {
        let (ada, _) = try await people(until: .hours(1))
        world.clock.pass(.hours(6))
        try await serve { town in
            try await town.pass(.seconds(1))
            _ = try await town.setInterval(.hours(3), of: ada)
            try await town.watch.look()
            #expect(try await town.openAlert(ada)?.toldLate == false)
        }
    }
}
