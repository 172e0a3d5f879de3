import Domain
import Foundation
import Persistence
import Testing

@testable import Delivery

@Suite struct BudgetTests {
    private func harness(
        _ channel: FakeChannel, total: Int? = nil, perUser: Int? = nil
    ) async throws -> WorkerHarness {
        let budget = Budget(total: total, perUser: perUser)
        return WorkerHarness(
            [channel], budgets: Budgets(sms: budget, voice: budget),
            database: try await .withAda())
    }

    /// Runs the worker until these deliveries are settled.
    private func settle(_ harness: WorkerHarness, _ numbers: ClosedRange<UInt8>) async throws {
        for number in numbers {
            while try await !harness.row(number).state.isSettled {
                _ = try await harness.worker.work()
                await Task.yield()
            }
        }
    }

    private func states(
        _ harness: WorkerHarness, _ numbers: ClosedRange<UInt8>
    ) async throws -> [DeliveryState] {
        var states: [DeliveryState] = []
        for number in numbers { states.append(try await harness.row(number).state) }
        return states
    }

    @Test func alarmsMayUseTheReserve() async throws {
        let sms = FakeChannel(.sms)
        let harness = try await harness(sms, total: 5)
        // Each message has another recipient, so the worker can send them all at the same time.
        for number: UInt8 in 20...25 {
            try await harness.queue(
                number, .system, channel: .sms, to: number, purpose: .reminder)
        }
        try await settle(harness, 20...25)
        #expect(try await states(harness, 20...25).count { $0 == .givenUp } == 2)
        #expect(try await harness.database.reason(25) == "over-budget")
        try await harness.queue(30, channel: .sms, to: 30, purpose: .alertBegin)
        try await settle(harness, 30...30)
        try await harness.queue(31, channel: .sms, to: 31, purpose: .alertBegin)
        try await settle(harness, 31...31)
        #expect(try await states(harness, 30...31) == [.accepted, .givenUp])
        #expect(sms.tries.count == 5)
        #expect(try await harness.database.read { try $0.spending() } == [.sms: 5])
        harness.clock.advance(by: .days(1))
        try await harness.queue(32, .system, channel: .sms, to: 32, purpose: .reminder)
        try await settle(harness, 32...32)
        #expect(try await harness.row(32).state == .accepted)
    }

    @Test func oneUserCannotExhaustTheBudget() async throws {
        let sms = FakeChannel(.sms)
        let harness = try await harness(sms, total: 100, perUser: 3)
        // Alarms may use twice the owner's share, here 6 messages, because an alert notifies many
        // people.
        for number: UInt8 in 30...37 {
            try await harness.queue(
                number, channel: .sms, alertOwner: id(10), to: number, purpose: .alertBegin)
        }
        try await settle(harness, 30...37)
        #expect(try await states(harness, 30...37).count { $0 == .givenUp } == 2)
        try await harness.queue(
            26, channel: .sms, alertOwner: id(10), to: 26, purpose: .alertNews)
        try await harness.queue(27, channel: .sms, alertOwner: id(10), to: 27, purpose: .alertEnd)
        try await settle(harness, 26...27)
        #expect(try await states(harness, 26...27) == [.givenUp, .accepted])
        try await harness.queue(
            25, channel: .sms, alertOwner: id(11), to: 25, purpose: .alertBegin)
        try await settle(harness, 25...25)
        #expect(try await harness.row(25).state == .accepted)
    }

    /// The owner's share is one message. The server's budget isn't used up.
    @Test(arguments: [(DeliveryPurpose.alertBegin, true), (.alertRepeat, false)])
    func unpaidBeginningIsReported(purpose: DeliveryPurpose, isReported: Bool) async throws {
        let harness = try await harness(FakeChannel(.sms), total: 100, perUser: 1)
        for number: UInt8 in 30...31 {
            try await harness.queue(
                number, channel: .sms, alertOwner: id(10), to: 30, purpose: .alertBegin)
            try await settle(harness, number...number)
        }
        #expect(harness.unpaidAlarms == [])
        try await harness.queue(32, channel: .sms, alertOwner: id(10), to: 30, purpose: purpose)
        try await settle(harness, 32...32)
        #expect(try await harness.row(32).state == .givenUp)
        #expect(harness.unpaidAlarms == (isReported ? [.sms] : []))
    }

    /// For some responders a repeat is the first alarm: the message about the beginning was
    /// superseded, or they became a responder later.
    @Test func repeatIsChargedAsAlarmUntilOneWasDelivered() async throws {
        let sms = FakeChannel(.sms)
        let harness = try await harness(sms, total: 10)
        for number: UInt8 in 30...37 {
            try await harness.queue(
                number, channel: .sms, alertOwner: id(10), to: number, purpose: .alertBegin)
        }
        try await settle(harness, 30...37)
        sms.answer(.failed(.http(503)))
        try await harness.queue(38, channel: .sms, alertOwner: id(10), to: 38, purpose: .alertBegin)
        while try await harness.row(38).state != .retrying {
            _ = try await harness.worker.work()
            await Task.yield()
        }
        try await harness.database.write(about: .none) {
            try $0.supersedeDeliveries(
                ofAlert: id(200), owner: id(10), recipients: [id(38)], reason: "newer-news")
        }
        // Nine of the ten messages are spent, and the last is reserved for first alarms. User 37
        // has received a first alarm; user 38 hasn't.
        try await harness.queue(
            40, channel: .sms, alertOwner: id(10), to: 37, purpose: .alertRepeat)
        try await settle(harness, 40...40)
        try await harness.queue(
            41, channel: .sms, alertOwner: id(10), to: 38, purpose: .alertRepeat)
        try await settle(harness, 41...41)
        #expect(try await states(harness, 40...41) == [.givenUp, .accepted])
        #expect(try await harness.database.read { try $0.spending() } == [.sms: 10])
    }

    /// Nine of the ten messages are spent, and the last is reserved for alarms. User 31 believes
    /// that a responder is on it; user 30 doesn't.
    @Test(arguments: [DeliveryPurpose.alertUntaken, .alertRepeat])
    func endOfBelievedHelpIsChargedAsAnAlarm(purpose: DeliveryPurpose) async throws {
        let harness = try await harness(FakeChannel(.sms), total: 10)
        func queue(_ number: UInt8, to user: UInt8, _ purpose: DeliveryPurpose) async throws {
            try await harness.queue(
                number, channel: .sms, alertOwner: id(10), to: user, purpose: purpose)
            try await settle(harness, number...number)
            harness.clock.advance(by: .seconds(1))
        }
        for user: UInt8 in 30...31 { try await queue(user, to: user, .alertBegin) }
        try await queue(40, to: 31, .alertNews)
        for user: UInt8 in 32...37 { try await queue(user, to: user, .alertBegin) }
        try await queue(41, to: 30, purpose)
        try await queue(42, to: 31, purpose)
        #expect(try await states(harness, 40...42) == [.accepted, .givenUp, .accepted])
        #expect(try await harness.database.read { try $0.spending() } == [.sms: 10])
    }

    /// Eight of ten messages are spent. News may use 85 % of the budget, and repeats 90 %.
    @Test func helpQuestionIsChargedAsARepeat() async throws {
        let harness = try await harness(FakeChannel(.sms), total: 10)
        for number: UInt8 in 30...37 {
            try await harness.queue(
                number, channel: .sms, alertOwner: id(10), to: number, purpose: .alertBegin)
        }
        try await settle(harness, 30...37)
        let question = NotificationText.doesItGoOn(name: "Ada").title
        for (number, title) in [(40, "Title"), (41, question), (42, question)] as [(UInt8, String)]
        {
            try await harness.queue(
                number, channel: .sms, alertOwner: id(10), to: number, purpose: .alertNews,
                title: title)
            try await settle(harness, number...number)
        }
        #expect(try await states(harness, 40...42) == [.givenUp, .accepted, .givenUp])
    }

    /// Last calls may use 90 % of the budget.
    @Test(arguments: [DeliveryChannel.sms, .voice])
    func lastCallsLeaveTheReserve(channel: DeliveryChannel) async throws {
        let carrier = FakeChannel(channel)
        let harness = try await harness(carrier, total: 10)
        for number: UInt8 in 30...39 {
            try await harness.queue(
                number, .system, channel: channel, to: number, purpose: .lastCall)
        }
        try await settle(harness, 30...39)
        let states = try await states(harness, 30...39)
        #expect(states.count { $0 == .accepted } == 9)
        #expect(states.count { $0 == .givenUp } == 1)
        try await harness.queue(
            40, .system, channel: channel, to: 40, purpose: .reminder)
        try await harness.queue(41, channel: channel, to: 41, purpose: .alertBegin)
        try await settle(harness, 40...41)
        #expect(try await self.states(harness, 40...41) == [.givenUp, .accepted])
    }

    /// A call to a busy line and one that failed cost nothing.
    @Test(arguments: [
        (DeliveryReason.noAnswer, DeliveryState.givenUp), (.voicemail, .givenUp),
        (.noKeyPressed, .givenUp), (.lineBusy, .accepted), (.callFailed, .accepted),
    ])
    func onlyARingingCallCountsAsDeliveredAlarm(
        reason: DeliveryReason, state: DeliveryState
    ) async throws {
        let voice = FakeChannel(.voice)
        let harness = try await harness(voice, total: 10)
        for number: UInt8 in 30...38 {
            try await harness.queue(
                number, channel: .voice, alertOwner: id(10), to: number, purpose: .alertBegin)
        }
        try await settle(harness, 30...38)
        try await harness.database.write(about: .none) {
            _ = try $0.endCall(id(38), to: id(38), .unanswered(reason))
        }
        try await harness.queue(
            40, channel: .voice, alertOwner: id(10), to: 38, purpose: .alertRepeat)
        try await settle(harness, 40...40)
        #expect(try await harness.row(40).state == state)
    }

    /// The owner of a drill pays, because the responders didn't ask for it.
    @Test func drillIsChargedToItsOwner() async throws {
        let sms = FakeChannel(.sms)
        let harness = try await harness(sms, total: 100, perUser: 5)
        for number: UInt8 in 30...36 {
            try await harness.queue(
                number, .system, channel: .sms, about: id(10), to: number, purpose: .drill)
        }
        try await settle(harness, 30...36)
        #expect(try await states(harness, 30...36).count { $0 == .accepted } == 4)
        try await harness.queue(
            26, .system, channel: .sms, about: id(11), to: 36, purpose: .drill)
        try await settle(harness, 26...26)
        #expect(try await harness.row(26).state == .accepted)
    }

    @Test func retriesAreChargedOnce() async throws {
        let sms = FakeChannel(.sms)
        sms.answer(.failed(.http(503)), .failed(.http(503)))
        let harness = try await harness(sms, total: 1)
        try await harness.queue(20, channel: .sms, to: 20, purpose: .alertBegin)
        for _ in 0..<3 {
            try await harness.work(finishing: 1)
            harness.clock.advance(by: .minutes(1))
        }
        #expect(try await harness.row(20).state == .accepted)
        #expect(try await harness.database.read { try $0.spending() } == [.sms: 1])
    }

    @Test func oneLeaseEndsAtTheBudget() async throws {
        let sms = FakeChannel(.sms)
        let harness = try await harness(sms, total: 10)
        for number: UInt8 in 20...26 {
            try await harness.queue(
                number, .system, channel: .sms, to: number, purpose: .reminder)
        }
        try await settle(harness, 20...26)
        // Reminders may use eight of the ten messages, so only one of the two reminders below fits.
        // A lease must count its own messages to see that.
        for number: UInt8 in 30...31 {
            try await harness.queue(
                number, .system, channel: .sms, to: number, purpose: .reminder)
        }
        try await settle(harness, 30...31)
        #expect(try await states(harness, 30...31).count { $0 == .accepted } == 1)
        #expect(try await harness.database.read { try $0.spending() } == [.sms: 8])
        // In one lease, an alarm is charged before an older repeat.
        for number: UInt8 in 40...41 {
            try await harness.queue(
                number, channel: .sms, alertOwner: id(10), to: number, purpose: .alertRepeat)
            try await harness.queue(
                number + 10, channel: .sms, alertOwner: id(10), to: number + 10,
                purpose: .alertBegin)
        }
        try await settle(harness, 40...41)
        try await settle(harness, 50...51)
        #expect(try await harness.database.read { try $0.spending() } == [.sms: 10])
        #expect(sms.tries.count == 10)
    }

    @Test func oneLeaseEndsAtTheShareOfAUser() async throws {
        let sms = FakeChannel(.sms)
        let harness = try await harness(sms, total: 1_000, perUser: 10)
        for number: UInt8 in 30...36 {
            try await harness.queue(
                number, channel: .sms, alertOwner: id(10), to: number, purpose: .alertBegin)
        }
        try await settle(harness, 30...36)
        // News may use 85 % of the owner's share, rounded down: eight messages. Seven are spent.
        for number: UInt8 in 40...41 {
            try await harness.queue(
                number, channel: .sms, alertOwner: id(10), to: number, purpose: .alertNews)
        }
        // User 11 has spent nothing.
        try await harness.queue(
            42, channel: .sms, alertOwner: id(11), to: 42, purpose: .alertNews)
        try await settle(harness, 40...42)
        #expect(try await states(harness, 40...41).count { $0 == .accepted } == 1)
        #expect(try await harness.row(42).state == .accepted)
        #expect(try await harness.database.read { try $0.spending() } == [.sms: 9])
    }

    @Test func freeChannelsNeedNoBudget() async throws {
        let email = FakeChannel(.email)
        let harness = try await harness(email, total: 0, perUser: 0)
        try await harness.database.write(about: .none) { transaction in
            let address = try EmailAddress("ada@example.org")
            try transaction.setNewEmailAddress(address, code: UUID(), of: id(1))
            try transaction.confirmNewEmailAddress(of: id(1))
        }
        try await harness.queue(20, .system, channel: .email, purpose: .reminder)
        try await harness.work(finishing: 1)
        #expect(email.tries.first?.email?.address == "ada@example.org")
        #expect(try await harness.database.read { try $0.spending() } == [:])
    }

    @Test func missingMailboxIsRecordedUntilMailWorks() async throws {
        let email = FakeChannel(.email)
        email.answer(.gone(.smtp(550)))
        let harness = try await harness(email)
        try await harness.database.write(about: .none) { transaction in
            let address = try EmailAddress("ada@example.org")
            try transaction.setNewEmailAddress(address, code: UUID(), of: id(1))
            try transaction.confirmNewEmailAddress(of: id(1))
        }
        try await harness.queue(20, channel: .email)
        try await harness.work(finishing: 1)
        let failing = try await harness.database.read { try $0.emailStatus(of: id(1)) }
        #expect(failing.failingSince == harness.clock.now() && failing.lastFailure == "smtp-550")
        #expect(try await harness.row(20).state == .retrying)
        harness.clock.advance(by: .minutes(1))
        try await harness.work(finishing: 1)
        let working = try await harness.database.read { try $0.emailStatus(of: id(1)) }
        #expect(working.failingSince == nil && working.lastSuccessAt == harness.clock.now())
    }

    @Test func deliveryWithoutAConfirmedAddressFails() async throws {
        let email = FakeChannel(.email)
        let harness = try await harness(email)
        try await harness.queue(20, channel: .email)
        try await settle(harness, 20...20)
        #expect(try await harness.row(20).state == .failed && email.tries.isEmpty)
    }
}
