import Clients
import ComposableArchitecture
import Domain
import Testing

@testable import Features

/// Tests corrections of how the seeds share the contact list; see features.md.
@MainActor @Suite struct ContactSharingCorrectionTests {
    @Test(
        """
        The seeds' tabs hold a contact list each: who one tab hears of is missing in the other; \
        ours shows them in both
        """
    )
    func bothTabsShowTheSame() async throws {
        let ben = try Fixture.contact(Fixture.ben, "Ben", isResponder: true, isDependent: true)
        let (dependents, responders) = (seedDependents(), seedResponders())
        await dependents.send(.contacts(.contactsUpdated([ben])))
        await dependents.skipReceivedActions(strict: false)
        #expect(dependents.state.contacts.contacts == [ben])
        #expect(
            responders.state.contacts.contacts.isEmpty,
            "Ben waits for an answer to his ping, and no badge says so.")

        let ours = tabs(of: Fixture.ana)
        await ours.send(.dependents(.contacts(.contactsUpdated([ben]))))
        await ours.skipReceivedActions()
        #expect(ours.state.dependents.contacts.contacts == [ben])
        #expect(ours.state.responders.contacts.contacts == [ben])
    }

    @Test(
        """
        A contact list that a whole process shares shows Ana's contacts to Ben, who sits in the \
        same server; ours is in the state of one store
        """
    )
    func nothingIsSharedBetweenTwoPeople() async throws {
        let cleo = try Fixture.contact(Fixture.cleo, "Cleo", isDependent: true)
        /// A contact list that the whole process shares.
        let shared = LockIsolated<[ContactData]>([])
        func seedReceive(_ contacts: [ContactData]) { shared.setValue(contacts) }
        func seedContacts(of user: UserID) -> [ContactData] { shared.value }
        seedReceive([cleo])
        #expect(
            seedContacts(of: Fixture.ben) == [cleo],
            "Ben sees a stranger's phone number and emergency note.")

        let (ana, ben) = (tabs(of: Fixture.ana), tabs(of: Fixture.ben))
        await ana.send(.responders(.contacts(.contactsUpdated([cleo]))))
        await ana.skipReceivedActions()
        await ben.send(.tabSelected(.dependents))
        #expect(ana.state.dependents.contacts.contacts == [cleo])
        #expect(
            ben.state.dependents.contacts.contacts.isEmpty
                && ben.state.responders.contacts.contacts.isEmpty)
    }

    private func tabs(of user: UserID) -> TestStoreOf<MainTabFeature> {
        let store = TestStore(initialState: MainTabFeature.State(userID: user)) {
            MainTabFeature()
        } withDependencies: {
            $0.date = .constant(Fixture.now)
        }
        store.exhaustivity = .off
        return store
    }

    private func seedDependents() -> TestStoreOf<DependentsFeature> {
        let store = TestStore(initialState: DependentsFeature.State()) {
            DependentsFeature()
        } withDependencies: {
            $0.date = .constant(Fixture.now)
        }
        store.exhaustivity = .off
        return store
    }

    private func seedResponders() -> TestStoreOf<RespondersFeature> {
        let store = TestStore(initialState: RespondersFeature.State()) {
            RespondersFeature()
        } withDependencies: {
            $0.date = .constant(Fixture.now)
        }
        store.exhaustivity = .off
        return store
    }
}
