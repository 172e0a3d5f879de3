import Domain
import Foundation
import Persistence
import TestDatabase
import Testing

@testable import SafetyNetwork

@Suite struct SupersededNewsTests {
    private let server: TestServer
    private let ada: Person
    private let ben: Person

    init() async throws {
        server = try TestServer(options: { $0.isSMSAvailable = true })
        ada = try await server.armed("Ada")
        ben = try await server.person("Ben")
        try await server.connect(ben, watchesOver: ada)
        let url = try #require(URL(string: "https://example.org/hook"))
        for person in [ada, ben] {
            _ = try await server.network.endpoints.savePushEndpoint(
                server.environment.id(), kind: .webhook, url: url, of: person.caller)
        }
        try await server.takeSMS()
        _ = try await take(.webhook)
    }

    /// Attempts the due messages of a channel and returns the titles. Failed ones are retried after
    /// five minutes.
    private func take(_ channel: DeliveryChannel, arrives: Bool = true) async throws -> [String] {
        let now = server.clock.now
        return try await server.engine.write(about: .none) { transaction in
            let leased = try transaction.leaseDeliveries(
                channels: [channel], lease: .seconds(60), limit: 1_000)
            for delivery in leased {
                try transaction.settleDelivery(
                    delivery.record,
                    arrives
                        ? DeliveryUpdate(.accepted, at: now)
                        : DeliveryUpdate(
                            .retrying, reason: .http(503), nextTry: now.adding(.minutes(5)),
                            at: now))
            }
            return leased.map(\.record.notification.title)
        }
    }

    private func rows(_ condition: String, _ values: [SQLValue] = []) async throws -> Int {
        try await server.engine.read {
            try $0.count("SELECT COUNT(*) FROM deliveries WHERE \(condition)", values)
        }
    }

    @Test func failedEndTextIsDroppedInANewAlert() async throws {
        let first = try await server.raiseAlert(ada)
        server.clock.pass(Ladder.smsAfter)
        _ = try await take(.sms)
        _ = try await server.endAlert(first, ada)
        #expect(try await take(.sms, arrives: false) == ["Ada ended the alert"])
        let second = try await server.raiseAlert(ada)
        server.clock.pass(Ladder.smsAfter)
        #expect(try await take(.sms) == ["Ada needs help"])
        server.clock.pass(.minutes(5))
        #expect(try await take(.sms) == [])
        _ = try await server.endAlert(second, ada)
        #expect(try await take(.sms) == ["Ada ended the alert"])
        #expect(try await rows("channel = 'sms' AND reason = 'newer-news'") == 1)
    }

    /// A second alert replaced the SMS about the first alert's end, and ended before its own SMS.
    @Test(arguments: [true, false])
    func supersededEndIsSentAgain(hasArrived: Bool) async throws {
        let first = try await server.raiseAlert(ada)
        server.clock.pass(Ladder.smsAfter)
        #expect(try await take(.sms) == ["Ada needs help"])
        _ = try await server.endAlert(first, ada)
        #expect(try await take(.sms, arrives: hasArrived) == ["Ada ended the alert"])
        let second = try await server.raiseAlert(ada)
        server.clock.pass(.seconds(10))
        #expect(try await take(.sms) == [])
        _ = try await server.endAlert(second, ada)
        #expect(try await take(.sms) == (hasArrived ? [] : ["Ada ended the alert"]))
        server.clock.pass(.minutes(5))
        #expect(try await take(.sms) == [])
    }

    @Test func olderNewsNeverFollowsItsReversal() async throws {
        let cleo = try await server.person("Cleo")
        try await server.connect(cleo, watchesOver: ada)
        let alert = try await server.raiseAlert(ada)
        /// Sends the SMS to Ben and Ada and returns the titles.
        func texts(arrive: Bool) async throws -> Set<String> {
            server.clock.pass(Ladder.smsAfter)
            return Set(try await take(.sms, arrives: arrive))
        }
        _ = try await texts(arrive: true)
        _ = try await server.acknowledge(alert, cleo)
        #expect(try await texts(arrive: false) == ["Cleo is on it"])
        _ = try await server.network.responding.withdrawAcknowledgement(
            of: try alert.typedID, by: cleo.caller)
        #expect(
            try await texts(arrive: false) == ["Ada still needs help", "Cleo is no longer on it"])
        _ = try await server.acknowledge(alert, cleo)
        #expect(try await texts(arrive: true) == ["Cleo is on it"])
        server.clock.pass(.minutes(5))
        #expect(try await take(.sms) == [])
    }

    /// A person's first alarm on a channel is sent even after the acknowledgement.
    @Test(arguments: [true, false])
    func repeatNeverFollowsAnAcknowledgement(hasAlarmArrived: Bool) async throws {
        let cleo = try await server.person("Cleo")
        try await server.connect(cleo, watchesOver: ada)
        let alert = try await server.raiseAlert(ada)
        server.clock.pass(Ladder.smsAfter)
        #expect(Set(try await take(.sms, arrives: hasAlarmArrived)) == ["Ada needs help"])
        try await server.pass(.minutes(5))
        _ = try await server.acknowledge(alert, cleo)
        server.clock.pass(Ladder.smsAfter)
        // One person gets both messages, so they are sent one after the other.
        let texts = try await take(.sms) + (try await take(.sms))
        let first: Set<String> = hasAlarmArrived ? [] : ["Ada still needs help"]
        #expect(Set(texts) == first.union(["Cleo is on it"]))
    }

    @Test func aReportReplacesAWithdrawal() async throws {
        let cleo = try await server.person("Cleo")
        try await server.connect(cleo, watchesOver: ada)
        let alert = try await server.raiseAlert(ada)
        server.clock.pass(Ladder.smsAfter)
        _ = try await take(.sms)
        let (responding, id) = (server.network.responding, try alert.typedID)
        _ = try await server.acknowledge(alert, cleo)
        server.clock.pass(Ladder.smsAfter)
        #expect(Set(try await take(.sms)) == ["Cleo is on it"])
        _ = try await responding.withdrawAcknowledgement(of: id, by: cleo.caller)
        _ = try await responding.report(.emergencyServicesCalled, on: id, by: cleo.caller)
        server.clock.pass(Ladder.smsAfter)
        let texts = try await take(.sms) + (try await take(.sms))
        #expect(Set(texts) == ["Cleo reports that emergency services were called"])
    }

    /// The SMS about the first report and about the acknowledgement fail once.
    @Test func aReportReplacesTheOneBefore() async throws {
        let cleo = try await server.person("Cleo")
        try await server.connect(cleo, watchesOver: ada)
        let alert = try await server.raiseAlert(ada)
        server.clock.pass(Ladder.smsAfter)
        _ = try await take(.sms)
        let (responding, id) = (server.network.responding, try alert.typedID)
        _ = try await responding.report(.foundSafe, on: id, by: cleo.caller)
        server.clock.pass(Ladder.smsAfter)
        #expect(
            Set(try await take(.sms, arrives: false)) == [
                "Cleo reports that Ada is safe", "Cleo reports that you are safe",
            ])
        _ = try await server.acknowledge(alert, cleo)
        server.clock.pass(Ladder.smsAfter)
        #expect(Set(try await take(.sms, arrives: false)) == ["Cleo is on it"])
        _ = try await responding.report(.emergencyServicesCalled, on: id, by: cleo.caller)
        server.clock.pass(.minutes(5))
        let texts = try await take(.sms) + (try await take(.sms))
        #expect(
            Set(texts) == ["Cleo is on it", "Cleo reports that emergency services were called"])
    }

    /// The SMS to Ada that Cleo is on it fails until the acknowledgement lapses.
    @Test func helpIsComingNeverFollowsALapse() async throws {
        let cleo = try await server.person("Cleo")
        try await server.connect(cleo, watchesOver: ada)
        let alert = try await server.raiseAlert(ada)
        server.clock.pass(Ladder.smsAfter)
        _ = try await take(.sms)
        _ = try await server.acknowledge(alert, cleo)
        #expect(try await take(.sms, arrives: false) == ["Cleo is on it"])
        try await server.pass(.minutes(30))
        #expect(
            Set(try await take(.sms, arrives: false)) == [
                "Cleo is on it", "Are you still helping Ada?",
            ])
        try await server.pass(.minutes(5))
        server.clock.pass(Ladder.smsAfter)
        let texts = try await take(.sms) + (try await take(.sms))
        #expect(Set(texts) == ["Cleo has not confirmed", "Ada may still need help"])
    }

    /// A person who has only been asked doesn't hear of the report.
    @Test func aReportReplacesRepeatsOnlyToItsReaders() async throws {
        let (cleo, dan) = (try await server.person("Cleo"), try await server.person("Dan"))
        try await server.connect(cleo, watchesOver: ada)
        try await server.ask(dan, toWatchOver: ada)
        let url = try #require(URL(string: "https://example.org/hook"))
        _ = try await server.network.endpoints.savePushEndpoint(
            server.environment.id(), kind: .webhook, url: url, of: dan.caller)
        _ = try await take(.webhook)
        let alert = try await server.raiseAlert(ada)
        _ = try await take(.webhook)
        _ = try await take(.webhook)
        try await server.pass(.minutes(5))
        let waiting = "purpose = 'alertRepeat' AND channel = 'webhook' AND state = 'queued'"
        #expect(try await rows(waiting) == 2)
        _ = try await server.network.responding.report(
            .withThem, on: try alert.typedID, by: cleo.caller)
        #expect(try await rows(waiting) == 1)
    }

    /// Only Ben, who is on it, is told of another missed deadline.
    @Test func aReportKeepsTheOnlyMessageOfAnotherMissedDeadline() async throws {
        let cleo = try await server.person("Cleo")
        try await server.connect(cleo, watchesOver: ada)
        try await server.pass(.hours(24))
        _ = try await take(.webhook)
        _ = try await server.setInterval(.hours(25), of: ada, reminders: false)
        try await server.pass(.minutes(45))
        let alert = try #require(try await server.openAlert(ben))
        _ = try await server.acknowledge(alert, ben)
        _ = try await take(.webhook)
        try await server.pass(.minutes(15))
        let waiting =
            "user_id = $1 AND purpose = 'alertRepeat' AND channel = 'webhook' AND state = 'queued'"
        #expect(try await rows(waiting, [.id(ben.id)]) == 1)
        _ = try await server.network.responding.report(
            .withThem, on: try alert.typedID, by: cleo.caller)
        #expect(try await rows(waiting, [.id(ben.id)]) == 1)
    }

    @Test func acknowledgementDoesNotReplaceAReport() async throws {
        let cleo = try await server.person("Cleo")
        try await server.connect(cleo, watchesOver: ada)
        let alert = try await server.raiseAlert(ada)
        server.clock.pass(Ladder.smsAfter)
        _ = try await take(.sms)
        _ = try await server.network.responding.report(
            .emergencyServicesCalled, on: try alert.typedID, by: cleo.caller)
        _ = try await server.acknowledge(alert, cleo)
        server.clock.pass(Ladder.smsAfter)
        // One person gets both messages, so they are sent one after the other.
        let texts = try await take(.sms) + (try await take(.sms))
        #expect(
            Set(texts) == ["Cleo reports that emergency services were called", "Cleo is on it"])
    }

    // MARK: Journeys and pauses

    /// Attempts all due messages to webhooks.
    private func takeHooks() async throws -> [String] {
        var titles: [String] = []
        while true {
            let next = try await take(.webhook)
            guard !next.isEmpty else { return titles }
            titles += next
        }
    }

    /// Starts a journey that Ben is told of.
    private func journey() async throws -> JourneyID {
        let id: JourneyID = server.environment.id()
        let draft = JourneyDraft(
            id: id, name: "Zugspitze", expectedReturn: server.clock.now.adding(.hours(2)),
            tellsResponders: true)
        _ = try await server.network.journeys.start(draft, of: ada.caller)
        return id
    }

    private func arrive(_ id: JourneyID) async throws {
        _ = try await server.network.journeys.end(
            id, pressedAt: server.clock.now, of: ada.caller)
    }

    /// A release may change the words. Rows from before the kinds are known by their title.
    @Test(arguments: [
        ("title = 'Ada has left: Zugspitze'", true), ("kind = NULL", true),
        ("title = 'Ada has left: Eibsee'", false),
        ("title = 'Ada has left: Zugspitze', kind = NULL", false),
    ])
    func newsIsReplacedByItsKind(change: String, isReplaced: Bool) async throws {
        let id = try await journey()
        #expect(try await take(.webhook, arrives: false) == ["Ada is on the way: Zugspitze"])
        _ = try await server.engine.write(about: Subjects([ben.id])) { [ben] in
            try $0.execute(
                """
                UPDATE notifications SET \(change)
                WHERE user_id = $1 AND title = 'Ada is on the way: Zugspitze'
                """, [.id(ben.id)])
        }
        server.clock.pass(.minutes(1))
        try await arrive(id)
        server.clock.pass(.minutes(5))
        #expect(try await takeHooks().count == (isReplaced ? 1 : 2))
    }

    @Test func arrivalReplacesTheUnsentStart() async throws {
        let id = try await journey()
        #expect(try await take(.webhook, arrives: false) == ["Ada is on the way: Zugspitze"])
        server.clock.pass(.minutes(1))
        try await arrive(id)
        server.clock.pass(.minutes(5))
        #expect(try await takeHooks() == ["Ada has arrived: Zugspitze"])
    }

    /// The eleventh news within ten minutes waits.
    @Test func arrivalReplacesAHeldReturn() async throws {
        let id = try await journey()
        func extend(by minutes: Int) async throws {
            server.clock.pass(.seconds(1))
            _ = try await server.network.journeys.extend(
                id, until: noon.adding(.hours(3) + .minutes(minutes)),
                pressedAt: server.clock.now, of: ada.caller)
        }
        for minutes in 1...9 { try await extend(by: minutes) }
        _ = try await takeHooks()
        server.clock.pass(.minutes(5))
        try await extend(by: 10)
        #expect(try await takeHooks() == [])
        server.clock.pass(.minutes(6))
        try await arrive(id)
        server.clock.pass(.minutes(5))
        #expect(try await takeHooks() == ["Ada has arrived: Zugspitze"])
    }

    @Test(arguments: [
        (CheckInPlan.none, "Ada has no deadlines any more", "title = 'Title'"),
        (.dailyUntil10, "Ada checks in less often", "kind = NULL"),
    ])
    func newerScheduleReplacesItsUnsentNews(
        plan: CheckInPlan, old: String, change: String
    ) async throws {
        try await server.setPlan(plan, of: ada)
        #expect(try await take(.webhook, arrives: false).contains(old))
        _ = try await server.engine.write(about: Subjects([ben.id])) { [ben] in
            try $0.execute(
                "UPDATE notifications SET \(change) WHERE user_id = $1 AND title = $2",
                [.id(ben.id), .text(old)])
        }
        try await server.setPlan(.interval, of: ada)
        server.clock.pass(.minutes(5))
        let titles = try await take(.webhook)
        #expect(titles.contains("Ada changed their schedule again"))
        #expect(!titles.contains(old) && !titles.contains("Title"))
    }

    /// Of news that arrived, a shorter silence needs no correction.
    @Test(arguments: [false, true])
    func shorterScheduleReplacesUnsentNewsOfTheOneBefore(hasArrived: Bool) async throws {
        let again = "Ada changed their schedule again"
        _ = try await server.setInterval(.hours(48), of: ada)
        #expect(try await takeHooks().contains("Ada checks in less often"))
        _ = try await server.setInterval(.hours(24), of: ada)
        #expect(try await take(.webhook, arrives: hasArrived).contains(again))
        _ = try await server.setInterval(.hours(8), of: ada)
        server.clock.pass(.minutes(5))
        let titles = try await takeHooks().filter { $0 == again }
        #expect(titles.count == (hasArrived ? 0 : 1))
        let bodies = try await server.network.notifications
            .notifications(of: ben.caller, page: Page())
            .filter { $0.title == again }.map(\.body)
        let isCorrected = bodies.contains { $0.contains("8 hours") }
        #expect(isCorrected != hasArrived)
    }

    @Test func endOfAPauseReplacesItsUnsentBeginning() async throws {
        _ = try await server.network.pauses.pause(
            until: server.clock.now.adding(.days(2)), of: ada.caller)
        #expect(try await take(.webhook, arrives: false).contains("Ada has paused check-ins"))
        server.clock.pass(.minutes(1))
        _ = try await server.network.pauses.endPause(of: ada.caller)
        server.clock.pass(.minutes(5))
        let titles = try await takeHooks()
        #expect(titles.contains("Ada's pause has ended"))
        #expect(!titles.contains("Ada has paused check-ins"))
    }

    @Test func webhookGetsEveryEndBeforeTheNextBeginning() async throws {
        let first = try await server.raiseAlert(ada)
        _ = try await take(.webhook)
        _ = try await server.endAlert(first, ada)
        #expect(try await take(.webhook, arrives: false) == ["Ada ended the alert"])
        _ = try await server.raiseAlert(ada)
        #expect(try await take(.webhook) == ["Ada ended the alert"])
        #expect(try await take(.webhook) == ["Ada needs help"])
    }

    @Test func runningEndIsNotRetriedInANewAlert() async throws {
        let first = try await server.raiseAlert(ada)
        server.clock.pass(Ladder.smsAfter)
        _ = try await take(.sms)
        _ = try await server.endAlert(first, ada)
        _ = try await server.engine.write(about: .none) {
            try $0.leaseDeliveries(channels: [.sms], lease: .seconds(60), limit: 10)
        }
        _ = try await server.raiseAlert(ada)
        #expect(try await rows("superseded = 1 AND state = 'sending'") == 1)
    }

    @Test func repeatIsTextedDespiteMuchNews() async throws {
        let alert = try await server.raiseAlert(ada)
        let cleo = try await server.person("Cleo")
        try await server.connect(cleo, watchesOver: ada)
        server.clock.pass(.minutes(4))
        for _ in 1...10 {
            _ = try await server.acknowledge(alert, cleo)
            _ = try await server.network.responding.withdrawAcknowledgement(
                of: try alert.typedID, by: cleo.caller)
        }
        try await server.takeSMS()
        try await server.pass(.minutes(1))
        let toBen = try await server.engine.read { [ben] in
            try $0.count(
                """
                SELECT COUNT(*) FROM deliveries WHERE user_id = $1 AND channel = 'sms'
                    AND purpose = 'alertRepeat' AND state = 'queued'
                """, [.id(ben.id)])
        }
        #expect(toBen == 1)
    }

    @Test func newMissedDeadlineUnmutesAMigratedAlert() async throws {
        try await server.pass(.hours(24))
        try await server.engine.write(about: Subjects([ada.id])) { [ada] in
            _ = try $0.execute(
                "UPDATE alerts SET without_sms = 1 WHERE user_id = $1", [.id(ada.id)])
        }
        try await server.pass(.minutes(5))
        #expect(try await rows("channel = 'sms' AND reason = 'storm'") == 1)
        _ = try await server.setInterval(.hours(48), of: ada)
        try await server.pass(.hours(24))
        let spared = try await rows("channel = 'sms' AND reason = 'storm'")
        try await server.takeSMS()
        try await server.pass(.minutes(5))
        server.clock.pass(Ladder.smsAfter)
        #expect(try await server.takeSMS() == ["Ada still hasn't checked in"])
        #expect(try await rows("channel = 'sms' AND reason = 'storm'") == spared)
    }

    /// An hour after the first deadline, the repeat of its alarm and the second deadline are due.
    @Test func newMissedDeadlineReplacesARepeatOfTheSameMoment() async throws {
        try await server.pass(.hours(24))
        _ = try await server.setInterval(.hours(25), of: ada, reminders: false)
        for minutes in [5, 10, 15] { try await server.pass(.minutes(minutes)) }
        server.clock.pass(Ladder.smsAfter)
        try await server.takeSMS()
        _ = try await takeHooks()
        server.clock.set(noon.adding(.hours(25)))
        try await server.deadlineMonitor.handleDueDeadlines()
        server.clock.pass(Ladder.smsAfter)
        let (texts, pushes) = (try await server.takeSMS(), try await takeHooks())
        for titles in [texts, pushes] {
            #expect(titles.filter { $0.hasPrefix("Ada ") } == ["Ada missed another check-in"])
        }
    }

    /// Each message says how much time is left.
    @Test func newerReminderOrLastCallReplacesAnUnsentReminder() async throws {
        try await server.pass(.hours(22))
        #expect(try await take(.webhook, arrives: false) == ["Check in soon"])
        try await server.pass(.minutes(90))
        #expect(try await take(.webhook, arrives: false) == ["Check in soon"])
        try await server.pass(.minutes(20))
        #expect(try await take(.webhook) == ["Last call: check in now"])
        #expect(try await rows("reason = 'newer-news' AND channel = 'webhook'") == 2)
    }

    @Test func checkInWithdrawsUndeliveredReminders() async throws {
        try await server.pass(.hours(23))
        #expect(try await take(.webhook, arrives: false).count == 1)
        try await server.checkIn(ada)
        server.clock.pass(.minutes(5))
        #expect(try await take(.webhook) == [])
        #expect(try await rows("reason = 'checked-in' AND state = 'superseded'") == 1)
    }

    @Test func removalSendsOneMessageDespiteAPing() async throws {
        let ping = try await server.ping(ada, by: ben)
        _ = try await server.news(of: ben)
        try await server.network.contacts.removeContact(ben.id, by: ada.caller)
        #expect(try await server.news(of: ben).count == 1)
        let known = try await server.network.pings.pings(of: ben.caller, page: Page())
        #expect(known.first { $0.id == ping.id }?.state == .cleared)
    }

    @Test func deletedAccountsDeliveriesHaveAReason() async throws {
        _ = try await server.raiseAlert(ada)
        try await server.deleteAccount(ben)
        #expect(try await rows("reason = 'account-deleted' AND state = 'givenUp'") > 0)
        #expect(
            try await rows("next_try_at IS NOT NULL AND recipient_name = 'A former contact'") == 0)
    }

    @Test func alertOfUnknownKindRepeatsAndCanEnd() async throws {
        let alert = try await server.raiseAlert(ada)
        try await server.engine.write(about: Subjects([ada.id])) { [ada] in
            _ = try $0.execute("UPDATE alerts SET kind = 'fall' WHERE user_id = $1", [.id(ada.id)])
        }
        _ = try await server.news(of: ben)
        try await server.pass(.minutes(5))
        #expect(try await server.news(of: ben) == ["Ada still needs help"])
        #expect(try await server.endAlert(alert, ada).isActive == false)
    }
}
