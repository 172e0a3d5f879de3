import Domain
import Foundation
import Testing

@testable import SafetyNetwork

@Suite struct SilenceTests {
    /// Returns a server on which Ada missed a check-in and Ben was told.
    private func missed(
        options: (inout SafetyNetwork.Options) -> Void = { _ in }
    ) async throws -> (TestServer, ada: Person, ben: Person) {
        let server = try TestServer(options: options)
        let (ada, ben) = (try await server.armed("Ada"), try await server.person("Ben"))
        try await server.connect(ben, watchesOver: ada)
        try await server.pass(.hours(24))
        #expect(try await server.news(of: ben) == ["Ada missed a check-in"])
        return (server, ada, ben)
    }

    @Test func longerIntervalKeepsThePersonNonResponsive() async throws {
        let (server, ada, ben) = try await missed()
        let profile = try await server.setInterval(.hours(48), of: ada)
        #expect(profile.status == .nonResponsive)
        #expect(try await server.contact(ada, seenBy: ben)?.watch?.status == .nonResponsive)
        #expect(try await server.openAlert(ada) != nil)
        try await server.checkIn(ada)
        #expect(try await server.profile(ada).status == .active)
    }

    @Test func newMissedDeadlineRestartsTheAlert() async throws {
        let (server, ada, ben) = try await missed()
        _ = try await server.setInterval(.hours(48), of: ada, reminders: false)
        let first = try #require(try await server.openAlert(ada))
        try await server.pass(.hours(24) - .milliseconds(1))
        _ = try await server.news(of: ben)
        try await server.pass(.milliseconds(1))
        #expect(try await server.news(of: ben).last == "Ada missed another check-in")
        let second = try #require(try await server.openAlert(ada))
        #expect(second.id == first.id)
        #expect(second.deadline == server.clock.now)
        try await server.pass(.minutes(5))
        #expect(try await server.news(of: ben) == ["Ada still hasn't checked in"])
    }

    /// Ada shortens her interval during the alert. Her new deadline passed before the old one did.
    /// - Parameter between: an interval whose deadline is ahead, which she chooses first.
    @Test(arguments: [nil, Duration.hours(48)])
    func deadlineThatHasPassedDoesNotRestartTheAlert(between: Duration?) async throws {
        let (server, ada, ben) = try await missed()
        if let between { _ = try await server.setInterval(between, of: ada) }
        let first = try #require(try await server.openAlert(ada))
        try await server.pass(.minutes(1))
        for person in [ada, ben] { _ = try await server.alertNews(of: person) }
        _ = try await server.setInterval(.hours(20), of: ada)
        try await server.pass(.minutes(1))
        for person in [ada, ben] {
            #expect(try await server.alertNews(of: person).map(\.title) == [])
        }
        #expect(try await server.openAlert(ada)?.id == first.id)
        #expect(try await server.openAlert(ada)?.deadline == first.deadline)
        #expect(try await server.profile(ada).status == .nonResponsive)
        // The repeats count from the first alarm.
        try await server.pass(.minutes(3))
        #expect(
            try await server.alertNews(of: ben).map(\.title) == ["Ada still hasn't checked in"])
        try await server.checkIn(ada)
        try await server.pass(.hours(20))
        #expect(try await server.alertNews(of: ben).map(\.title).contains("Ada missed a check-in"))
    }

    /// A server comes back to a deadline that it hasn't handled, under an open alert. The change of
    /// the interval must not lose it.
    @Test func unhandledDeadlineRestartsTheAlertAfterAChange() async throws {
        let (server, ada, ben) = try await missed()
        _ = try await server.setInterval(.hours(25), of: ada, reminders: false)
        server.clock.set(noon.adding(.hours(26)))
        _ = try await server.news(of: ben)
        _ = try await server.setInterval(.hours(20), of: ada, reminders: false)
        try await server.deadlineMonitor.handleDueDeadlines()
        #expect(try await server.news(of: ben).contains("Ada missed another check-in"))
    }

    @Test func aNewMissedDeadlineKeepsTheAcknowledgement() async throws {
        let (server, ada, ben) = try await missed()
        let cleo = try await server.person("Cleo")
        try await server.connect(cleo, watchesOver: ada)
        _ = try await server.setInterval(.hours(25), of: ada, reminders: false)
        try await server.pass(.minutes(45))
        let alert = try #require(try await server.openAlert(ben))
        _ = try await server.acknowledge(alert, ben)
        for person in [ben, cleo] { _ = try await server.news(of: person) }
        try await server.pass(.minutes(15))
        #expect(try await server.news(of: ben) == ["Ada missed another check-in"])
        #expect(try await server.news(of: cleo) == [])
        #expect(try await server.openAlert(ada)?.acknowledgement?.name == "Ben")
    }

    /// Returns what Ada reads of alerts at another missed deadline, 15 minutes after Ben's answer.
    /// Cleo is her other responder.
    private func words(
        isReached: Bool, _ answer: (TestServer, AlertRecord, Person) async throws -> Void
    ) async throws -> [String] {
        let (server, ada, ben) = try await missed { $0.isSMSAvailable = isReached }
        let cleo = try await server.person("Cleo")
        try await server.connect(cleo, watchesOver: ada)
        _ = try await server.setInterval(.hours(25), of: ada, reminders: false)
        try await server.pass(.minutes(45))
        try await answer(server, try #require(try await server.openAlert(ben)), ben)
        _ = try await server.news(of: ada)
        try await server.pass(.minutes(15))
        return try await server.alertNews(of: ada).map(\.body)
    }

    @Test(arguments: [true, false])
    func ownerReadsThatOnlyTheHelperIsTold(isReached: Bool) async throws {
        let words = try await words(isReached: isReached) { server, alert, ben in
            _ = try await server.acknowledge(alert, ben)
        }
        let told = isReached ? "Ben is being told." : "No message reaches Ben."
        #expect(
            words == [
                """
                You should have checked in by 13:00 UTC. \(told) No one else is told while Ben is \
                on it. Check in if you are fine.
                """
            ])
    }

    @Test func ownerReadsThatOnlyTheReporterIsTold() async throws {
        let words = try await words(isReached: true) { server, alert, ben in
            _ = try await server.network.responding.report(
                .foundSafe, on: try alert.typedID, by: ben.caller)
        }
        #expect(words.count == 1)
        #expect(
            words.first?.contains("Ben is being told. No one else is alerted again until 00:45")
                == true, "\(words)")
    }

    @Test func ownerReadsThatAllAreToldWithoutAnAnswer() async throws {
        let words = try await words(isReached: true) { _, _, _ in }
        #expect(words.count == 1)
        #expect(words.first?.contains("Your 2 responders are being told.") == true, "\(words)")
    }

    @Test func theOwnerIsToldAgain15MinutesAfterAnotherMissedDeadline() async throws {
        let (server, ada, _) = try await missed()
        _ = try await server.setInterval(.hours(25), of: ada, reminders: false)
        _ = try await server.news(of: ada)
        try await server.pass(.minutes(15))
        #expect(try await server.news(of: ada) == ["No one is on it yet"])
        try await server.pass(.minutes(45))
        #expect(try await server.news(of: ada) == ["You missed your check-in"])
        try await server.pass(.minutes(15) - .milliseconds(1))
        #expect(try await server.news(of: ada) == [])
        try await server.pass(.milliseconds(1))
        #expect(try await server.news(of: ada) == ["No one is on it yet"])
        try await server.pass(.minutes(15))
        #expect(try await server.news(of: ada) == [])
    }

    @Test(arguments: [2, 8, 30])
    func anUnansweredAlertIsStillRepeatedAfterDays(days: Int) async throws {
        let (server, _, ben) = try await missed()
        try await server.pass(.days(days))
        _ = try await server.news(of: ben)
        try await server.pass(.days(1))
        #expect(try await server.news(of: ben) == ["Ada still hasn't checked in"])
    }

    @Test func accountDeletionTellsOfTheAlertsEnd() async throws {
        let server = try TestServer(options: { $0.isSMSAvailable = true })
        let (ada, ben) = (try await server.person("Ada"), try await server.person("Ben"))
        try await server.connect(ben, watchesOver: ada)
        try await server.raiseAlert(ada)
        try await server.takeSMS()
        _ = try await server.news(of: ben)
        try await server.deleteAccount(ada)
        let sent = try await server.takeSMS()
        #expect(sent == ["Ada has left LifeSignal"])
        let goodbye = try await server.newsItems(of: ben)
        #expect(goodbye.map(\.title).contains("Ada has left LifeSignal"))
        #expect(goodbye.contains { $0.body.hasSuffix("The alert has ended with it.") })
    }

    @Test func mutingDoesNotHideAnAlertsEnd() async throws {
        let (server, ada, ben) = try await missed()
        let muted = try NotificationPreferences(muted: [.checkIn, .contactRemoved, .system])
        try await server.network.notifications.setPreferences(muted, of: ben.caller)
        try await server.deleteAccount(ada)
        #expect(try await server.news(of: ben).contains("Ada has left LifeSignal"))
    }

    @Test func offlineAlertStatesBothTimes() async throws {
        let server = try TestServer()
        let (ada, ben) = (try await server.person("Ada"), try await server.person("Ben"))
        try await server.connect(ben, watchesOver: ada)
        let raised = noon.adding(.minutes(-11))
        let record = try await server.network.alerts.raiseAlert(
            server.environment.id(), raisedAt: raised, by: ada.caller)
        #expect(record.startTime == raised)
        #expect(record.receivedTime == noon)
        #expect(
            try await server.newsItems(of: ben).map(\.body)
                == [
                    """
                    Ada raised an alert at 11:49 UTC, received at 12:00 UTC. Emergency number \
                    where Ada's phone is registered: 911.
                    """
                ])
        // The repeats count from the server's receipt of the alert.
        try await server.pass(.minutes(5) - .milliseconds(1))
        #expect(try await server.news(of: ben) == [])
        try await server.pass(.milliseconds(1))
        let again = try #require(try await server.newsItems(of: ben).first)
        #expect(again.title == "Ada still needs help")
        #expect(again.body.contains("began at 11:49 UTC, received at 12:00 UTC."), "\(again.body)")
        // Neither does the person read that the responders were told before the receipt.
        try await server.pass(.minutes(10))
        let toAda = try #require(try await server.newsItems(of: ada).last?.body)
        #expect(
            toAda.contains("11:49 UTC, received at 12:00 UTC") && !toAda.contains("since 11:49"),
            "\(toAda)")
    }

    @Test(arguments: [(Duration.minutes(1), false), (.milliseconds(60_001), true)])
    func pageOfALateAlertGivesTheReceipt(delay: Duration, isLate: Bool) async throws {
        let server = try TestServer()
        let (ada, ben) = (try await server.person("Ada"), try await server.person("Ben"))
        try await server.connect(ben, watchesOver: ada)
        let record = try await server.network.alerts.raiseAlert(
            server.environment.id(), raisedAt: noon.adding(.zero - delay), by: ada.caller)
        let alerts = server.network.guestAlerts
        let link = alerts.alertLink(to: ben.id, try record.typedID, in: .sms)
        let secret = try #require(link.fragment)
        let page = try #require(try await alerts.guestAlert(by: secret))
        #expect(page.receivedWords == (isLate ? "12:00 UTC" : nil))
    }
}
