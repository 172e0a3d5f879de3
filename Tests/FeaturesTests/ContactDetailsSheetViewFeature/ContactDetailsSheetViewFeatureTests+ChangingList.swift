import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import Features

extension ContactDetailsSheetViewFeatureTests {
    @Test func openSheetFollowsTheList() async {
        let store = store(ben)
        await store.send(.setContact(benBoth)) { $0.contact = self.benBoth }
        #expect(store.state.canPing)
    }

    @Test func removalByTheOtherSideClosesTheSheetWithAMessage() async {
        let store = store(ben)
        await store.send(.dependentToggleTapped) { $0.confirmation = .dependent(true, $0) }
        await store.send(.setContact(nil)) {
            $0.confirmation = nil
            $0.isSheetPresented = false
        }
        await store.receive(.delegate(.contactGone(.contactGone("Ben"))))
    }

    @Test func closedSheetIgnoresTheList() async {
        let store = store(ben)
        await store.send(.closeButtonTapped) { $0.isSheetPresented = false }
        await store.send(.setContact(benBoth))
        await store.send(.setContact(nil))
    }

    @Test func changeInFlightReachesTheListAfterClosing() async {
        let gate = Gate<Submission<ContactData>>()
        let store = store(ben) {
            $0.contactClient.changeRoles = { _, _, _ in try await gate.wait() }
        }
        await store.send(.dependentToggleTapped) { $0.confirmation = .dependent(true, $0) }
        await store.send(.confirmation(.presented(.dependentConfirmed(true)))) {
            $0.confirmation = nil
            $0.isChangingRoles = true
            $0.askedRoles = try ContactRoles(isResponder: true, isDependent: true)
        }
        await store.send(.closeButtonTapped) { $0.isSheetPresented = false }
        gate.open(.confirmed(benBoth))
        await store.receive(.rolesResponse(Fixture.ben, .success(.confirmed(benBoth)))) {
            $0.isChangingRoles = false
            $0.askedRoles = nil
            $0.contact = self.benBoth
        }
        await store.receive(.delegate(.contactUpdated(benBoth)))
    }

    @Test func answerAboutAnotherContactKeepsTheSheet() async throws {
        let cleo = try Fixture.contact(Fixture.cleo, "Cleo", isResponder: true)
        let store = store(cleo)
        await store.send(.rolesResponse(Fixture.ben, .failure(.unavailable)))
        await store.receive(.delegate(.failed(.unavailable)))
        await store.send(.removeResponse(Fixture.ben, .unavailable))
        await store.receive(.delegate(.failed(.unavailable)))
        await store.send(.rolesResponse(Fixture.ben, .success(.confirmed(benBoth))))
        await store.receive(.delegate(.contactUpdated(benBoth)))
        await store.send(.removeResponse(Fixture.ben, nil))
        await store.receive(.delegate(.contactRemoved(Fixture.ben)))
    }
}
