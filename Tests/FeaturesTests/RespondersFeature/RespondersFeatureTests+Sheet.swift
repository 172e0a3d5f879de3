import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import Features

extension RespondersFeatureTests {
    @Test func openSheetFollowsTheOtherTabsList() async {
        let store = store(with(ben))
        await store.send(.selectContact(ben)) {
            $0.contactDetails = .init(contact: self.ben, isSheetPresented: true)
        }
        let answered = answered(ben)
        await store.send(.setContacts([answered])) { $0.contacts.contacts = [answered] }
        await store.receive(.contactDetails(.setContact(answered))) {
            $0.contactDetails.contact = answered
        }
    }

    @Test func sheetShowsTheListsContactInsteadOfTheCards() async {
        let store = store(with(answered(ben)))
        await store.send(.selectContact(ben)) {
            $0.contactDetails = .init(contact: self.answered(self.ben), isSheetPresented: true)
        }
    }

    @Test func removalByTheResponderClosesTheirSheet() async {
        let store = store(with(ben))
        await store.send(.selectContact(ben)) {
            $0.contactDetails = .init(contact: self.ben, isSheetPresented: true)
        }
        await store.send(.contacts(.contactsUpdated([]))) { $0.contacts.contacts = [] }
        await store.receive(.contacts(.delegate(.contactsChanged([]))))
        await store.receive(.contactDetails(.setContact(nil))) {
            $0.contactDetails.isSheetPresented = false
        }
        await store.receive(.delegate(.contactsChanged([])))
        await store.receive(.contactDetails(.delegate(.contactGone(.contactGone("Ben"))))) {
            $0.error = .contactGone("Ben")
            $0.goneContact = Fixture.ben
        }
    }

    @Test func returnOfTheContactClearsOnlyThatError() async {
        var gone = with()
        gone.error = .contactGone("Ben")
        gone.goneContact = Fixture.ben
        let store = store(gone)
        await store.send(.contacts(.contactsUpdated([ben]))) { $0.contacts.contacts = [self.ben] }
        await store.receive(.contacts(.delegate(.contactsChanged([ben])))) {
            $0.error = nil
            $0.goneContact = nil
        }
        await store.receive(.delegate(.contactsChanged([ben])))

        var other = with()
        other.error = .unavailable
        other.goneContact = Fixture.ben
        let second = self.store(other)
        await second.send(.setContacts([ben])) {
            $0.contacts.contacts = [self.ben]
            $0.goneContact = nil
        }
        #expect(second.state.error == .unavailable)
    }

    @Test func removingInTheSheetUpdatesTheListSilently() async {
        let store = store(with(ben)) { $0.contactClient.removeContact = { _ in } }
        await store.send(.selectContact(ben)) {
            $0.contactDetails = .init(contact: self.ben, isSheetPresented: true)
        }
        await store.send(.contactDetails(.removeButtonTapped)) {
            $0.contactDetails.protectionWithout = .nobody
            $0.contactDetails.confirmation = .remove($0.contactDetails)
        }
        await store.send(.contactDetails(.confirmation(.presented(.removeConfirmed)))) {
            $0.contactDetails.confirmation = nil
            $0.contactDetails.isRemoving = true
        }
        await store.receive(.contactDetails(.removeResponse(Fixture.ben, nil))) {
            $0.contactDetails.isRemoving = false
            $0.contactDetails.isSheetPresented = false
        }
        await store.receive(.contactDetails(.delegate(.contactRemoved(Fixture.ben))))
        await store.receive(.contacts(.contactRemoved(Fixture.ben))) { $0.contacts.contacts = [] }
        await store.receive(.contacts(.delegate(.contactsChanged([]))))
        await store.receive(.delegate(.contactsChanged([])))
    }
}
