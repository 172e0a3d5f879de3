import Domain
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

@Suite struct ReminderTests {
    @Test func eachReminderIsSentOnceOnTime() async throws {
        let server = try TestServer()
        let ada = try await server.armed("Ada")
        server.clock.set(noon.adding(.hours(22)).aMillisecondBefore)
        #expect(try await server.deadlineMonitor.handleDueDeadlines() == noon.adding(.hours(22)))
        #expect(try await server.news(of: ada) == [])
        #expect(try await server.pass(.milliseconds(1)) == noon.adding(.hours(23) + .minutes(30)))
        #expect(
            try await server.newsItems(of: ada).map(\.body) == [
                "Less than 2 hours left: check in before 12:00 UTC."
            ])
        try await server.pass(.hours(1))
        #expect(try await server.news(of: ada) == [])
        #expect(try await server.pass(.minutes(30)) == noon.adding(.hours(23) + .minutes(50)))
        #expect(
            try await server.newsItems(of: ada).map(\.body) == [
                "Less than 30 minutes left: check in before 12:00 UTC."
            ])
        #expect(server.watched.all.reminders == 2)
    }

    @Test func checkInCancelsRemindersAndStartsOver() async throws {
        let server = try TestServer()
        let ada = try await server.armed("Ada")
        try await server.pass(.hours(22))
        try await server.checkIn(ada)
        _ = try await server.news(of: ada)
        try await server.pass(.hours(22).minusAMillisecond)
        #expect(try await server.news(of: ada) == [])
        try await server.pass(.milliseconds(1))
        #expect(try await server.news(of: ada) == ["Check in soon"])
    }

    @Test func disabledReminderIsNotSent() async throws {
        let server = try TestServer()
        let (ada, ben) = (try await server.armed("Ada"), try await server.armed("Ben"))
        _ = try await server.setInterval(.hours(24), of: ada, reminders: false)
        _ = try await server.news(of: ada)
        let late = CheckInSettings(
            intervalSeconds: 86_400, remindTwoHoursBefore: false, remindThirtyMinutesBefore: true)
        _ = try await server.network.checkIns.updateSettings(late, of: ben.caller)
        try await server.pass(.hours(22))
        try await server.pass(.minutes(90))
        #expect(try await server.news(of: ada) == [])
        #expect(
            try await server.newsItems(of: ben).map(\.createdAt) == [
                noon.adding(.hours(23) + .minutes(30))
            ])
    }

    @Test func reminderBeyondTheIntervalIsSkipped() async throws {
        let server = try TestServer()
        let (ada, ben) = (try await server.armed("Ada"), try await server.armed("Ben"))
        _ = try await server.setInterval(.hours(2), of: ada)
        _ = try await server.setInterval(.hours(2) + .seconds(1), of: ben)
        try await server.pass(.seconds(1))
        #expect(try await server.news(of: ada) == [])
        #expect(try await server.news(of: ben) == ["Check in soon"])
        try await server.pass(.minutes(90))
        #expect(try await server.news(of: ada) == ["Check in soon"])
    }

    @Test func pauseSendsOnlyTheMostUrgentReminder() async throws {
        let server = try TestServer()
        let ada = try await server.armed("Ada")
        try await server.pass(.hours(23) + .minutes(45))
        #expect(
            try await server.newsItems(of: ada).map(\.body) == [
                "Less than 30 minutes left: check in before 12:00 UTC."
            ])
    }

    @Test func noReminderAfterTheDeadline() async throws {
        let server = try TestServer()
        let ada = try await server.armed("Ada")
        try await server.pass(.hours(25))
        #expect(try await server.news(of: ada) == ["You missed your check-in"])
    }

    @Test func newDeadlineHasItsOwnReminders() async throws {
        let server = try TestServer()
        let ada = try await server.armed("Ada")
        try await server.pass(.hours(22))
        _ = try await server.setInterval(.hours(48), of: ada)
        _ = try await server.news(of: ada)
        try await server.pass(.hours(24))
        #expect(try await server.news(of: ada) == ["Check in soon"])
    }

    @Test func undeliveredReminderIsWithdrawnAtTheDeadline() async throws {
        let server = try TestServer(options: { $0.isSMSAvailable = true })
        let ada = try await server.armed("Ada")
        try await server.pass(.hours(22))
        try await server.pass(.hours(1) + .minutes(30))
        try await server.pass(.minutes(30))
        let states: [String] = try await server.engine.read {
            try $0.values(
                """
                SELECT state FROM deliveries
                WHERE user_id = $1 AND purpose = 'reminder' AND channel = 'sms'
                """, [.id(ada.id)])
        }
        #expect(states == ["superseded", "superseded"])
    }
}
