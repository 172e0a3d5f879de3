import Foundation
import SeededGenerator
import Testing

@testable import Domain

@Suite struct UserEventTests {
    static let events: [UserEvent] = [
        .checkIn(
            .init(userID: ada, lastCheckInTime: noon, nextCheckInTime: noon.adding(.hours(24)))),
        .checkIn(.init(userID: ada, lastCheckInTime: noon, nextCheckInTime: nil)),
        .alert(
            AlertRecord(
                id: "a1", startTime: noon, endTime: noon.aMillisecondAfter, userId: ada.description,
                isActive: false, kind: .missedCheckIn,
                deadline: noon.aMillisecondBefore, toldLate: true,
                acknowledgement: .init(
                    responderId: ben.description, name: "Ben \"B\" \u{1F642}", time: noon,
                    afterSeconds: 0.001),
                ledger: [
                    .init(
                        recipientId: ben.description, name: "Ben", channel: .sms, state: .givenUp,
                        time: noon, attempts: 3)
                ])),
        .alert(
            AlertRecord(
                id: "a2", startTime: noon, endTime: nil, userId: "u", isActive: true, kind: .manual)
        ),
        .ping(
            PingRecord(
                id: id(7), responderID: ben, dependentID: ada, createdAt: noon, state: .pending,
                settledAt: nil)),
        .ping(
            PingRecord(
                id: id(7), responderID: ben, dependentID: ada, createdAt: noon, state: .answered,
                settledAt: noon)),
        .contactChanged(.init(contactID: ben)),
        .contactRemoved(.init(contactID: ben)),
        .notification(
            NotificationItem(
                id: id(9), type: .alert, title: "Ada needs help", body: "a/b \"c\"\n\u{2028}",
                createdAt: noon, readAt: noon,
                aboutUserID: ada, alertID: id(3), pingID: id(7))),
        .notification(
            NotificationItem(id: id(9), type: .system, title: "t", body: "b", createdAt: noon)),
        .notificationsChanged(.init()),
        .notificationsChanged(.init(notificationID: id(9))),
        .notificationsChanged(.init(notificationID: id(9), readAt: noon)),
        .profileChanged,
    ]

    @Test(arguments: events)
    func eventRoundTripsByKindAndData(event: UserEvent) throws {
        let data = try event.data()
        #expect(try UserEvent(kind: event.kind, data: data) == event)
        #expect(!data.contains("\n"), "a line break would end the event on the stream")
    }

    @Test func everyEventKindIsCovered() {
        #expect(Set(Self.events.map(\.kind)) == Set(UserEvent.Kind.allCases))
    }

    @Test(
        "data of another kind is refused",
        arguments: UserEvent.Kind.allCases.filter {
            // The data of these two kinds may be empty.
            $0 != .profileChanged && $0 != .notificationsChanged
        })
    func otherData(kind: UserEvent.Kind) {
        for data in ["", "{}", "[]", "null"] {
            #expect(throws: DecodingError.self) { try UserEvent(kind: kind, data: data) }
        }
    }

    @Test(arguments: [
        ("Ada's", "Größe 🚨 a/b \u{2028}\u{7F}", true), ("", "", true), ("a\"b", "", false),
        ("", "a\\b", false), ("", "a\nb", false), ("a\u{1F}b", "", false), ("a\u{0}", "", false),
    ])
    func handWrittenNotificationMatchesTheEncoder(
        title: String, body: String, isPlain: Bool
    ) throws {
        var item = NotificationItem(
            id: id(9), type: .alert, title: title, body: body, createdAt: noon)
        for _ in 1...2 {
            #expect((item.plainJSON != nil) == isPlain)
            #expect(
                try UserEvent.notification(item).data()
                    == String(decoding: try WireJSON.encoder().encode(item), as: UTF8.self))
            (item.readAt, item.aboutUserID, item.alertID) = (noon, ada, id(3))
            (item.pingID, item.sessionID, item.kind) = (id(7), id(8), .lastingChange)
        }
        let keys = try JSONSerialization.jsonObject(with: WireJSON.encoder().encode(item))
        let properties = Mirror(reflecting: item).children.count
        #expect((keys as? [String: Any])?.count == properties, "the item above has every value")
    }

    @Test func handWrittenCheckInJSONMatchesTheEncoder() throws {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<200 {
            let last = Date(
                timeIntervalSince1970: .random(in: 946_684_800..<4_000_000_000, using: &random))
            let summary = UserEvent.CheckInSummary(
                userID: id(.random(in: 0...255, using: &random)), lastCheckInTime: last,
                nextCheckInTime: random.once(in: 5)
                    ? nil : last.adding(.seconds(Int.random(in: 1...604_800, using: &random))))
            #expect(
                summary.json
                    == String(decoding: try WireJSON.encoder().encode(summary), as: UTF8.self))
        }
    }

    @Test func checkInEventJSONIsExact() throws {
        let event = UserEvent.checkIn(
            .init(userID: ada, lastCheckInTime: noon, nextCheckInTime: noon.adding(.hours(8))))
        #expect(
            try event.data()
                == #"{"lastCheckInTime":"2026-03-01T12:00:00.000Z","#
                + #""nextCheckInTime":"2026-03-01T20:00:00.000Z","#
                + #""userID":"00000000-0000-4000-8000-000000000001"}"#)
    }
}
