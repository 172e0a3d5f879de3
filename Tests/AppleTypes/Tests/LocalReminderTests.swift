import Foundation
import LifeSignalDevice
import Testing

@testable import UserNotifications

/// Serialized, because the tests share the system's list of notifications.
@Suite(.serialized) struct LocalReminderTests {
    private let center = UNUserNotificationCenter.current()
    private let now = Date(timeIntervalSince1970: 1_772_366_400)

    init() async {
        let pending = await center.pendingNotificationRequests()
        center.removePendingNotificationRequests(withIdentifiers: pending.map(\.identifier))
        let delivered = await center.deliveredNotifications()
        center.removeDeliveredNotifications(withIdentifiers: delivered.map(\.request.identifier))
    }

    private func request(
        _ id: String, due: Date? = nil, category: String = ""
    ) -> UNNotificationRequest {
        let content = UNMutableNotificationContent()
        content.categoryIdentifier = category
        if let due { content.userInfo = LocalReminder.userInfo(due: due) }
        return UNNotificationRequest(
            identifier: id, content: content,
            // This request was scheduled a day earlier.
            trigger: UNTimeIntervalNotificationTrigger(timeInterval: 86_400, repeats: false))
    }

    private var pending: [String] {
        get async { await center.pendingNotificationRequests().map(\.identifier) }
    }

    private var delivered: [String] {
        get async { await center.deliveredNotifications().map(\.request.identifier) }
    }

    @Test func serverReminderRemovesPendingLocalOne() async throws {
        let due = now.addingTimeInterval(LocalReminder.patience)
        try await center.add(request("\(LocalReminder.mark)first", due: due))
        try await center.add(request("\(LocalReminder.mark)second", due: due + 1))
        try await center.add(request("other", due: due))
        await LocalReminder.takeAwayTheNext(.checkIn, at: now)
        #expect(await pending == ["\(LocalReminder.mark)second", "other"])
    }

    @Test func serverReminderRemovesOnlyThoseOfItsTopic() async throws {
        let (checkIn, journey) = ("\(LocalReminder.mark)deadline", "reminder journey-return")
        for id in [checkIn, journey] {
            try await center.add(request(id, due: now))
            center.deliver(request(id), at: now)
        }
        await LocalReminder.takeAwayTheNext(.journey, at: now)
        #expect(await pending == [checkIn])
        #expect(await delivered == [checkIn])
        center.deliver(request(journey), at: now)
        await LocalReminder.takeAwayTheNext(.checkIn, at: now)
        #expect(await pending == [])
        #expect(await delivered == [journey])
    }

    @Test func serverReminderRemovesShownLocalOne() async {
        center.deliver(request("\(LocalReminder.mark)quick"), at: now)
        center.deliver(request("alert"), at: now)
        await LocalReminder.takeAwayTheNext(.checkIn, at: now)
        #expect(await delivered == ["alert"])
    }

    @Test func checkInRemovesOlderReminders() async {
        for (id, category) in [
            ("\(LocalReminder.mark)own", ""), ("reminder", "checkIn"), ("ping", "respondToPing"),
            ("alert", "acknowledgeAlert"), ("drill", "confirmDrill"),
        ] {
            center.deliver(request(id, category: category), at: now)
        }
        center.deliver(request("later", category: "checkIn"), at: now.addingTimeInterval(1))
        await LocalReminder.takeAwayAnswered(by: now)
        #expect(await delivered.count == 6)
        await LocalReminder.takeAwayAnswered(by: now.addingTimeInterval(0.5))
        #expect(await delivered == ["alert", "drill", "later"])
    }

    @Test func endOfAJourneyRemovesItsReminders() async {
        for category in ["arrived", "checkIn", "acknowledgeAlert"] {
            center.deliver(request(category, category: category), at: now)
        }
        center.deliver(request("\(LocalReminder.journeyMark)return"), at: now)
        await LocalReminder.takeAwayJourney()
        #expect(await delivered == ["checkIn", "acknowledgeAlert"])
    }

    @Test(
        arguments: [
            ("checkIn", "", LocalReminder.Topic.checkIn), ("arrived", "", .journey),
            ("", "own", .checkIn), ("", "other", nil), ("acknowledgeAlert", "other", nil),
            ("respondToPing", "", nil),
        ] as [(String, String, LocalReminder.Topic?)])
    func detectsRemindersAndOwnMissedCheckIns(
        category: String, alert: String, topic: LocalReminder.Topic?
    ) {
        let own = "6f1c2a34-5b6d-4e7f-8a9b-0c1d2e3f4a5b"
        let other = "7f1c2a34-5b6d-4e7f-8a9b-0c1d2e3f4a5b"
        let content = UNMutableNotificationContent()
        content.categoryIdentifier = category
        if !alert.isEmpty {
            content.userInfo = [
                "lifesignal": [
                    "recipientID": own, "alertID": own,
                    "aboutUserID": alert == "own" ? own : other,
                ]
            ]
        }
        #expect(LocalReminder.topic(repeatedBy: content) == topic)
    }
}
