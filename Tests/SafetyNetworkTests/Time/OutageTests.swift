import Domain
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

/// A server starts after a time without any server.
@Suite struct OutageTests: ServesAgain {
    let environment = TestEnvironment()
    let folder: TestFolder

    init() throws { folder = try TestFolder() }

    /// Returns Ada, whose deadline is 24 hours after noon, and Ben, her responder. The server stops
    /// `left` after noon.
    private func people(
        until left: Duration, under plan: CheckInPlan = .interval
    ) async throws -> (ada: Person, ben: Person) {
        try await serve { server in
            let (ada, ben) = (try await server.armed("Ada"), try await server.person("Ben"))
            try await server.connect(ben, watchesOver: ada)
            try await server.setPlan(plan, of: ada)
            try await server.pass(left)
            try await server.network.serverLife.giveSignOfLife()
            for person in [ada, ben] { _ = try await server.news(of: person) }
            return (ada, ben)
        }
    }

    private let deadline = Duration.hours(24)

    @Test(arguments: [(Duration.seconds(60), false), (.seconds(60).plusAMillisecond, true)])
    func aPauseOfMoreThanAMinuteIsAnOutage(pause: Duration, isOutage: Bool) async throws {
        let (ada, ben) = try await people(until: deadline - .seconds(1))
        environment.clock.pass(pause)
        try await serve { server in
            try await server.deadlineMonitor.handleDueDeadlines()
            #expect(try await server.alerts(ada).isEmpty == isOutage)
            try await server.pass(.seconds(60).minusAMillisecond)
            #expect(try await server.alerts(ada).isEmpty == isOutage)
            try await server.pass(.milliseconds(1))
            #expect(try await server.openAlert(ada)?.toldLate == isOutage)
            #expect(try await server.news(of: ben) == ["Ada missed a check-in"])
        }
    }

    @Test func queuedCheckInArrivesInTime() async throws {
        let (ada, ben) = try await people(until: .hours(20))
        environment.clock.pass(.hours(6))
        try await serve { server in
            try await server.pass(.seconds(59))
            try await server.checkIn(ada, at: noon.adding(.hours(23)))
            try await server.pass(.minutes(5))
            #expect(try await server.alerts(ada).isEmpty)
            #expect(try await server.news(of: ben) == [])
            // Ada's new deadline is a full interval after the check-in.
            try await server.pass(noon.adding(.hours(47)).since(server.clock.now))
            #expect(try await server.openAlert(ada)?.toldLate == false)
        }
    }

    /// The deadline after the first check-in lies within the outage. The one after the second is
    /// still ahead.
    @Test(arguments: [true, false])
    func graceCoversCheckInsOldestFirst(newerComes: Bool) async throws {
        let (ada, ben) = try await people(until: .hours(20))
        environment.clock.pass(.hours(30))
        try await serve { server in
            try await server.checkIn(ada, at: noon.adding(.hours(22)))
            try await server.deadlineMonitor.handleDueDeadlines()
            #expect(try await server.alerts(ada).isEmpty)
            try await server.pass(.milliseconds(50))
            if newerComes { try await server.checkIn(ada, at: noon.adding(.hours(46))) }
            try await server.pass(.seconds(60) - .milliseconds(51))
            #expect(try await server.alerts(ada).isEmpty)
            try await server.pass(.milliseconds(1))
            #expect(try await server.alerts(ada).isEmpty == newerComes)
            #expect(try await server.openAlert(ada)?.toldLate == (newerComes ? nil : true))
            #expect(try await server.news(of: ben).isEmpty == newerComes)
        }
    }

    private func changeReminders(of person: Person, on server: TestServer) async throws {
        var settings = try await server.profile(person).settings
        settings.remindTwoHoursBefore.toggle()
        _ = try await server.network.checkIns.updateSettings(settings, of: person.caller)
    }

    /// Ada changes her reminders during the grace or at its end.
    @Test(
        arguments: [Duration.seconds(10), .seconds(60)],
        [
            CheckInPlan.interval, .sleeping(from: 3), .times(.daily(until: 12 * 60)),
        ])
    func reminderChangeKeepsTheGrace(time: Duration, plan: CheckInPlan) async throws {
        let (ada, ben) = try await people(until: .hours(20), under: plan)
        environment.clock.pass(.hours(6))
        try await serve { server in
            environment.clock.pass(time)
            try await changeReminders(of: ada, on: server)
            try await server.deadlineMonitor.handleDueDeadlines()
            #expect(try await server.alerts(ada).isEmpty == (time < .seconds(60)))
            try await server.pass(.seconds(60) - time)
            #expect(try await server.openAlert(ada)?.toldLate == true)
            let body = try #require(try await server.newsItems(of: ben).last?.body)
            #expect(body.contains("could not tell you for 2 hours"))
        }
    }

    /// The deadline passes 10 seconds after the server's start, during the grace of others.
    @Test func reminderChangeGrantsNoGrace() async throws {
        let (ada, _) = try await people(until: .hours(20))
        environment.clock.pass(.hours(4) - .seconds(10))
        try await serve { server in
            environment.clock.pass(.seconds(20))
            try await changeReminders(of: ada, on: server)
            try await server.deadlineMonitor.handleDueDeadlines()
            #expect(try await server.openAlert(ada)?.toldLate == false)
        }
    }

    /// The deadline passes after the server's start, so the outage delays nothing.
    @Test func deadlineAfterTheOutageIsMissedAtOnce() async throws {
        let (ada, _) = try await people(until: .hours(20))
        environment.clock.pass(.hours(6))
        try await serve { server in
            try await server.pass(.seconds(30))
            try await server.checkIn(ada, at: noon.adding(.hours(2) + .seconds(20)))
            try await server.deadlineMonitor.handleDueDeadlines()
            #expect(try await server.openAlert(ada)?.toldLate == false)
        }
    }

    @Test func theGraceIsNeverRenewed() async throws {
        let (ada, _) = try await people(until: .hours(20))
        environment.clock.pass(.hours(6))
        for _ in 1...2 {
            try await serve { server in
                try await server.deadlineMonitor.handleDueDeadlines()
                #expect(try await server.alerts(ada).isEmpty)
            }
            environment.clock.pass(.seconds(30))
        }
        try await serve { server in
            try await server.deadlineMonitor.handleDueDeadlines()
            #expect(try await server.openAlert(ada)?.toldLate == true)
        }
    }

    /// The server stops repeatedly, each time for more than a minute.
    @Test func secondOutageDoesNotDelayAgain() async throws {
        let (ada, ben) = try await people(until: .hours(20))
        environment.clock.pass(.hours(6))
        try await serve { server in
            try await server.pass(.seconds(10))
            try await server.network.serverLife.giveSignOfLife()
        }
        environment.clock.pass(.seconds(61))
        try await serve { server in
            try await server.deadlineMonitor.handleDueDeadlines()
            #expect(try await server.openAlert(ada)?.toldLate == true)
            #expect(
                try await server.newsItems(of: ben).last?.body.contains(
                    "could not tell you for 2 hours") == true)
        }
    }

    @Test func deadlineBeforeTheOutageIsReportedAtOnce() async throws {
        let (ada, _) = try await people(until: deadline - .seconds(1))
        try await serve { server in
            // The server stops before the deadline monitor runs.
            environment.clock.pass(.seconds(2))
            try await server.network.serverLife.giveSignOfLife()
        }
        environment.clock.pass(.hours(6))
        try await serve { server in
            try await server.deadlineMonitor.handleDueDeadlines()
            #expect(try await server.openAlert(ada)?.toldLate == false)
        }
    }

    @Test func manualAlertsAndRepeatsGoOutAtOnce() async throws {
        let (ada, ben) = try await people(until: .hours(20))
        try await serve { server in
            try await server.raiseAlert(ada)
            try await server.network.serverLife.giveSignOfLife()
            _ = try await server.news(of: ben)
        }
        environment.clock.pass(.hours(6))
        try await serve { server in
            try await server.deadlineMonitor.handleDueDeadlines()
            #expect(try await server.news(of: ben) == ["Ada still needs help"])
            let cleo = try await server.person("Cleo")
            try await server.connect(ben, watchesOver: cleo)
            try await server.raiseAlert(cleo)
            #expect(try await server.news(of: ben) == ["Cleo needs help"])
        }
    }

    /// The server stops when it has asked Ben whether he is still helping.
    @Test func responderHasTimeToAnswerAfterAnOutage() async throws {
        let (ada, ben) = try await people(until: .hours(1))
        try await serve { server in
            let alert = try await server.raiseAlert(ada)
            _ = try await server.acknowledge(alert, ben)
            try await server.pass(Escalation.quietAfterAcknowledgement)
            #expect(try await server.news(of: ben).last == "Are you still helping Ada?")
            try await server.network.serverLife.giveSignOfLife()
        }
        environment.clock.pass(.minutes(30))
        try await serve { server in
            try await server.pass(.minutes(5).minusAMillisecond)
            #expect(try await server.openAlert(ada)?.acknowledgement?.name == "Ben")
            #expect(try await server.news(of: ben) == [])
            try await server.pass(.milliseconds(1))
            #expect(try await server.openAlert(ada)?.acknowledgement == nil)
            #expect(try await server.news(of: ben) == ["Ada may still need help"])
        }
    }

    /// A server that starts again and again must not delay the lapse each time.
    @Test func secondOutageGivesNoMoreTimeToAnswer() async throws {
        let (ada, ben) = try await people(until: .hours(1))
        try await serve { server in
            let alert = try await server.raiseAlert(ada)
            _ = try await server.acknowledge(alert, ben)
            try await server.pass(Escalation.quietAfterAcknowledgement)
            try await server.network.serverLife.giveSignOfLife()
        }
        environment.clock.pass(.minutes(30))
        try await serve { server in
            try await server.pass(.minutes(4))
            #expect(try await server.openAlert(ada)?.acknowledgement?.name == "Ben")
            try await server.network.serverLife.giveSignOfLife()
        }
        environment.clock.pass(.minutes(30))
        try await serve { server in
            try await server.deadlineMonitor.handleDueDeadlines()
            #expect(try await server.openAlert(ada)?.acknowledgement == nil)
        }
    }

    @Test func aReminderDoesNotWait() async throws {
        let (ada, _) = try await people(until: .hours(20))
        environment.clock.pass(.hours(3))
        try await serve { server in
            try await server.deadlineMonitor.handleDueDeadlines()
            #expect(try await server.news(of: ada) == ["Check in soon"])
        }
    }

    /// The server was never down, so no message may mention an outage.
    @Test func shortenedIntervalMentionsNoDowntime() async throws {
        let (ada, ben) = try await people(until: .hours(5))
        try await serve { server in
            _ = try await server.setInterval(.hours(1), of: ada)
            try await server.deadlineMonitor.handleDueDeadlines()
            #expect(try await server.openAlert(ada)?.toldLate == false)
            let body = try #require(try await server.newsItems(of: ben).last?.body)
            #expect(!body.contains("could not tell"))
        }
    }

    /// The interval is shortened after the outage. That moves the deadline into the outage.
    @Test func intervalShortenedIntoAnOutageMentionsNone() async throws {
        let (ada, _) = try await people(until: .hours(1))
        environment.clock.pass(.hours(6))
        try await serve { server in
            try await server.pass(.seconds(1))
            _ = try await server.setInterval(.hours(3), of: ada)
            try await server.deadlineMonitor.handleDueDeadlines()
            #expect(try await server.openAlert(ada)?.toldLate == false)
        }
    }
}
