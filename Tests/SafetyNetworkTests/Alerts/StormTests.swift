import Domain
import Foundation
import Persistence
import TestDatabase
import Testing

@testable import SafetyNetwork

extension TestServer {
    /// Sends every due SMS and returns the titles, oldest first.
    @discardableResult
    func takeSMS() async throws -> [String] {
        try await engine.write(about: .none) { transaction in
            let leased = try transaction.leaseDeliveries(
                channels: [.sms], lease: .seconds(60), limit: 10_000)
            for delivery in leased {
                try transaction.execute(
                    """
                    UPDATE deliveries SET state = 'accepted', next_try_at = NULL
                    WHERE user_id = $1 AND id = $2
                    """, [.id(delivery.record.userID), .id(delivery.record.id)])
            }
            return leased.map { $0.record.notification.title }
        }
    }
}

extension TestServer {
    /// Returns the title of the last attempted message to this person on this channel.
    func lastTitle(by channel: DeliveryChannel, to person: Person) async throws -> String? {
        try await engine.read {
            try $0.value(
                """
                SELECT n.title FROM deliveries d
                JOIN notifications n ON n.user_id = d.user_id AND n.id = d.notification_id
                WHERE d.user_id = $1 AND d.channel = $2 AND d.attempts > 0
                ORDER BY d.created_at DESC, d.updated_at DESC LIMIT 1
                """, [.id(person.id), .text(channel.rawValue)])
        }
    }
}

/// SMS from one owner to one responder are limited, but alarms are never delayed.
@Suite struct StormTests {
    private let server: TestServer
    private let ada: Person
    private let ben: Person

    init() async throws {
        server = try TestServer(options: { $0.isSMSAvailable = true })
        ada = try await server.person("Ada")
        ben = try await server.person("Ben")
        try await server.connect(ben, watchesOver: ada)
        try await server.takeSMS()
    }

    /// Raises and ends an alert, a millisecond after each message. Returns the titles of the SMS.
    private func cycle() async throws -> [String] {
        server.clock.pass(.milliseconds(1))
        let alert = try await server.raiseAlert(ada)
        var sent = try await server.takeSMS()
        server.clock.pass(.milliseconds(1))
        _ = try await server.endAlert(alert, ada)
        sent += try await server.takeSMS()
        return sent
    }

    @Test func threeAlertsIn10MinutesAreSentInFull() async throws {
        for _ in 1...3 {
            #expect(try await cycle() == ["Ada needs help", "Ada ended the alert"])
            server.clock.pass(.minutes(1))
        }
    }

    @Test func fourthEndWaitsAndTheLatestStateArrives() async throws {
        for _ in 1...3 { _ = try await cycle() }
        #expect(try await cycle() == ["Ada needs help"])
        // A new alert withdraws the SMS about the end. The last SMS, "needs help", is still true,
        // so no new one follows.
        server.clock.pass(.minutes(5))
        let again = try await server.raiseAlert(ada)
        #expect(try await server.takeSMS() == [])
        _ = try await server.endAlert(again, ada)
        server.clock.pass(.minutes(10) - .milliseconds(1))
        #expect(try await server.takeSMS() == [])
        server.clock.pass(.milliseconds(1))
        #expect(try await server.takeSMS() == ["Ada ended the alert"])
    }

    /// The first alarm was never delivered. Its end must not suppress the next alarm.
    @Test func alarmIsSentAfterAnUndeliveredOne() async throws {
        for _ in 1...3 { _ = try await cycle() }
        let alert = try await server.raiseAlert(ada)
        let now = server.clock.now
        try await server.engine.write(about: .none) { transaction in
            for delivery in try transaction.leaseDeliveries(
                channels: [.sms], lease: .seconds(60), limit: 10)
            {
                try transaction.settleDelivery(
                    delivery.record,
                    DeliveryUpdate(
                        .retrying, reason: .timeout, nextTry: now.adding(.seconds(2)), at: now))
            }
        }
        _ = try await server.endAlert(alert, ada)
        #expect(try await server.takeSMS() == [])
        server.clock.pass(.minutes(1))
        _ = try await server.raiseAlert(ada)
        #expect(try await server.takeSMS() == ["Ada needs help"])
    }

    /// Ben was told of an alert by SMS. A storm withdraws the SMS about its end. The end of the
    /// next alert takes its place, although that alert was too short for an SMS.
    @Test func withdrawnEndOfTextedAlertIsReplaced() async throws {
        try await server.checkIn(ada)
        try await server.pass(.hours(24))
        #expect(try await server.takeSMS().contains("Ada missed a check-in"))
        // Ben now has a webhook, so SMS to him wait for 30 seconds.
        _ = try await server.network.endpoints.savePushEndpoint(
            server.environment.id(), kind: .webhook,
            url: try #require(URL(string: "https://ben.example")), of: ben.caller)
        for _ in 1...4 { _ = try await cycle() }
        try await server.checkIn(ada)
        _ = try await cycle()
        try await server.pass(.minutes(10))
        #expect(try await server.takeSMS().last == "Ada ended the alert")
        #expect(try await server.lastTitle(by: .sms, to: ben) == "Ada ended the alert")
    }

    @Test func sixtyCyclesCostEightSMS() async throws {
        var sent: [String] = []
        for _ in 1...60 { sent += try await cycle() }
        #expect(sent.count == 7)
        try await server.pass(.minutes(10))
        #expect(try await server.takeSMS() == ["Ada ended the alert"])
        #expect(try await server.takeSMS() == [])
    }

    /// A friend acknowledges each alert, and sometimes withdraws. That hardly adds SMS.
    @Test(arguments: [false, true])
    func cyclesWithHelpCostLittleMore(isWithdrawn: Bool) async throws {
        let cleo = try await server.person("Cleo")
        try await server.connect(cleo, watchesOver: ada)
        var sent: [String] = []
        for _ in 1...30 {
            server.clock.pass(.milliseconds(1))
            let alert = try await server.raiseAlert(ada)
            sent += try await server.takeSMS()
            server.clock.pass(.milliseconds(1))
            _ = try await server.acknowledge(alert, cleo)
            sent += try await server.takeSMS()
            server.clock.pass(.milliseconds(1))
            if isWithdrawn {
                _ = try await server.network.responding.withdrawAcknowledgement(
                    of: try alert.typedID, by: cleo.caller)
                sent += try await server.takeSMS()
            }
            server.clock.pass(.milliseconds(1))
            _ = try await server.endAlert(alert, ada)
            sent += try await server.takeSMS()
        }
        // SMS go to both responders, and to Ada when help is coming. Cleo answers each alert, so
        // she gets an SMS about each of the 26 alerts after the fourth.
        #expect(sent.count <= 35 + 26, "\(sent.count)")
        try await server.pass(.minutes(10))
        let last = try await server.takeSMS()
        #expect(last.count { $0 == "Ada ended the alert" } == 2)
        #expect(try await server.lastTitle(by: .sms, to: ben) == "Ada ended the alert")
    }

    @Test func streamsCarryEveryChange() async throws {
        _ = try await server.news(of: ben)
        for _ in 1...6 { _ = try await cycle() }
        #expect(try await server.news(of: ben).count == 12)
    }

    @Test func unsentAlarmIsWithdrawnAtTheEnd() async throws {
        let alert = try await server.raiseAlert(ada)
        _ = try await server.endAlert(alert, ada)
        #expect(try await server.takeSMS() == [])
        let ledger = try await server.alert(alert, seenBy: ada).ledger
        let sms = ledger.filter { $0.channel == .sms }
        #expect(sms.map(\.state) == [.superseded])
        #expect(sms.map(\.reason) == ["newer-news"])
    }

    @Test func runningAttemptIsFollowedByTheEnd() async throws {
        let alert = try await server.raiseAlert(ada)
        _ = try await server.engine.write(about: .none) {
            try $0.leaseDeliveries(channels: [.sms], lease: .seconds(60), limit: 10)
        }
        _ = try await server.endAlert(alert, ada)
        let superseded = try await server.engine.read {
            try $0.count("SELECT COUNT(*) FROM deliveries WHERE superseded = 1", [])
        }
        #expect(superseded == 1)
        let ends = try await server.engine.read {
            try $0.count(
                "SELECT COUNT(*) FROM deliveries WHERE channel = 'sms' AND purpose = 'alertEnd'", []
            )
        }
        #expect(ends == 1)
    }

    @Test func newsBeyondTheLimitGoesWithoutSMS() async throws {
        let alert = try await server.raiseAlert(ada)
        let cleo = try await server.person("Cleo")
        try await server.connect(cleo, watchesOver: ada)
        try await server.takeSMS()
        try await acknowledgeAndWithdraw(10, alert, by: cleo)
        let toBen = try await server.engine.read { [ben] in
            try $0.count(
                """
                SELECT COUNT(*) FROM deliveries WHERE user_id = $1 AND channel = 'sms'
                    AND state <> 'superseded'
                """, [.id(ben.id)])
        }
        // The only SMS beyond the limit corrects "Cleo is on it".
        #expect(toBen == StormRules.newsLimit + 1)
        #expect(try await server.lastTitle(by: .sms, to: ben) == "Ada still needs help")
        // News of an acknowledgement now waits until the window ends, and is skipped after a
        // withdrawal.
        _ = try await server.acknowledge(alert, cleo)
        #expect(try await server.takeSMS() == [])
        server.clock.pass(StormRules.window)
        #expect(Set(try await server.takeSMS()) == ["Cleo is on it"])
        #expect(try await server.lastTitle(by: .sms, to: ben) == "Cleo is on it")
    }

    /// Without the question, Ben's acknowledgement would lapse.
    @Test func helpQuestionIsSentDespiteMuchNews() async throws {
        let alert = try await server.raiseAlert(ada)
        let cleo = try await server.person("Cleo")
        try await server.connect(cleo, watchesOver: ada)
        try await acknowledgeAndWithdraw(5, alert, by: cleo)
        _ = try await server.acknowledge(alert, ben)
        server.clock.pass(Escalation.quietAfterAcknowledgement.minusAMillisecond)
        try await server.takeSMS()
        let now = server.clock.now
        try await server.engine.write(about: .none) { [ben] in
            _ = try $0.execute(
                "UPDATE deliveries SET created_at = $1 WHERE user_id = $2 AND channel = 'sms'",
                [.date(now), .id(ben.id)])
        }
        try await server.pass(.milliseconds(1))
        #expect(try await server.takeSMS() == ["Are you still helping Ada?"])
    }

    /// Raises a fourth alert, runs `act`, and ends the alert. The SMS about that end waits. Then
    /// raises a fifth alert and returns its SMS.
    private func acknowledgeAndWithdraw(
        _ rounds: Int, _ alert: AlertRecord, by responder: Person
    ) async throws {
        for _ in 1...rounds {
            _ = try await server.acknowledge(alert, responder)
            try await server.takeSMS()
            server.clock.pass(.seconds(1))
            _ = try await server.network.responding.withdrawAcknowledgement(
                of: try alert.typedID, by: responder.caller)
            try await server.takeSMS()
            server.clock.pass(.seconds(1))
        }
    }

    private func raiseAgain(
        after act: (AlertRecord, Person) async throws -> Void
    ) async throws -> [String] {
        let cleo = try await server.person("Cleo")
        try await server.connect(cleo, watchesOver: ada)
        for _ in 1...3 { _ = try await cycle() }
        server.clock.pass(.seconds(1))
        let alert = try await server.raiseAlert(ada)
        try await server.takeSMS()
        server.clock.pass(.seconds(1))
        try await act(alert, cleo)
        try await server.takeSMS()
        server.clock.pass(.seconds(1))
        _ = try await server.endAlert(alert, ada)
        #expect(try await server.takeSMS() == [])
        server.clock.pass(.seconds(1))
        let again = try await server.raiseAlert(ada)
        let sent = try await server.takeSMS()
        _ = try await server.endAlert(again, ada)
        return sent
    }

    @Test func alarmIsSentAfterHelpWasTexted() async throws {
        let sent = try await raiseAgain { alert, cleo in
            _ = try await server.acknowledge(alert, cleo)
        }
        // Cleo's last SMS says that Ada needs help, but she believes that she is on it.
        #expect(sent == ["Ada needs help", "Ada needs help"])
        #expect(try await server.lastTitle(by: .sms, to: ben) == "Ada needs help")
    }

    @Test func alarmIsSkippedAfterTheNeedWasTexted() async throws {
        let sent = try await raiseAgain { alert, cleo in
            _ = try await server.acknowledge(alert, cleo)
            try await server.takeSMS()
            server.clock.pass(.seconds(1))
            _ = try await server.network.responding.withdrawAcknowledgement(
                of: try alert.typedID, by: cleo.caller)
        }
        // Only Cleo has acted since her last SMS.
        #expect(sent == ["Ada needs help"])
        #expect(try await server.lastTitle(by: .sms, to: ben) == "Ada still needs help")
    }

    /// Ben has answered the alert before, so he may believe that Ada knows he is coming.
    @Test(arguments: ["1", "2", "report"])
    func alarmIsSentAfterAnAnswer(answer: String) async throws {
        for _ in 1...3 { _ = try await cycle() }
        server.clock.pass(.seconds(1))
        let alert = try await server.raiseAlert(ada)
        #expect(try await server.takeSMS() == ["Ada needs help"])
        server.clock.pass(.seconds(1))
        if answer == "report" {
            _ = try await server.network.responding.report(
                .withThem, on: try alert.typedID, by: ben.caller)
        } else {
            _ = try await server.network.textAnswers.receiveText(answer, from: ben.number)
        }
        try await server.takeSMS()
        server.clock.pass(.seconds(1))
        _ = try await server.endAlert(alert, ada)
        #expect(try await server.takeSMS() == [])
        server.clock.pass(.seconds(1))
        let again = try await server.raiseAlert(ada)
        #expect(try await server.takeSMS() == ["Ada needs help"])
        // Ben doesn't answer this one, so the next one needs no SMS.
        server.clock.pass(.seconds(1))
        _ = try await server.endAlert(again, ada)
        server.clock.pass(.seconds(1))
        _ = try await server.raiseAlert(ada)
        #expect(try await server.takeSMS() == [])
    }

    /// Each e-mail links to its own alert's page, so each alarm needs an e-mail.
    @Test func fourthEndMailWaitsButAlarmsDoNot() async throws {
        let server = try TestServer(options: { $0.isEmailAvailable = true })
        let ada = try await server.person("Ada")
        let ben = try await server.person("Ben")
        try await server.connect(ben, watchesOver: ada)
        let address = try EmailAddress("ben@example.org")
        try await server.engine.write(about: .none) {
            try $0.insertEmailAddress(address, of: ben.id)
        }
        func mails(_ condition: String) async throws -> Int {
            try await server.engine.read {
                try $0.count(
                    """
                    SELECT COUNT(*) FROM deliveries
                    WHERE user_id = $1 AND channel = 'email' AND \(condition)
                    """, [.id(ben.id)])
            }
        }
        func waiting() async throws -> Int {
            let now = server.clock.now.milliseconds
            return try await mails(
                "purpose = 'alertEnd' AND state = 'queued' AND next_try_at > \(now)")
        }
        for number in 1...4 {
            let alert = try await server.raiseAlert(ada)
            _ = try await server.endAlert(alert, ada)
            #expect(try await waiting() == (number == 4 ? 1 : 0))
        }
        let again = try await server.raiseAlert(ada)
        #expect(try await waiting() == 0)
        #expect(try await mails("purpose = 'alertBegin' AND reason = 'storm'") == 0)
        #expect(try await mails("purpose = 'alertBegin'") == 5)
        _ = try await server.endAlert(again, ada)
        #expect(try await waiting() == 1)
    }
}
