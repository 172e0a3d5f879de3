import Domain
import Features
import Foundation
import LifeSignalDevice
import Testing
import UserNotifications

@testable import LifeSignalApp

/// What a tap on a notification opens. `PushedSubjectTests` has the rule for messages.
@Suite struct TapTests {
    private let ana = UserID(UUID())
    private let ben = UserID(UUID())

    private func opened(
        _ fields: [String: Any]?, id: String = "message"
    ) -> NotificationSubject? {
        let content = UNMutableNotificationContent()
        if var fields {
            fields["recipientID"] = ana.description
            content.userInfo = ["lifesignal": fields]
        }
        return NotificationSubject(
            UNNotificationRequest(identifier: id, content: content, trigger: nil))
    }

    @Test func drillOpensHome() {
        let drill: [String: Any] = [
            "type": "system", "aboutUserID": ben.description, "actions": ["confirmDrill"],
        ]
        #expect(opened(drill) == .home)
        let later: [String: Any] = [
            "type": "system", "aboutUserID": ben.description, "actions": ["unknown"],
        ]
        #expect(opened(later) == .person(ben))
    }

    @Test func serversReminderOpensHomeAndAccountNewsTheCentre() {
        #expect(opened(["type": "checkIn", "actions": ["checkIn"]]) == .home)
        #expect(opened(["type": "system", "actions": [String]()]) == .centre)
    }

    @Test func reminderOfThisDeviceOpensHome() {
        #expect(opened(nil, id: "\(LocalReminder.mark)deadline") == .home)
        #expect(opened(nil, id: "\(LocalReminder.journeyMark)return") == .home)
        #expect(opened(nil, id: "not-sent") == nil)
    }
}
