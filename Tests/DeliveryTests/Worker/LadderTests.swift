import Domain
import Foundation
import TestDatabase
import Testing

@testable import Delivery
@testable import Persistence

/// After a permanent failure, the next channel is used at once. Unneeded calls aren't made.
@Suite struct LadderTests {
    private let owner: UserID = id(2)
    private let webhook = FakeChannel()
    private let calls = FakeChannel(.voice)

    private func harness() async throws -> WorkerHarness {
        WorkerHarness([webhook, calls], database: try await .withAda())
    }

    /// Queues an alarm or a drill to each webhook, due at once, and one by SMS, due 30 seconds
    /// later.
    private func alarm(
        _ work: WorkerHarness, devices: [UInt8] = [9], _ purpose: DeliveryPurpose = .alertBegin
    ) async throws {
        let type: NotificationType = purpose == .drill ? .system : .alert
        let alertOwner: UserID? = purpose == .drill ? nil : owner
        try await work.database.connect(id(1), watchesOver: owner)
        for device in devices {
            try await work.queue(
                device, type, alertOwner: alertOwner, about: owner, device: device,
                purpose: purpose)
        }
        let later = work.clock.now().adding(Ladder.smsAfter)
        try await work.queue(
            50, type, channel: .sms, alertOwner: alertOwner, about: owner, purpose: purpose,
            notBefore: later)
        // All of these deliveries belong to one notification.
        try await work.database.write(about: .none) { transaction in
            _ = try transaction.execute(
                "UPDATE deliveries SET notification_id = $1 WHERE user_id = $2",
                [.id(id(50) as NotificationID), .id(id(1) as UserID)])
        }
    }

    @Test(arguments: [DeliveryPurpose.alertBegin, .drill])
    func permanentFailureBringsTheSMSForward(purpose: DeliveryPurpose) async throws {
        let work = try await harness()
        try await alarm(work, purpose)
        webhook.answer(.refused(.http(401)))
        try await work.work(finishing: 1)
        #expect(try await work.row(50).nextTry == work.clock.now())
    }

    @Test(arguments: [DeliveryPurpose.alertBegin, .drill])
    func temporaryFailureKeepsTheSMSsTime(purpose: DeliveryPurpose) async throws {
        let work = try await harness()
        try await alarm(work, purpose)
        webhook.answer(.failed(.timeout))
        try await work.work(finishing: 1)
        #expect(try await work.row(50).nextTry == work.clock.now().adding(Ladder.smsAfter))
    }

    @Test func anotherWorkingEndpointKeepsTheSMSsTime() async throws {
        let work = try await harness()
        try await alarm(work, devices: [9, 10])
        webhook.answer(.refused(.http(401)), .accepted(providerID: nil))
        try await work.work(finishing: 2)
        #expect(try await work.row(50).nextTry == work.clock.now().adding(Ladder.smsAfter))
    }

    /// The SMS about an alert's end waits for the result of the push.
    @Test(arguments: [false, true])
    func onlyARefusedEndIsTexted(isRefused: Bool) async throws {
        let work = try await harness()
        try await alarm(work, .alertEnd)
        try await work.database.write(about: .none) { transaction in
            _ = try transaction.execute(
                "UPDATE deliveries SET reason = $1 WHERE channel = 'sms' AND user_id = $2",
                [.text("\(DeliveryReason.waitingForReceipt)"), .id(id(1) as UserID)])
        }
        webhook.answer(isRefused ? .refused(.http(400)) : .accepted(providerID: nil))
        try await work.work(finishing: 1)
        let due: [Date] = try await work.database.read {
            try $0.values(
                "SELECT next_try_at FROM deliveries WHERE channel = 'sms' AND user_id = $1",
                [.id(id(1) as UserID)])
        }
        #expect(due == (isRefused ? [work.clock.now()] : []))
    }

    @Test(.enabled(if: !TestDatabase.isPostgreSQL, "The trigger is in words of SQLite."))
    func callWithdrawnAfterItsLeaseIsNotMade() async throws {
        let work = try await harness()
        try await work.queue(60, channel: .voice, alertOwner: owner, purpose: .alertBegin)
        let database = work.database
        // The worker reads the row once more right before the attempt. The trigger withdraws the
        // call between its lease and that read.
        try await database.write(about: .none) { transaction in
            _ = try transaction.execute(
                """
                CREATE TRIGGER answered AFTER UPDATE OF state ON deliveries
                WHEN NEW.state = 'sending'
                BEGIN
                    UPDATE deliveries SET superseded = 1
                    WHERE user_id = NEW.user_id AND id = NEW.id;
                END
                """, [])
        }
        try await work.work(finishing: 1)
        #expect(calls.tries.isEmpty)
        #expect(try await work.row(60).state == .superseded)
    }

    /// The lease locks the recipient's rows, but another user's action can withdraw the message.
    /// Its cost must then be refunded.
    @Test func withdrawnMessageIsRefunded() async throws {
        let budget = Budget(total: 10, perUser: 10)
        let budgets = Budgets(sms: budget, voice: budget)
        let work = try await harness()
        try await work.queue(50, channel: .sms, alertOwner: owner, purpose: .alertBegin)
        try await work.database.write(about: .none) { transaction in
            let rows = try transaction.leaseDeliveries(
                channels: [.sms], lease: .seconds(60), limit: 10)
            #expect(try transaction.spend(on: rows, budgets).isEmpty)
            #expect(try transaction.spending() == [.sms: 1])
            try transaction.refund(rows, budgets)
            #expect(try transaction.spending() == [.sms: 0])
        }
    }

    /// Without a budget for the SMS, the call doesn't wait for the SMS.
    @Test func smsWithoutABudgetBringsTheCallForward() async throws {
        let sms = FakeChannel(.sms)
        let work = WorkerHarness(
            [sms], budgets: Budgets(sms: Budget(total: 0, perUser: nil), voice: .unlimited),
            database: try await .withAda())
        try await work.queue(50, channel: .sms, alertOwner: owner, purpose: .alertBegin)
        try await work.queue(60, channel: .voice, alertOwner: owner, purpose: .alertBegin)
        let look = work.clock.now().adding(Ladder.callsAfter)
        try await work.database.write(about: Subjects([owner])) { [owner] transaction in
            _ = try transaction.execute(
                """
                UPDATE deliveries SET next_try_at = NULL, notification_id = $1
                WHERE user_id = $2 AND id = $3
                """,
                [
                    .id(id(50) as NotificationID), .id(id(1) as UserID), .id(id(60) as DeliveryID),
                ])
            var alert = AlertRow(
                id: id(200), userID: owner, kind: .manual, startedAt: work.clock.now(),
                deadlineAt: nil, toldLate: false, repeats: 1)
            alert.nextCallAt = look
            try transaction.insert(alert)
        }
        while try await !work.row(50).state.isSettled {
            _ = try await work.worker.work()
            await Task.yield()
        }
        let next: Date? = try await work.database.read {
            try $0.value(
                "SELECT next_call_at FROM alerts WHERE user_id = $1 AND id = $2",
                [.id(owner), .id(id(200) as AlertID)])
        }
        #expect(next == work.clock.now())
    }
}
