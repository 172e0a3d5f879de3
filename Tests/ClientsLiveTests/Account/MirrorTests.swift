import Domain
import Foundation
import Testing

@testable import ClientsLive

@Suite struct MirrorTests {
    private let mirror = Mirror(of: id(1), limits: .session, file: nil)

    private func alert(_ number: UInt8) -> AlertRecord {
        let (alert, user): (AlertID, UserID) = (id(number), id(1))
        return AlertRecord(
            id: "\(alert)", startTime: noon, endTime: nil, userId: "\(user)", isActive: true,
            kind: .manual)
    }

    private let notification = NotificationItem(
        id: id(9), type: .alert, title: "Ana needs help", body: "", createdAt: noon, readAt: nil)

    @Test func replyChangesTheModel() {
        mirror.apply(.reply(.alert(alert(7))), aliases: [:])
        #expect(mirror.model.alerts == [alert(7)])
        #expect(mirror.lastSynced == nil)
    }

    @Test func changeDuringALoadLeavesTheModel() {
        let page = mirror.applying(.reply(.alert(alert(7))), to: AccountModel(), aliases: [:])
        #expect(page.alerts == [alert(7)])
        #expect(mirror.model.alerts.isEmpty)
    }

    @Test func loadSetsOnlyItsSlices() {
        mirror.apply(.event(.notification(notification), at: noon), aliases: [:])
        mirror.merge(.init(alerts: [alert(7)], notifications: []), [.alerts])
        #expect(mirror.model.alerts == [alert(7)])
        #expect(mirror.model.notifications == [notification])
    }

    /// The contact is either new, or was just removed by the other person.
    @Test func replyAboutAnUnknownContactNeedsTheList() throws {
        let ben = ContactData(
            id: id(2), name: "Ben", phoneNumber: nil, profilePictureURL: nil,
            roles: try ContactRoles(isResponder: true, isDependent: false), dateAdded: noon,
            hasPendingPing: false, pingedAt: nil, watch: nil)
        #expect(mirror.lacksContact(of: .reply(.contact(ben))))
        mirror.merge(.init(contacts: [ben]), [.contacts])
        #expect(!mirror.lacksContact(of: .reply(.contact(ben))))
        #expect(!mirror.lacksContact(of: .reply(.alert(alert(7)))))
    }
}
