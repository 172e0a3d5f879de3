import Clients
import ComposableArchitecture
import Domain
import Testing

@testable import Features

extension ContactDetailsSheetViewFeatureTests {
    @Test func pingRequestsGoToTheParent() async {
        var contact = benBoth
        let store = store(contact)
        await store.send(.respondToPingButtonTapped)
        await store.send(.clearPingButtonTapped)
        await store.send(.pingButtonTapped)
        await store.receive(.delegate(.pingRequested(Fixture.ben)))
        (contact.pingedAt, contact.hasPendingPing) = (Fixture.now, true)
        await store.send(.setContact(contact)) { $0.contact = contact }
        await store.send(.pingButtonTapped)
        await store.send(.clearPingButtonTapped)
        await store.receive(.delegate(.clearPingRequested(Fixture.ben)))
        await store.send(.respondToPingButtonTapped)
        await store.receive(.delegate(.respondToPingRequested(Fixture.ben)))
    }

    @Test func alertOfTheContactIsRequested() async throws {
        let contact = try Fixture.contact(
            Fixture.ben, "Ben", isDependent: true, status: .alertActive)
        let troubled = store(contact)
        await troubled.send(.alertButtonTapped)
        await troubled.receive(.delegate(.alertRequested(contact)))
        let fine = store(benBoth)
        await fine.send(.alertButtonTapped)
    }

    @Test func responderCannotBePinged() async {
        let store = store(ben)
        await store.send(.pingButtonTapped)
    }
}
