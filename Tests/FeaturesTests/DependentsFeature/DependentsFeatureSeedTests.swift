import Clients
import ComposableArchitecture
import Domain
import Features
import Foundation
import Testing

/// Tests each statement of seed 002.
@MainActor @Suite struct DependentsFeatureSeedTests {
    let ben: ContactData
    let kept = LockIsolated<[SettingsKey: String]>([:])

    init() throws { ben = try Fixture.contact(Fixture.ben, "Ben", isDependent: true) }

    func store(
        _ state: DependentsFeature.State = .init(),
        prepare: (inout DependencyValues) -> Void = { _ in }
    ) -> TestStoreOf<DependentsFeature> {
        TestStore(initialState: state) {
            DependentsFeature()
        } withDependencies: {
            $0.date = .constant(Fixture.now)
            $0.pingClient.pingsStream = { .finished }
            $0.connectivityClient.status = { .finished }
            $0.settingsClient.string = { [kept] key in kept.value[key] }
            $0.settingsClient.setString = { [kept] value, key in kept.withValue { $0[key] = value }
            }
            prepare(&$0)
        }
    }

    var withBen: DependentsFeature.State { .init(contacts: .init(contacts: [ben])) }

    @Test(
        """
        Load Contacts – checks if contacts need to be loaded, sets the loading state to true, \
        dispatches `loadContacts` to the ContactsFeature
        """
    )
    func loadContacts() async {
        let store = store { $0.contactClient.contacts = { [ben] in [ben] } }
        await store.send(.onAppear) { $0.isLoading = true }
        await store.receive(.contacts(.loadContacts)) { $0.contacts.isLoading = true }
        await store.receive(.ping(.startStream))
        await store.receive(.contacts(.contactsResponse(.success([ben])))) {
            $0.contacts.isLoading = false
            $0.contacts.contacts = [self.ben]
        }
        await store.receive(.contacts(.delegate(.contactsChanged([ben]))))
        await store.receive(.contacts(.delegate(.loadFinished(nil)))) { $0.isLoading = false }
        await store.receive(.delegate(.contactsChanged([ben])))
    }

    @Test("Load Contacts – not when there are dependents, and not while it is loading")
    func loadContactsOnlyWhenNeeded() async {
        for state in [withBen, DependentsFeature.State(isLoading: true)] {
            let store = store(state)
            await store.send(.onAppear)
            await store.receive(.ping(.startStream))
        }
    }

    @Test(
        """
        Ping Dependent – calls the `pingDependent` method on the pingClient, dispatches \
        `pingDependentSucceeded`
        """
    )
    func pingDependentSucceeds() async {
        let ping = Fixture.ping(10, from: Fixture.ana, to: Fixture.ben)
        let store = store(withBen) { $0.pingClient.pingDependent = { _ in .confirmed(ping) } }
        await store.send(.ping(.pingDependent(Fixture.ben))) {
            $0.ping.inFlight = [.ping(Fixture.ben)]
        }
        await store.receive(.ping(.delegate(.began)))
        store.exhaustivity = .off
        await store.receive(.ping(.pingDependentSucceeded(Fixture.ben)))
        await store.finish()
        await store.skipReceivedActions(strict: false)
        #expect(
            store.state.contacts.contacts[id: Fixture.ben]?.pingedAt == Fixture.now,
            "The card shows \"pinged at\".")
    }

    @Test(
        "Ping Dependent – dispatches `pingDependentFailed(error as? UserFacingError ?? .unknown)`")
    func pingDependentFails() async {
        struct Unforeseen: Error {}
        for (thrown, words) in [
            (UserFacingError.unavailable as any Error, UserFacingError.unavailable),
            (Unforeseen(), .unknown),
        ] {
            let store = store(withBen) { $0.pingClient.pingDependent = { _ in throw thrown } }
            await store.send(.ping(.pingDependent(Fixture.ben))) {
                $0.ping.inFlight = [.ping(Fixture.ben)]
            }
            await store.receive(.ping(.delegate(.began)))
            await store.receive(.ping(.pingDependentFailed(words))) { $0.ping.error = words }
            await store.receive(.ping(.delegate(.failed(words)))) { $0.error = words }
            await store.receive(.ping(.operationEnded(.ping(Fixture.ben)))) {
                $0.ping.inFlight = []
            }
        }
    }

    @Test(
        """
        Clear Ping – calls the `clearPing` method on the pingClient, dispatches \
        `clearPingSucceeded`
        """
    )
    func clearPingSucceeds() async {
        var pinged = ben
        pinged.pingedAt = Fixture.now
        let store = store(.init(contacts: .init(contacts: [pinged]))) {
            $0.pingClient.clearPing = { _ in }
        }
        await store.send(.ping(.clearPing(Fixture.ben))) {
            $0.ping.inFlight = [.clear(Fixture.ben)]
        }
        await store.receive(.ping(.delegate(.began)))
        await store.receive(.ping(.clearPingSucceeded(Fixture.ben)))
        await store.receive(.ping(.delegate(.cleared(Fixture.ben))))
        await store.receive(.contacts(.contactUpdated(ben))) { $0.contacts.contacts = [self.ben] }
        await store.receive(.contacts(.delegate(.contactsChanged([ben]))))
        await store.receive(.delegate(.contactsChanged([ben])))
        await store.receive(.ping(.operationEnded(.clear(Fixture.ben)))) { $0.ping.inFlight = [] }
    }

    @Test("Clear Ping – dispatches `clearPingFailed(error as? UserFacingError ?? .unknown)`")
    func clearPingFails() async {
        let store = store(withBen) { $0.pingClient.clearPing = { _ in throw Fixture.notFound } }
        await store.send(.ping(.clearPing(Fixture.ben))) {
            $0.ping.inFlight = [.clear(Fixture.ben)]
        }
        await store.receive(.ping(.delegate(.began)))
        await store.receive(.ping(.clearPingFailed(Fixture.notFound))) {
            $0.ping.error = Fixture.notFound
        }
        await store.receive(.ping(.delegate(.failed(Fixture.notFound)))) {
            $0.error = Fixture.notFound
        }
        await store.receive(.ping(.operationEnded(.clear(Fixture.ben)))) { $0.ping.inFlight = [] }
    }

    @Test(
        """
        Show Contact Details – creates a new state, sets the selected contact, sets the sheet to \
        be presented
        """
    )
    func selectContact() async {
        var state = withBen
        state.contactDetails = .init(contact: nil, isSheetPresented: false, error: .unavailable)
        let store = store(state)
        await store.send(.selectContact(ben)) {
            $0.contactDetails = .init(contact: self.ben, isSheetPresented: true)
        }
    }

    @Test("Show QR Scanner – creates a new state, sets the sheet to be presented")
    func showQRScanner() async {
        let store = store(.init(qrScanner: .init(manualID: "left behind", error: .unavailable)))
        await store.send(.showQRScanner) { $0.qrScanner = .init(isSheetPresented: true) }
    }

    @Test(
        """
        Save Sort Option – updates the sort option in the state, persists it under \
        "DependentsSortOption"
        """,
        arguments: DependentsFeature.State.SortOption.allCases)
    func setSortOption(option: DependentsFeature.State.SortOption) async {
        let store = store(.init(sortOption: option == .name ? .timeLeft : .name))
        await store.send(.setSortOption(option)) { $0.sortOption = option }
        await store.finish()
        #expect(kept.value == [.dependentsSortOption: option.rawValue])
        #expect(SettingsKey.dependentsSortOption.rawValue == "DependentsSortOption")
    }

    @Test(
        "Load Sort Option – dispatches the `setSortOption` action if a valid sort option is found")
    func loadSortOption() async {
        kept.setValue([.dependentsSortOption: "dateAdded"])
        let store = store(withBen)
        await store.send(.onAppear)
        await store.receive(.ping(.startStream))
        await store.receive(.setSortOption(.dateAdded)) { $0.sortOption = .dateAdded }
    }

    @Test(
        "Load Sort Option – nothing is dispatched for no option or one that is not valid",
        arguments: ["", "shoeSize"])
    func invalidSortOption(value: String) async {
        kept.setValue(value.isEmpty ? [:] : [.dependentsSortOption: value])
        let store = store(withBen)
        await store.send(.onAppear)
        await store.receive(.ping(.startStream))
        #expect(store.state.sortOption == .timeLeft)
    }

    @Test("Show Error Alert – sets the error state")
    func setError() async {
        let store = store()
        await store.send(.setError(.unavailable)) { $0.error = .unavailable }
    }

    @Test(
        "Cancel API Calls – when the feature goes away or a new API call of the same type is made")
    func cancellation() async {
        let gate = Gate<[ContactData]>()
        let store = store { $0.contactClient.contacts = { try await gate.wait() } }
        await store.send(.refreshPulled) { $0.isLoading = true }
        await store.receive(.contacts(.loadContacts)) { $0.contacts.isLoading = true }
        await store.send(.refreshPulled)
        await store.receive(.contacts(.loadContacts))
        await store.send(.onDisappear) { $0.isLoading = false }
        await store.receive(.contacts(.cancelLoading)) { $0.contacts.isLoading = false }
        await store.receive(.ping(.stopStream))
        gate.open([ben])
        await store.finish()
        #expect(gate.calls.value == 2)
    }
}
