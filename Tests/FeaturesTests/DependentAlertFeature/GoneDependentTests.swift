import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import Features

/// When the person in need removes a responder, the responder's sheet of the alert closes.
@MainActor @Suite struct GoneDependentTests {
    private func store(_ dependent: ContactData?) -> TestStoreOf<DependentAlertFeature> {
        TestStore(
            initialState: .init(
                alertID: Fixture.id(20), dependent: dependent,
                alert: Fixture.alert(20, of: Fixture.ben))
        ) {
            DependentAlertFeature()
        }
    }

    @Test func sheetClosesWhenTheContactIsRemoved() async throws {
        let store = store(try Fixture.contact(Fixture.ben, "Ben", isDependent: true))
        await store.send(.setDependent(nil))
        await store.receive(.delegate(.contactGone(.contactGone("Ben"))))
        await store.finish()
        #expect(store.isDismissed)
    }

    @Test func sheetClosesSilentlyWhenTheRoleEnds() async throws {
        let responder = try Fixture.contact(Fixture.ben, "Ben", isResponder: true)
        let store = store(
            try Fixture.contact(Fixture.ben, "Ben", isResponder: true, isDependent: true))
        await store.send(.setDependent(responder)) { $0.dependent = responder }
        await store.finish()
        #expect(store.isDismissed)
    }

    @Test func personNeverInTheListStays() async throws {
        let store = store(nil)
        await store.send(.setDependent(nil))
        await store.finish()
        #expect(!store.isDismissed)
    }

    @Test func listExplainsWhyTheSheetClosed() async throws {
        let ben = try Fixture.contact(Fixture.ben, "Ben", isDependent: true, status: .alertActive)
        let store = TestStore(
            initialState: DependentsFeature.State(
                contacts: .init(contacts: [ben]), dependentAlert: .init(dependent: ben))
        ) {
            DependentsFeature()
        }
        await store.send(.setContacts([])) { $0.contacts.contacts = [] }
        await store.receive(.dependentAlert(.presented(.setDependent(nil))))
        await store.receive(
            .dependentAlert(.presented(.delegate(.contactGone(.contactGone("Ben")))))
        ) {
            $0.error = .contactGone("Ben")
            $0.goneContact = Fixture.ben
        }
        await store.receive(.dependentAlert(.dismiss)) { $0.dependentAlert = nil }
        let other = try Fixture.contact(Fixture.cleo, "Ben", isDependent: true)
        await store.send(.setContacts([other])) { $0.contacts.contacts = [other] }
        await store.send(.setContacts([other, ben])) {
            $0.contacts.contacts = [other, ben]
            $0.error = nil
            $0.goneContact = nil
        }
    }
}
