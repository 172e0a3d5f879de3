import Cryptography
import Domain
import Foundation
import Testing

@testable import SafetyNetwork

/// Ada misses her deadline at 13:00. In some tests she then changes to an interval that ends at
/// 14:30, and the alert stays open. Ben is her responder.
@Suite struct LastCallDuringAlertTests {
    private let server: TestServer
    private let ada: Person
    private let ben: Person
    private let missed = noon.adding(.hours(1))
    private let deadline = noon.adding(.hours(2) + .minutes(30))
    private let alertIsOn =
        "Your alert about the check-in before 13:00 UTC is on. Check in to end it."

    init() async throws {
        server = try TestServer(options: {
            $0.isSMSAvailable = true
            $0.isVoiceAvailable = true
        })
        (ada, ben) = (try await server.armed("Ada"), try await server.person("Ben"))
        try await server.connect(ben, watchesOver: ada)
    }

    private func choose(_ interval: Duration) async throws {
        let settings = CheckInSettings(
            intervalSeconds: Int(interval.components.seconds), remindTwoHoursBefore: false,
            remindThirtyMinutesBefore: true)
        _ = try await server.network.checkIns.updateSettings(settings, of: ada.caller)
    }

    private func run(at time: Date) async throws {
        server.clock.set(time)
        try await server.deadlineMonitor.handleDueDeadlines()
    }

    /// Returns Ada's news of this moment. Deletes it, which withdraws what has not been sent.
    private func news(at time: Date) async throws -> [String] {
        _ = try await server.news(of: ada)
        try await run(at: time)
        return try await server.newsItems(of: ada).map { "\($0.title): \($0.body)" }
    }

    private func missAndChange() async throws {
        try await choose(.hours(1))
        _ = try await news(at: missed)
        try await choose(.hours(2) + .minutes(30))
        #expect(try await server.profile(ada).nextCheckInTime == deadline)
        #expect(try await server.openAlert(ada)?.deadline == missed)
    }

    @Test func messagesSayThatTheAlertIsOn() async throws {
        try await missAndChange()
        let reminder = try await news(at: deadline.adding(.minutes(-30)))
        #expect(
            reminder.contains(
                """
                Check in now: \(alertIsOn) LifeSignal alerts again in less than 30 minutes, at \
                14:30 UTC.
                """))
        let message = try await news(at: deadline.adding(.minutes(-10)))
        #expect(
            message.contains(
                "Last call: check in now: \(alertIsOn) LifeSignal alerts again at 14:30 UTC."))
        let call = try await news(at: deadline.adding(.minutes(-5)))
        #expect(call.contains("LifeSignal calls you: \(alertIsOn) On the phone, press 1."))
    }

    @Test func withoutAnAlertMessagesSayWhatIsLeft() async throws {
        try await choose(.hours(2) + .minutes(30))
        let reminder = try await news(at: deadline.adding(.minutes(-30)))
        #expect(
            reminder
                == ["Check in soon: Less than 30 minutes left: check in before 14:30 UTC."])
    }

    /// Calls Ada five minutes before a deadline. Returns the call's token.
    private func call(before deadline: Date) async throws -> String {
        for minutes in [10, 5] { try await run(at: deadline.adding(.minutes(-minutes))) }
        #expect(try await server.send(.voice).contains("Ada"))
        let key = try #require(ServerKey(bytes: Data(repeating: 7, count: 32)))
        return CallToken(
            person: ada.id.uuid, delivery: try await server.delivery(.voice, ada).uuid,
            attempt: 1, expiresAt: deadline.adding(.hours(1))
        ).text(key: key)
    }

    @Test func callSaysThatRespondersAreTold() async throws {
        try await missAndChange()
        let token = try await call(before: deadline)
        let calls = server.network.calls
        #expect(try await calls.call(token) == .missedCheckIn(ToldResponders(told: 1, all: 1)))
    }

    @Test(arguments: [true, false])
    func keyOneEndsTheMissedAlert(hasResponder: Bool) async throws {
        if !hasResponder {
            try await server.network.contacts.removeContact(ben.id, by: ada.caller)
        }
        try await choose(.hours(1))
        let token = try await call(before: missed)
        let calls = server.network.calls
        server.clock.set(missed)
        #expect(try await calls.call(token) == .lastCall(minutes: 0))
        try await server.deadlineMonitor.handleDueDeadlines()
        #expect(try await server.openAlert(ada)?.kind == .missedCheckIn)
        let count = hasResponder ? 1 : 0
        #expect(
            try await calls.call(token) == .missedCheckIn(ToldResponders(told: count, all: count)))
        #expect(
            try await calls.takeOn(byCall: token)
                == .isCheckedIn(isAlertOn: false, areRespondersTold: hasResponder))
        #expect(try await server.openAlert(ada) == nil)
    }
}
