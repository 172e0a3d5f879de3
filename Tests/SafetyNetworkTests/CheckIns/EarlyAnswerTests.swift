import Cryptography
import Domain
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

/// Ada's answers to a last call that come before a window, and so move no deadline. She has checked
/// in on Sunday at noon, and checks in daily between 4:00 and 10:00 UTC.
@Suite struct EarlyAnswerTests {
    private let server: TestServer
    private let ada: Person
    /// Monday, 10:00 UTC.
    private let deadline = noon.adding(.hours(22))
    private let opensAt14 = "Recorded. Your check-in for 20:00 UTC opens at 14:00 UTC."
    private let opensAt4 = "Recorded. Your check-in for 10:00 UTC opens at 04:00 UTC."

    init() async throws {
        server = try TestServer(options: {
            $0.isSMSAvailable = true
            $0.isVoiceAvailable = true
        })
        ada = try await server.armed("Ada")
        try await choose(until: 600)
    }

    private func choose(until minute: Int) async throws {
        let settings = CheckInSettings(
            plan: .times(.daily(until: minute)), intervalSeconds: 86_400,
            remindTwoHoursBefore: false, remindThirtyMinutesBefore: false,
            lastCall: LastCall(sendsMessage: true, calls: true, takesAnswers: true))
        _ = try await server.network.checkIns.updateSettings(settings, of: ada.caller)
    }

    /// Sends what is due at a time before the deadline.
    private func run(minutesBefore minutes: Int, _ channel: DeliveryChannel) async throws {
        server.clock.set(deadline.adding(.minutes(-minutes)))
        try await server.deadlineMonitor.handleDueDeadlines()
        #expect(try await server.send(channel) == ["Ada"])
    }

    private func text(_ text: String) async throws -> String? {
        try await server.network.textAnswers.receiveText(text, from: ada.number)
    }

    private func movesToEvening(at time: Date) async throws {
        server.clock.set(time)
        try await choose(until: 1_200)
        #expect(try await server.profile(ada).nextCheckInTime == deadline.adding(.hours(10)))
        server.clock.pass(.minutes(1))
    }

    @Test func replyAfterAChangeSaysWhenTheWindowOpens() async throws {
        try await run(minutesBefore: 10, .sms)
        try await movesToEvening(at: deadline.adding(.minutes(-8)))
        let reply = TextReply.recorded(opensAt14, isAlertOn: false).text
        for _ in 0..<2 { #expect(try await text("1") == reply) }
        #expect(try await server.history(of: ada).count == 2)
        #expect(try await server.profile(ada).nextCheckInTime == deadline.adding(.hours(10)))
    }

    @Test func replyAfterACheckInSaysWhenTheWindowOpens() async throws {
        try await run(minutesBefore: 10, .sms)
        server.clock.pass(.minutes(1))
        try await server.checkIn(ada)
        server.clock.set(deadline.adding(.hours(24 - 7)))
        #expect(try await text("1") == TextReply.recorded(opensAt4, isAlertOn: false).text)
    }

    @Test func replyInTheWindowThanks() async throws {
        try await run(minutesBefore: 10, .sms)
        server.clock.pass(.minutes(1))
        #expect(try await text("1") == TextReply.checkedIn.text)
    }

    @Test func replyThatEndsTheAlertThanks() async throws {
        try await run(minutesBefore: 10, .sms)
        server.clock.set(deadline)
        try await server.deadlineMonitor.handleDueDeadlines()
        try await movesToEvening(at: deadline.adding(.minutes(1)))
        for _ in 0..<2 { #expect(try await text("1") == TextReply.checkedIn.text) }
        #expect(try await server.openAlert(ada) == nil)
    }

    @Test func keyOneAfterAChangeSaysWhenTheWindowOpens() async throws {
        try await run(minutesBefore: 10, .sms)
        try await run(minutesBefore: 5, .voice)
        let key = try #require(ServerKey(bytes: Data(repeating: 7, count: 32)))
        let token = CallToken(
            person: ada.id.uuid, delivery: try await server.delivery(.voice, ada).uuid,
            attempt: 1, expiresAt: deadline.adding(.hours(1))
        ).text(key: key)
        try await movesToEvening(at: deadline.adding(.minutes(-4)))
        let calls = server.network.calls
        #expect(try await calls.call(token) == .nothingIsDue)
        for _ in 0..<2 {
            #expect(
                try await calls.takeOn(byCall: token) == .isRecorded(opensAt14, isAlertOn: false))
        }
    }
}
