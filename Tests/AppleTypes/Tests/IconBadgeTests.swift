import ComposableArchitecture
import Domain
import Features
import Foundation
import Testing

@testable import LifeSignalApp

@Suite struct IconBadgeTests {
    private let now = Date(timeIntervalSince1970: 1_772_366_400)

    private func ben(hasPendingPing: Bool, isAsking: Bool) throws -> ContactData {
        let request = RoleRequest(role: .dependent, isMine: false, requestedAt: now)
        return ContactData(
            id: UserID(UUID()), name: "Ben", phoneNumber: nil, profilePictureURL: nil,
            roles: try ContactRoles(isResponder: true, isDependent: false), dateAdded: now,
            hasPendingPing: hasPendingPing, pingedAt: nil, watch: nil,
            requests: isAsking ? [request] : [])
    }

    private func badge(_ contact: ContactData?) -> Int? {
        var main = MainTabFeature.State(userID: UserID(UUID()))
        if let contact {
            main.home.cards.contacts = [contact]
            main.responders.contacts.contacts = [contact]
        }
        return AppFeature.State(screen: .main(main)).iconBadge
    }

    @Test func iconCountsWhatWaitsOnEachTab() throws {
        #expect(try badge(ben(hasPendingPing: true, isAsking: true)) == 2)
        #expect(try badge(ben(hasPendingPing: true, isAsking: false)) == 1)
        #expect(try badge(ben(hasPendingPing: false, isAsking: false)) == 0)
    }

    @Test func unknownContactsLeaveTheNumber() {
        #expect(badge(nil) == nil)
        #expect(AppFeature.State().iconBadge == nil)
    }

    @Test func signedOutAppHasNoNumber() {
        #expect(AppFeature.State(screen: .signedOut(AuthFeature.State())).iconBadge == 0)
    }
}
