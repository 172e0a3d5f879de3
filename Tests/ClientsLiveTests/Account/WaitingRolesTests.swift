import Domain
import Foundation
import Testing

@testable import ClientsLive

/// A contact usually shows a queued change of roles as a request.
@Suite struct WaitingRolesTests {
    private func shown(
        _ contact: ContactData, _ roles: ContactRoles, only: ContactRole? = nil
    ) -> ContactData? {
        var model = AccountModel()
        model.contacts = [contact]
        let entry = QueuedEntry(
            id: UUID(), position: 0, action: .changeRoles(contact.id, roles, only: only),
            createdAt: noon)
        return model.showing([entry], aliases: [:], me: id(1)).contacts.first
    }

    private func ben(
        isDependent: Bool = false, requests: [RoleRequest] = []
    ) throws -> ContactData {
        ContactData(
            id: id(2), name: "Ben", phoneNumber: nil, profilePictureURL: nil,
            roles: .shown(isResponder: false, isDependent: isDependent), dateAdded: noon,
            hasPendingPing: false, pingedAt: nil,
            watch: .init(
                emergencyNote: "Asthma", lastCheckInTime: nil, nextCheckInTime: nil,
                checkInIntervalSeconds: 3_600, status: .active),
            requests: requests)
    }

    @Test func requestedRoleIsNotInForce() throws {
        let both = ContactRoles.shown(isResponder: true, isDependent: true)
        let asked = try #require(shown(try ben(isDependent: true), both))
        #expect(!asked.isResponder && asked.isDependent && asked.watch != nil)
        #expect(asked.requests == [.init(role: .responder, isMine: true, requestedAt: noon)])
    }

    @Test func acceptedRoleShowsNoDetailsBeforeConfirmation() throws {
        let request = RoleRequest(role: .dependent, isMine: false, requestedAt: noon)
        let roles = ContactRoles.shown(isResponder: false, isDependent: true)
        let agreed = try #require(shown(try ben(requests: [request]), roles))
        #expect(agreed.isDependent && agreed.watch == nil && agreed.requests.isEmpty)
    }

    /// The other role has ended since the press.
    @Test func onlyTheChangedRoleIsRequested() throws {
        let both = ContactRoles.shown(isResponder: true, isDependent: true)
        let kept = try #require(shown(try ben(isDependent: true), both, only: .dependent))
        #expect(!kept.isResponder && kept.isDependent && kept.requests.isEmpty)
        let asked = try #require(shown(try ben(isDependent: true), both, only: .responder))
        #expect(asked.requests.map(\.role) == [.responder] && asked.isDependent)
    }

    @Test func removedRoleIsGoneAtOnce() throws {
        let roles = ContactRoles.shown(isResponder: true, isDependent: false)
        let left = try #require(shown(try ben(isDependent: true), roles))
        #expect(!left.isDependent && left.watch == nil)
    }
}
