import API
import Domain
import Foundation
import Testing

@testable import ClientsLive

/// Tests the JSON of queued actions that earlier versions stored.
@Suite struct StoredActionTests {
    private static func uuid(_ number: Int) -> UUID {
        UUID(uuidString: "00000000-0000-4000-8000-00000000000\(number)") ?? UUID()
    }
    private static let text = uuid(1).uuidString.lowercased()
    private static let other = uuid(2).uuidString.lowercased()

    static func stored() throws -> [(QueuedAction, String)] {
        let time = Date(milliseconds: 1_792_000_000_000)
        return [
            (.raiseAlert(ID(uuid(1))), #"{"raiseAlert":{"_0":"\#(text)"}}"#),
            (.endAlert(ID(uuid(1))), #"{"endAlert":{"_0":"\#(text)"}}"#),
            (
                .checkIn(ID(uuid(1)), occurredAt: time),
                #"{"checkIn":{"_0":"\#(text)","occurredAt":"2026-10-14T17:46:40.000Z"}}"#
            ),
            (
                .ping(ID(uuid(1)), dependent: ID(uuid(2))),
                #"{"ping":{"_0":"\#(text)","dependent":"\#(other)"}}"#
            ),
            (.respondToPing(ID(uuid(1))), #"{"respondToPing":{"_0":"\#(text)"}}"#),
            (.clearPing(ID(uuid(1))), #"{"clearPing":{"_0":"\#(text)"}}"#),
            (
                .updateProfile(name: "Ana", emergencyNote: nil),
                #"{"updateProfile":{"name":"Ana"}}"#
            ),
            (
                .updateProfile(name: nil, emergencyNote: "Insulin"),
                #"{"updateProfile":{"emergencyNote":"Insulin"}}"#
            ),
            (.leaveNoteOutOfCopy(true), #"{"leaveNoteOutOfCopy":{"_0":true}}"#),
            (
                .updateSettings(.standard),
                """
                {"updateSettings":{"_0":{"intervalSeconds":86400,"remindThirtyMinutesBefore":true,\
                "remindTwoHoursBefore":true}}}
                """
            ),
            (
                .updateSettings(.standard, only: [.twoHours]),
                """
                {"updateSettings":{"_0":{"intervalSeconds":86400,"remindThirtyMinutesBefore":true,\
                "remindTwoHoursBefore":true},"only":["twoHours"]}}
                """
            ),
            (
                .changeRoles(
                    ID(uuid(1)), try ContactRoles(isResponder: true, isDependent: false)),
                """
                {"changeRoles":{"_0":"\(text)","_1":{"isDependent":false,"isResponder":true}}}
                """
            ),
            (
                .changeRoles(
                    ID(uuid(1)), try ContactRoles(isResponder: true, isDependent: false),
                    only: .dependent),
                """
                {"changeRoles":{"_0":"\(text)","_1":{"isDependent":false,"isResponder":true},\
                "only":"dependent"}}
                """
            ),
            (
                .updatePreferences(try NotificationPreferences(muted: [.checkIn])),
                #"{"updatePreferences":{"_0":{"muted":["checkIn"]}}}"#
            ),
            (
                .updatePreferences(
                    try NotificationPreferences(muted: [.checkIn]), only: .checkIn),
                #"{"updatePreferences":{"_0":{"muted":["checkIn"]},"only":"checkIn"}}"#
            ),
            (.markAsRead(ID(uuid(1))), #"{"markAsRead":{"_0":"\#(text)"}}"#),
            (
                .pause(until: time), #"{"pause":{"until":"2026-10-14T17:46:40.000Z"}}"#
            ),
            (.endPause, #"{"endPause":{}}"#),
            (
                .extendJourney(ID(uuid(1)), expectedReturn: time),
                """
                {"extendJourney":{"_0":"\(text)","expectedReturn":"2026-10-14T17:46:40.000Z"}}
                """
            ),
            (
                .extendJourney(ID(uuid(1)), expectedReturn: time, isLater: true),
                """
                {"extendJourney":{"_0":"\(text)","expectedReturn":"2026-10-14T17:46:40.000Z",\
                "isLater":true}}
                """
            ),
            (.endJourney(ID(uuid(1))), #"{"endJourney":{"_0":"\#(text)"}}"#),
            (
                .resendJourney(
                    JourneyRecord(
                        id: ID(uuid(1)), name: "Zugspitze", startTime: time, expectedReturn: time),
                    endTime: time),
                """
                {"resendJourney":{"_0":{"expectedReturn":"2026-10-14T17:46:40.000Z",\
                "graceMinutes":10,"id":"\(text)","name":"Zugspitze","note":"",\
                "startTime":"2026-10-14T17:46:40.000Z","tellsResponders":false},\
                "endTime":"2026-10-14T17:46:40.000Z"}}
                """
            ),
            (.deleteNotification(ID(uuid(1))), #"{"deleteNotification":{"_0":"\#(text)"}}"#),
        ]
    }

    @Test func everyKindIsReadAndWrittenAsBefore() throws {
        let stored = try Self.stored()
        for (action, text) in stored {
            #expect(
                try WireJSON.decoder().decode(QueuedAction.self, from: Data(text.utf8)) == action)
            let written = try WireJSON.encoder().encode(action)
            let keys = try JSONSerialization.jsonObject(with: written) as? NSDictionary
            let expected = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? NSDictionary
            #expect(keys == expected, "\(String(decoding: written, as: UTF8.self))")
        }
        #expect(Set(stored.map(\.0.kind)).count == 17, "every kind of action is in the list")
    }
}
