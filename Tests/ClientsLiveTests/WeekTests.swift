import API
import Clients
import Domain
import Foundation
import Synchronization
import TestApp
import Testing

@testable import ClientsLive

/// Ada's week, from Wednesday, 21 October 2026, on: she checks in by 7:00 and 21:00 from Monday to
/// Friday. On Sunday the clocks in Berlin go back, and on Tuesday she flies to Lisbon. Times are
/// UTC. Berlin is 2 hours ahead until Sunday, then 1 hour; Lisbon has UTC from Sunday on.
@Suite(.timeLimit(.minutes(5))) struct WeekTests {
    private final class Device: Sendable {
        private let zone = Mutex("Europe/Berlin")
        var timeZone: String { zone.withLock { $0 } }
        func travel(to name: String) { zone.withLock { $0 = name } }
    }

    private let app: TestApp
    private let home: Home
    private let ada: UserID
    private let ben: Person
    private let cleo: Person
    private let device: Device

    init() async throws {
        let (app, device) = (
            try TestApp(.memory, at: utc("2026-10-21T10:00:00Z")), Device()
        )
        let home = try Home(in: app, timeZone: { device.timeZone })
        let ada = try await home.signIn("+15550100001", in: app).userID
        _ = try await home.values.userClient.updateProfile(name: "Ada", emergencyNote: nil)
        ben = try await app.person("Ben", "+15550100002")
        cleo = try await app.person("Cleo", "+15550100003")
        for responder in [ben, cleo] {
            let code = try await responder.connection.call(Routes.qrCode).payload
            _ = try await home.values.contactClient.addContact(
                code: code, roles: ContactRoles(isResponder: true, isDependent: false))
            _ = try await responder.connection.call(
                Routes.acceptRequest(.dependent), id: ada.uuid)
        }
        (self.app, self.home, self.ada, self.device) = (app, home, ada, device)
    }

    @Test func weekFollowsTheClocks() async throws {
        try await wednesday()
        try await thursday()
        try await friday()
        try await sunday()
        try await monday()
        try await tuesday()
        try await wednesdayInLisbon()
        await home.clients.stop()
    }

    // MARK: Days

    private func wednesday() async throws {
        try await checkIn()
        let days: Set<Weekday> = [.monday, .tuesday, .wednesday, .thursday, .friday]
        let windows = try ["07:00", "21:00"].map {
            CheckInWindow(days: days, deadline: try #require(TimeOfDay($0)))
        }
        let settings = CheckInSettings(
            plan: .times(CheckInTimes(timeZone: "Europe/Berlin", windows: windows)),
            intervalSeconds: 86_400, remindTwoHoursBefore: true, remindThirtyMinutesBefore: true)
        let profile = try await home.values.checkInClient.updateSettings(
            settings: settings, only: nil)
        #expect(profile.confirmed?.nextCheckInTime == (try utc("2026-10-21T19:00:00Z")))
        try await pass(to: "2026-10-21T18:52:00Z")
        #expect(
            try await told(ada, on: "2026-10-21") == [
                "17:00 Check in soon", "18:30 Check in soon", "18:50 Last call: check in now",
            ])
        #expect(try await checkIn() == utc("2026-10-22T05:00:00Z"))
    }

    /// Ada forgets the evening.
    private func thursday() async throws {
        try await pass(to: "2026-10-22T04:00:00Z")
        #expect(try await checkIn() == utc("2026-10-22T19:00:00Z"))
        try await pass(to: "2026-10-22T19:10:00Z")
        #expect(try await checkIn() == utc("2026-10-23T05:00:00Z"))
        #expect(
            try await told(ada, on: "2026-10-22") == [
                "03:00 Check in soon", "17:00 Check in soon", "18:30 Check in soon",
                "18:50 Last call: check in now", "19:00 You missed your check-in",
            ])
        for responder in [ben, cleo] {
            #expect(try await told(responder.id, on: "2026-10-21") == [])
            #expect(
                try await told(responder.id, on: "2026-10-22") == [
                    "19:00 Ada missed a check-in", "19:05 Ada still hasn't checked in",
                    "19:10 Ada checked in",
                ])
        }
    }

    /// Ada pauses until Monday, 8:00 in Berlin. The first time after it is Monday, 21:00, which
    /// was 19:00 UTC before the change of clocks.
    private func friday() async throws {
        try await pass(to: "2026-10-23T04:10:00Z")
        #expect(try await checkIn() == utc("2026-10-23T19:00:00Z"))
        try await pass(to: "2026-10-23T12:00:00Z")
        let end = try utc("2026-10-26T07:00:00Z")
        let paused = try await home.values.checkInClient.pause(until: end)
        #expect(paused.confirmed?.nextCheckInTime == (try utc("2026-10-26T20:00:00Z")))
        try await pass(to: "2026-10-25T06:00:00Z")
        #expect(try await told(ada, on: "2026-10-23") == ["03:00 Check in soon"])
        #expect(try await told(ada, on: "2026-10-24") == [])
        for responder in [ben, cleo] {
            #expect(
                try await told(responder.id, on: "2026-10-23") == [
                    "12:00 Ada has paused check-ins"
                ])
        }
    }

    /// Ada hikes during the pause, and chooses Ben. She is back in time, but her phone is offline.
    private func sunday() async throws {
        try await pass(to: "2026-10-25T09:00:00Z")
        let draft = JourneyDraft(
            id: id(7), name: "Zugspitze", expectedReturn: try utc("2026-10-25T14:00:00Z"),
            note: "By the Höllental", responders: [ben.id])
        let profile = try await home.values.journeyClient.start(journey: draft)
        #expect(profile.journey?.deadline == (try utc("2026-10-25T14:10:00Z")))
        try await pass(to: "2026-10-25T13:40:00Z")
        await home.goOffline()
        #expect(try await home.values.journeyClient.arrive(id: draft.id).isWaiting)
        #expect(await home.waiting() == [.endJourney])
        try await pass(to: "2026-10-25T14:20:00Z")
        home.goOnline()
        await home.isSent()
        let shown = await first(home.values.userClient.profileStream()) { $0.journey == nil }
        #expect(shown?.pause != nil && shown?.status == .active)
        #expect(
            try await told(ada, on: "2026-10-25") == [
                "07:00 Your pause ends soon", "13:45 Back from Zugspitze soon?",
                "14:00 Are you back from Zugspitze?", "14:10 You are not back from Zugspitze",
            ])
        #expect(
            try await told(ben.id, on: "2026-10-25") == [
                "14:10 Ada is not back from Zugspitze", "14:15 Ada is still not back",
                "14:20 Ada has arrived: Zugspitze",
            ])
        let arrival = try #require(try await notes(of: ben.id).last)
        #expect(
            arrival.body
                == "Ada said so at 13:40 UTC, received at 14:20 UTC. The alert has ended.")
        #expect(try await told(cleo.id, on: "2026-10-25") == [])
    }

    private func monday() async throws {
        try await pass(to: "2026-10-26T19:55:00Z")
        #expect(try await checkIn() == utc("2026-10-27T06:00:00Z"))
        #expect(
            try await told(ada, on: "2026-10-26") == [
                "05:00 Your pause ends soon", "18:00 Check in soon", "19:30 Check in soon",
                "19:50 Last call: check in now",
            ])
        for responder in [ben, cleo] {
            #expect(
                try await told(responder.id, on: "2026-10-26") == ["07:00 Ada's pause has ended"])
        }
    }

    /// Ada lands at noon. Nothing changes until she answers the question about the time zone.
    private func tuesday() async throws {
        try await pass(to: "2026-10-27T05:00:00Z")
        #expect(try await checkIn() == utc("2026-10-27T20:00:00Z"))
        try await pass(to: "2026-10-27T12:00:00Z")
        device.travel(to: "Europe/Lisbon")
        // The server notes the zone after the first request.
        _ = try await home.values.userClient.updateProfile(name: nil, emergencyNote: "In Lisbon")
        let profile = try #require(
            try await home.values.userClient.updateProfile(name: nil, emergencyNote: "Lisbon")
                .confirmed)
        #expect(profile.timeZone == "Europe/Lisbon")
        #expect(profile.settings.plan.times?.timeZone == "Europe/Berlin")
        #expect(profile.nextCheckInTime == (try utc("2026-10-27T20:00:00Z")))

        var (settings, times) = (profile.settings, try #require(profile.settings.plan.times))
        times.timeZone = "Europe/Lisbon"
        settings.plan = .times(times)
        let moved = try await home.values.checkInClient.updateSettings(
            settings: settings, only: [.plan])
        #expect(moved.confirmed?.nextCheckInTime == (try utc("2026-10-27T21:00:00Z")))
        try await pass(to: "2026-10-27T20:55:00Z")
        #expect(try await checkIn() == utc("2026-10-28T07:00:00Z"))
        #expect(
            try await told(ada, on: "2026-10-27") == [
                "04:00 Check in soon", "19:00 Check in soon", "20:30 Check in soon",
                "20:50 Last call: check in now",
            ])
        for responder in [ben, cleo] {
            #expect(try await told(responder.id, on: "2026-10-27") == [])
        }
    }

    private func wednesdayInLisbon() async throws {
        try await pass(to: "2026-10-28T07:03:00Z")
        #expect(try await checkIn() == utc("2026-10-28T21:00:00Z"))
        #expect(
            try await told(ada, on: "2026-10-28") == [
                "05:00 Check in soon", "06:30 Check in soon", "06:50 Last call: check in now",
                "07:00 You missed your check-in",
            ])
        for responder in [ben, cleo] {
            #expect(
                try await told(responder.id, on: "2026-10-28") == [
                    "07:00 Ada missed a check-in", "07:03 Ada checked in",
                ])
        }
    }

    // MARK: Acting and looking

    /// Lets Ada check in now. Returns the next deadline.
    @discardableResult
    private func checkIn() async throws -> Date? {
        let submission = try await home.values.checkInClient.checkIn(
            id: ID(UUID()), occurredAt: app.time.now)
        return try #require(submission.confirmed).nextCheckInTime
    }

    /// Lets time pass, and the server act at each due time.
    private func pass(to text: String) async throws {
        let end = try utc(text)
        while let due = try await app.deadlineMonitor.handleDueDeadlines(), due <= end {
            app.time.pass(max(.zero, due.since(app.time.now)))
        }
        app.time.pass(end.since(app.time.now))
        try await app.deadlineMonitor.handleDueDeadlines()
    }

    private func notes(of user: UserID) async throws -> [NotificationItem] {
        try await app.network.events.events(of: user, after: 0, limit: 10_000).events.compactMap {
            guard case .notification(let item) = try UserEvent(kind: $0.kind, data: $0.data)
            else { return nil }
            return item
        }
    }

    /// Returns what a person was told on a day, with the times, without news of accounts and
    /// contacts.
    private func told(_ user: UserID, on day: String) async throws -> [String] {
        try await notes(of: user).compactMap { item in
            let text = Timestamp.text(item.createdAt)
            guard text.hasPrefix(day), text.prefix(16) > "2026-10-21T10:00",
                ![
                    "Your check-in schedule was changed", "Your check-ins were paused",
                    "Your emergency note was changed",
                ].contains(item.title)
            else { return nil }
            return "\(text.dropFirst(11).prefix(5)) \(item.title)"
        }
    }
}

private func utc(_ text: String) throws -> Date { try #require(Timestamp.date(text)) }
