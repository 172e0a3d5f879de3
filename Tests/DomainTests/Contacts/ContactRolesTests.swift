import Foundation
import Testing

@testable import Domain

/// B is A's responder exactly when A is B's dependent. A contact has at least one role.
@Suite struct ContactRolesTests {
    @Test(arguments: [(true, false), (false, true), (true, true)])
    func rolesMirrorForTheOtherSide(isResponder: Bool, isDependent: Bool) throws {
        let mine = try ContactRoles(isResponder: isResponder, isDependent: isDependent)
        #expect(mine.mirrored.isResponder == isDependent)
        #expect(mine.mirrored.isDependent == isResponder)
        #expect(mine.mirrored.mirrored == mine)
    }

    @Test func theLastRoleCannotBeTakenAway() {
        #expect(throws: ContactRoles.noRole) {
            try ContactRoles(isResponder: false, isDependent: false)
        }
    }

    @Test func requestBodyCannotRemoveTheLastRole() throws {
        func read(_ json: String) throws -> ContactRoles {
            try WireJSON.decoder().decode(ContactRoles.self, from: Data(json.utf8))
        }
        let responder = try ContactRoles(isResponder: true, isDependent: false)
        #expect(try read(#"{"isResponder":true,"isDependent":false}"#) == responder)
        #expect(
            try read(String(decoding: WireJSON.encoder().encode(responder), as: UTF8.self))
                == responder)
        #expect(
            refusal { try read(#"{"isResponder":false,"isDependent":false}"#) }?.field
                == "isResponder")
        #expect(throws: DecodingError.self) { try read(#"{"isResponder":true}"#) }
    }

    @Test func aRoleThatWasNotChangedStaysAsItIs() throws {
        func present(_ isResponder: Bool, _ requests: [RoleRequest] = []) -> ContactData {
            ContactData(
                id: ben, name: "Ben", phoneNumber: nil, profilePictureURL: nil,
                roles: .shown(isResponder: isResponder, isDependent: true), dateAdded: noon,
                hasPendingPing: false, pingedAt: nil, watch: nil, requests: requests)
        }
        let pressed = try ContactRoles(isResponder: true, isDependent: false)
        let neither = ContactRoles.shown(isResponder: false, isDependent: false)
        #expect(pressed.merged(only: .dependent, into: present(true)) == pressed)
        #expect(pressed.merged(only: .dependent, into: present(false)) == neither)
        let mine = RoleRequest(role: .responder, isMine: true, requestedAt: noon)
        let theirs = RoleRequest(role: .responder, isMine: false, requestedAt: noon)
        #expect(pressed.merged(only: .dependent, into: present(false, [mine])) == pressed)
        #expect(pressed.merged(only: .dependent, into: present(false, [theirs])) == neither)
        let both = try ContactRoles(isResponder: true, isDependent: true)
        #expect(pressed.merged(only: .responder, into: present(false)) == both)
        #expect(pressed.merged(only: nil, into: present(false)) == pressed)
        #expect(pressed.merged(only: .dependent, into: nil) == pressed)
    }

    @Test func aUserHasAtMost200Contacts() {
        #expect(ContactRules.limit == 200)
    }
}

/// Only responders see a person's emergency note, deadline and status.
@Suite struct ContactDataTests {
    private let watch = ContactData.WatchedState(
        emergencyNote: "Penicillin allergy", lastCheckInTime: noon,
        nextCheckInTime: noon.adding(.hours(24)),
        checkInIntervalSeconds: 86_400, status: .active
    )

    private func contact(isResponder: Bool, isDependent: Bool) throws -> ContactData {
        ContactData(
            id: ben, name: "Ben", phoneNumber: try PhoneNumber("+15550100"), profilePictureURL: nil,
            roles: try ContactRoles(isResponder: isResponder, isDependent: isDependent),
            dateAdded: noon,
            hasPendingPing: false, pingedAt: nil, watch: watch
        )
    }

    @Test func messageAboutAUsedCodeFollowsTheRelation() throws {
        let text = NotificationText.contact(
            .added, name: "Ben", isMine: false,
            relation: Relation(agreed: .shown(isResponder: false, isDependent: true), at: noon))
        let item = NotificationItem(
            id: id(9), type: text.type, title: text.title, body: text.body(in: nil, at: noon),
            createdAt: noon, aboutUserID: ben)
        #expect(item.body.hasPrefix("You are told when Ben needs help."))
        let present = try contact(isResponder: true, isDependent: true)
        let current = try #require(item.current(with: present))
        #expect(current.body.hasPrefix("You and Ben watch over each other. They used your code."))
        #expect(item.current(with: nil) == nil)
        var other = item
        other.type = .system
        #expect(other.current(with: present) == other)
    }

    @Test(arguments: [true, false])
    func dependentIsSeenWithTheWatchedState(isResponderToo: Bool) throws {
        let contact = try contact(isResponder: isResponderToo, isDependent: true)
        #expect(contact.watch == watch)
        #expect(contact.isDependent)
        #expect(contact.isResponder == isResponderToo)
    }

    @Test func responderShowsOnlyNamePictureAndNumber() throws {
        let contact = try contact(isResponder: true, isDependent: false)
        #expect(contact.watch == nil)
        let json = String(decoding: try WireJSON.encoder().encode(contact), as: UTF8.self)
        #expect(!json.contains("Penicillin"))
        #expect(!json.contains("CheckIn"))
        #expect(json.contains("+15550100"))
    }
}
