import Domain
import Foundation
import Persistence
import TestDatabase
import Testing

@testable import SafetyNetwork

extension TestServer {
    /// Sends every SMS that is due, and returns what they say, oldest first.
    @discardableResult
    func takeSMS() async throws -> [String] {
        let now = clock.now
        return try await engine.write(about: .none) { transaction in
            let leased = try transaction.leaseDeliveries(
                channels: [.sms], lease: .seconds(60), limit: 10_000)
            for delivery in leased {
                try transaction.execute(
                    "UPDATE deliveries SET state = 'accepted', next_try_at = NULL WHERE id = $1",
                    [.id(delivery.record.id)])
            }
            return leased.map { $0.record.notification.title }
        }
    }
}

/// SMS are limited for each owner and responder, without ever delaying an alarm.
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

    private func cycle() async throws -> [String] {
        let alert = try await server.raiseAlert(ada)
        var sent = try await server.takeSMS()
        _ = try await server.endAlert(alert, ada)
        sent += try await server.takeSMS()
        return sent
    }

    @Test func threeAlertsWithinTenMinutesAreToldInFull() async throws {
        for _ in 1...3 {
            #expect(try await cycle() == ["Ada needs help", "Ada ended the alert"])
            server.clock.pass(.minutes(1))
        }
    }

    @Test func fromTheFourthOnTheEndWaitsAndTheLatestStateArrives() async throws {
        for _ in 1...3 { _ = try await cycle() }
        #expect(try await cycle() == ["Ada needs help"])
        // Raised again: the message about the end is withdrawn, and no second SMS is needed.
        server.clock.pass(.minutes(5))
        let again = try await server.raiseAlert(ada)
        #expect(try await server.takeSMS() == [])
        _ = try await server.endAlert(again, ada)
        server.clock.pass(.minutes(10) - .milliseconds(1))
        #expect(try await server.takeSMS() == [])
        server.clock.pass(.milliseconds(1))
        #expect(try await server.takeSMS() == ["Ada ended the alert"])
    }

    /// The end of an alarm that never arrived must not stand for the next alarm.
    @Test func anAlarmIsSentWhenTheOneBeforeItNeverArrived() async throws {
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

    @Test func sixtyCyclesCostEightSMS() async throws {
        var sent: [String] = []
        for _ in 1...60 { sent += try await cycle() }
        #expect(sent.count == 7)
        try await server.pass(.minutes(10))
        #expect(try await server.takeSMS() == ["Ada ended the alert"])
        #expect(try await server.takeSMS() == [])
    }

    @Test func streamsCarryEveryChange() async throws {
        _ = try await server.news(of: ben)
        for _ in 1...6 { _ = try await cycle() }
        #expect(try await server.news(of: ben).count == 12)
    }

    @Test func whatHasNotGoneOutIsWithdrawnAtTheEnd() async throws {
        let alert = try await server.raiseAlert(ada)
        _ = try await server.endAlert(alert, ada)
        #expect(try await server.takeSMS() == [])
        let ledger = try await server.alert(alert, seenBy: ada).ledger
        let sms = ledger.filter { $0.channel == .sms }
        #expect(sms.map(\.state) == [.superseded])
        #expect(sms.map(\.reason) == ["newer-news"])
    }

    @Test func aTryThatIsUnderWayIsFollowedByTheEnd() async throws {
        let alert = try await server.raiseAlert(ada)
        let now = server.clock.now
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
        for _ in 1...10 {
            _ = try await server.acknowledge(alert, cleo)
            try await server.takeSMS()
            _ = try await server.network.withdrawAcknowledgement(
                of: try alert.typedID, by: cleo.caller)
            try await server.takeSMS()
            server.clock.pass(.seconds(1))
        }
        let toBen = try await server.engine.read { [ben] in
            try $0.count(
                """
                SELECT COUNT(*) FROM deliveries WHERE user_id = $1 AND channel = 'sms'
                    AND state <> 'superseded'
                """, [.id(ben.id)])
        }
        #expect(toBen == StormRules.newsLimit)
    }

    /// An earlier e-mail leads to the page of the earlier alert, so every alarm is mailed.
    @Test func fromTheFourthOnTheMailAboutTheEndWaitsAndNoAlarmDoes() async throws {
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
