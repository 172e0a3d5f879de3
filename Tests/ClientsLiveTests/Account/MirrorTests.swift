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

    private func ben(status: UserStatus = .active) throws -> ContactData {
        ContactData(
            id: id(2), name: "Ben", phoneNumber: nil, profilePictureURL: nil,
            roles: try ContactRoles(isResponder: false, isDependent: true), dateAdded: noon,
            hasPendingPing: false, pingedAt: nil,
            watch: .init(
                emergencyNote: "", lastCheckInTime: noon, nextCheckInTime: noon.adding(.hours(24)),
                checkInIntervalSeconds: 86_400, status: status))
    }

    private func overdue(of user: UserID, isActive: Bool = true) -> AlertRecord {
        let alert: AlertID = id(8)
        return AlertRecord(
            id: "\(alert)", startTime: noon, endTime: isActive ? nil : noon, userId: "\(user)",
            isActive: isActive, kind: .journey, deadline: noon, journey: "Zugspitze")
    }

    @Test func contactWithAnOverdueJourneyIsNotFine() throws {
        mirror.merge(.init(contacts: [try ben()]), [.contacts])
        mirror.apply(.event(.alert(overdue(of: id(2))), at: noon), aliases: [:])
        #expect(mirror.model.contacts.first?.watch?.status == .alertActive)
        // A list of contacts that is older than the alert changes nothing.
        mirror.merge(.init(contacts: [try ben()]), [.contacts])
        #expect(mirror.model.contacts.first?.watch?.status == .alertActive)
        mirror.apply(
            .event(.alert(overdue(of: id(2), isActive: false)), at: noon), aliases: [:])
        #expect(mirror.model.contacts.first?.watch?.status == .active)
    }

    /// The contacts are loaded while the alerts are still those of the copy.
    @Test func loadedEndOfJourneyAlertShowsOnTheContact() throws {
        mirror.merge(.init(alerts: [overdue(of: id(2))]), [.alerts])
        mirror.merge(.init(contacts: [try ben()]), [.contacts])
        #expect(mirror.model.contacts.first?.watch?.status == .alertActive)
        let ended = overdue(of: id(2), isActive: false)
        mirror.merge(.init(alerts: [ended]), [.alerts])
        #expect(mirror.model.contacts.first?.watch?.status == .active)
    }

    @Test func otherAlertShowsAfterTheJourneyHasEnded() throws {
        mirror.merge(.init(contacts: [try ben()]), [.contacts])
        mirror.merge(.init(alerts: [overdue(of: id(2))]), [.alerts])
        #expect(mirror.model.contacts.first?.watch?.status == .alertActive)
        let user: UserID = id(2)
        var manual = alert(7)
        manual.userId = "\(user)"
        mirror.merge(.init(alerts: [manual]), [.alerts])
        #expect(mirror.model.contacts.first?.watch?.status == .alertActive)
    }

    @Test func ownJourneyFollowsItsAlert() throws {
        var profile = UserProfile(
            id: id(1), name: "Ada", phoneNumber: try PhoneNumber("+15550100001"),
            emergencyNote: "", profilePictureURL: nil, settings: .standard,
            lastCheckInTime: nil, nextCheckInTime: nil, status: .active, createdAt: noon)
        profile.journey = JourneyRecord(
            id: id(12), name: "Zugspitze", startTime: noon, expectedReturn: noon)
        mirror.merge(.init(profile: profile), [.profile])
        mirror.apply(.event(.alert(overdue(of: id(1))), at: noon), aliases: [:])
        #expect(mirror.model.profile?.journey?.alertId == id(8))
        mirror.apply(
            .event(.alert(overdue(of: id(1), isActive: false)), at: noon), aliases: [:])
        #expect(mirror.model.profile?.journey?.alertId == nil)
    }

    @Test func lastJourneyIsRememberedWithItsEnd() throws {
        var profile = UserProfile(
            id: id(1), name: "Ada", phoneNumber: try PhoneNumber("+15550100001"),
            emergencyNote: "", profilePictureURL: nil, settings: .standard,
            lastCheckInTime: nil, nextCheckInTime: nil, status: .active, createdAt: noon)
        let journey = JourneyRecord(
            id: id(12), name: "Zugspitze", note: "In red", startTime: noon, expectedReturn: noon)
        profile.journey = journey
        mirror.merge(.init(profile: profile), [.profile])
        mirror.noteJourney(at: noon)
        #expect(mirror.model.lastJourney == AccountModel.KnownJourney(journey: journey))
        profile.journey = nil
        mirror.merge(.init(profile: profile), [.profile])
        mirror.noteJourney(at: noon.adding(.hours(1)))
        mirror.noteJourney(at: noon.adding(.hours(2)))
        #expect(mirror.model.lastJourney?.endTime == noon.adding(.hours(1)))
        #expect(mirror.model.lastJourney?.journey.note == "")
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
