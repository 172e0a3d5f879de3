import Clients
import ComposableArchitecture
import Domain
import Features
import Foundation
import Testing

/// Tests corrections of seed 002; see features.md.
@MainActor @Suite struct DependentsFeatureCorrectionTests {
    @Test(
        """
        Seed: `onAppear` returns after loading the contacts and forgets the sort option on a first \
        start; ours: both, merged
        """
    )
    func onAppearDoesBoth() async throws {
        /// The effects of the seed's `onAppear`.
        func seedOnAppear(dependents: [ContactData], isLoading: Bool) -> [String] {
            if dependents.isEmpty && !isLoading { return ["loadContacts"] }
            return ["loadSortOption"]
        }
        #expect(
            seedOnAppear(dependents: [], isLoading: false) == ["loadContacts"],
            "The user's order is lost at every first start.")

        let store = TestStore(initialState: DependentsFeature.State()) {
            DependentsFeature()
        } withDependencies: {
            $0.date = .constant(Fixture.now)
            $0.contactClient.contacts = { [] }
            $0.pingClient.pingsStream = { .finished }
            $0.connectivityClient.status = { .finished }
            $0.settingsClient.string = { _ in "name" }
            $0.settingsClient.setString = { _, _ in }
        }
        store.exhaustivity = .off
        await store.send(.onAppear)
        await store.receive(\.contacts.loadContacts)
        await store.receive(.setSortOption(.name)) { $0.sortOption = .name }
        await store.finish()
    }

    @Test(
        """
        Seed: `UserDefaults` in the reducer gives one user's choice to the next in the same \
        process; ours: a client of each store
        """
    )
    func sortOptionBelongsToOneStore() async throws {
        /// The seed's code. It stores the option in user defaults, which the whole process shares.
        let defaults = try #require(UserDefaults(suiteName: "DependentsFeatureCorrectionTests"))
        defer { defaults.removePersistentDomain(forName: "DependentsFeatureCorrectionTests") }
        func seedSave(_ option: String) { defaults.set(option, forKey: "DependentsSortOption") }
        func seedLoad() -> String? { defaults.string(forKey: "DependentsSortOption") }
        seedSave("dateAdded")
        #expect(seedLoad() == "dateAdded", "Ben, who never chose, sees the order that Ana chose.")

        func store(_ kept: LockIsolated<String?>) -> TestStoreOf<DependentsFeature> {
            let store = TestStore(initialState: DependentsFeature.State()) {
                DependentsFeature()
            } withDependencies: {
                $0.date = .constant(Fixture.now)
                $0.contactClient.contacts = { [] }
                $0.pingClient.pingsStream = { .finished }
                $0.connectivityClient.status = { .finished }
                $0.settingsClient.string = { _ in kept.value }
                $0.settingsClient.setString = { value, _ in kept.setValue(value) }
            }
            store.exhaustivity = .off
            return store
        }
        let (ana, ben) = (store(LockIsolated(nil)), store(LockIsolated(nil)))
        await ana.send(.setSortOption(.dateAdded))
        await ana.finish()
        await ben.send(.onAppear)
        await ben.finish()
        await ben.skipReceivedActions(strict: false)
        #expect(ana.state.sortOption == .dateAdded)
        #expect(ben.state.sortOption == .timeLeft)
    }

    @Test(
        """
        Seed: `nonResponsiveDependentsCount` leaves out a dependent whose alert is open, the one \
        who needs help most; ours: counts both
        """
    )
    func badgeCountsCallsForHelp() throws {
        let ben = try Fixture.contact(Fixture.ben, "Ben", isDependent: true, status: .alertActive)
        let cleo = try Fixture.contact(
            Fixture.cleo, "Cleo", isDependent: true, status: .nonResponsive)
        /// Counts only the dependents that the name of the seed's property describes.
        func seedCount(_ dependents: [ContactData]) -> Int {
            dependents.count { $0.watch?.status == .nonResponsive }
        }
        #expect(seedCount([ben]) == 0, "Ben calls for help, and the tab shows no badge.")

        #expect(
            DependentsFeature.State(contacts: .init(contacts: [ben])).nonResponsiveDependentsCount
                == 1)
        #expect(
            DependentsFeature.State(contacts: .init(contacts: [ben, cleo]))
                .nonResponsiveDependentsCount == 2)
    }

    @Test(
        """
        Seed: `ifLet` on sheets needs optionals, and a sheet that is nil forgets an answer on its \
        way; ours: plain values in a `Scope`
        """
    )
    func sheetsArePlainValues() async throws {
        /// Acts like the features in the seed: a child's action is dropped if the child is nil.
        func seedHears(_ sheet: ContactDetailsSheetViewFeature.State?) -> Bool { sheet != nil }
        #expect(
            !seedHears(nil),
            "A role that was changed while the sheet closed is not shown in the list.")

        let ben = try Fixture.contact(Fixture.ben, "Ben", isDependent: true)
        let both = try Fixture.contact(Fixture.ben, "Ben", isResponder: true, isDependent: true)
        let store = TestStore(
            initialState: DependentsFeature.State(contacts: .init(contacts: [ben]))
        ) {
            DependentsFeature()
        } withDependencies: {
            $0.date = .constant(Fixture.now)
        }
        await store.send(.contactDetails(.rolesResponse(Fixture.ben, .success(.confirmed(both)))))
        await store.receive(.contactDetails(.delegate(.contactUpdated(both))))
        await store.receive(.contacts(.contactUpdated(both))) { $0.contacts.contacts = [both] }
        await store.receive(\.contacts.delegate.contactsChanged)
        await store.receive(\.delegate.contactsChanged)
    }

    @Test(
        """
        Seed: the loading state is set to true and never again to false; ours: it ends with the \
        load, well or badly
        """,
        arguments: [true, false])
    func loadingEnds(isGood: Bool) async {
        let store = TestStore(initialState: DependentsFeature.State()) {
            DependentsFeature()
        } withDependencies: {
            $0.date = .constant(Fixture.now)
            $0.contactClient.contacts = {
                guard isGood else { throw UserFacingError.unavailable }
                return []
            }
        }
        store.exhaustivity = .off
        await store.send(.refreshPulled) { $0.isLoading = true }
        await store.finish()
        await store.skipReceivedActions(strict: false)
        #expect(!store.state.isLoading)
        #expect(store.state.error == (isGood ? nil : .unavailable))
    }

    @Test(
        """
        Seed: `selectContact` opens the contact that was tapped, and a card older than the list \
        shows as fine who needs help; ours: opens the newest
        """
    )
    func latestContactIsOpened() async throws {
        let card = try Fixture.contact(Fixture.ben, "Ben", isDependent: true)
        let newest = try Fixture.contact(
            Fixture.ben, "Ben", isDependent: true, status: .alertActive)
        let seeds = ContactDetailsSheetViewFeature.State(contact: card, isSheetPresented: true)
        #expect(seeds.contact?.watch?.status == .active)

        let store = TestStore(
            initialState: DependentsFeature.State(contacts: .init(contacts: [newest]))
        ) {
            DependentsFeature()
        }
        await store.send(.selectContact(card)) {
            $0.contactDetails = .init(contact: newest, isSheetPresented: true)
        }
    }

    @Test(
        """
        Seed: a new `QRScannerFeature.State` forgets that the camera was denied, and says that it \
        will be asked for; ours: keeps the permission
        """
    )
    func theScannerKnowsThePermission() async {
        let seeds = QRScannerFeature.State(isSheetPresented: true)
        #expect(seeds.cameraWords(in: .app).contains("You are asked"))

        let store = TestStore(
            initialState: DependentsFeature.State(qrScanner: .init(permission: .denied))
        ) {
            DependentsFeature()
        }
        await store.send(.showQRScanner) { $0.qrScanner.isSheetPresented = true }
        #expect(store.state.qrScanner.cameraWords(in: .app).contains("can’t be used"))
    }
}
