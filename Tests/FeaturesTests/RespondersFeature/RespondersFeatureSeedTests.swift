import Clients
import ComposableArchitecture
import Domain
import Features
import Foundation
import Testing

/// Tests each statement of seed 004.
@MainActor @Suite struct RespondersFeatureSeedTests {
    typealias State = RespondersFeature.State

    @Test(
        """
        `contacts: ContactsFeature.State` – contains the list of all contacts including \
        responders; the source of truth
        """
    )
    func contacts() throws {
        #expect(State().contacts == ContactsFeature.State())
        let ben = try Fixture.contact(Fixture.ben, "Ben", isResponder: true)
        let cleo = try Fixture.contact(Fixture.cleo, "Cleo", isDependent: true)
        var state = State(contacts: .init(contacts: [ben, cleo]))
        #expect(state.contacts.contacts.count == 2)
        #expect(state.contacts.responders == [ben])
        state.contacts.contacts = []
        #expect(state.contacts.responders.isEmpty && state.pendingPingsCount == 0)
    }

    @Test("`isLoading: Bool` – whether the feature is currently loading data; default false")
    func isLoading() async throws {
        #expect(!State().isLoading)
        let store = TestStore(initialState: State()) {
            RespondersFeature()
        } withDependencies: {
            $0.date = .constant(Fixture.now)
            $0.contactClient.contacts = { [] }
            $0.pingClient.pingsStream = { .finished }
            $0.connectivityClient.status = { .finished }
        }
        await store.send(.onAppear) { $0.isLoading = true }
        await store.receive(.contacts(.loadContacts)) { $0.contacts.isLoading = true }
        await store.receive(.ping(.startStream))
        await store.receive(.contacts(.contactsResponse(.success([])))) {
            $0.contacts.isLoading = false
        }
        await store.receive(.contacts(.delegate(.loadFinished(nil)))) { $0.isLoading = false }
    }

    @Test(
        """
        `error: UserFacingError?` – an optional error that should be displayed to the user; \
        default nil
        """
    )
    func error() async {
        #expect(State().error == nil)
        let store = TestStore(initialState: State()) { RespondersFeature() }
        await store.send(.setError(.unavailable)) { $0.error = .unavailable }
        await store.send(.setError(nil)) { $0.error = nil }
    }

    @Test(
        """
        `alerts: AlertState` – boolean flags `contactAdded`, `contactExists`, `contactError`; all \
        default false
        """
    )
    func alerts() {
        let alerts: RespondersFeature.State.AlertState = State().alerts
        #expect(!alerts.contactAdded && !alerts.contactExists && !alerts.contactError)
    }

    @Test("`contactAdded: Bool` – whether to show the \"Contact Added\" alert")
    func contactAdded() async throws {
        let ben = try Fixture.contact(Fixture.ben, "Ben", isResponder: true)
        let store = store()
        await store.send(.addContact(.delegate(.contactAdded(ben)))) {
            $0.alerts.contactAdded = true
        }
        #expect(store.state.alerts.contactAdded)
    }

    @Test("`contactExists: Bool` – whether to show the \"Contact Already Exists\" alert")
    func contactExists() async {
        let store = store()
        await store.send(.addContact(.delegate(.contactExists))) { $0.alerts.contactExists = true }
    }

    @Test("`contactError: Bool` – whether to show the \"Contact Error\" alert")
    func contactError() async {
        let store = store()
        await store.send(.addContact(.delegate(.contactError))) { $0.alerts.contactError = true }
    }

    @Test(
        """
        `contactDetails: ContactDetailsSheetViewFeature.State` – used to display and manage \
        responder details; default `.init()`
        """
    )
    func contactDetails() async throws {
        #expect(State().contactDetails == .init())
        let ben = try Fixture.contact(Fixture.ben, "Ben", isResponder: true)
        let store = TestStore(initialState: State()) { RespondersFeature() }
        await store.send(.selectContact(ben)) {
            $0.contactDetails = .init(contact: ben, isSheetPresented: true)
        }
    }

    @Test(
        """
        `qrScanner: QRScannerFeature.State` – used to scan QR codes to add new responders; default \
        `.init()`
        """
    )
    func qrScanner() async {
        #expect(State().qrScanner == .init())
        let store = TestStore(initialState: State()) { RespondersFeature() }
        await store.send(.showQRScanner) { $0.qrScanner.isSheetPresented = true }
    }

    @Test("`addContact: AddContactFeature.State` – used to add new responders; default `.init()`")
    func addContact() {
        #expect(State().addContact == .init())
        #expect(State().addContact.isResponder)
    }

    @Test(
        """
        `pendingPingsCount: Int` – the number of responders who have pending pings that need to be \
        responded to
        """,
        arguments: 0...3)
    func pendingPingsCount(count: Int) throws {
        let contacts = try (0..<3).map { number in
            try Fixture.contact(
                Fixture.id(UInt8(10 + number)), "R\(number)", isResponder: true,
                hasPendingPing: number < count)
        }
        #expect(
            State(contacts: .init(contacts: IdentifiedArray(uniqueElements: contacts)))
                .pendingPingsCount == count)
    }

    @Test(
        """
        Contact data is stored in the backend and cached locally – the feature asks the client and \
        stores nothing itself
        """
    )
    func persistence() async throws {
        let ben = try Fixture.contact(Fixture.ben, "Ben", isResponder: true)
        let store = TestStore(initialState: State(contacts: .init(contacts: [ben]))) {
            RespondersFeature()
        } withDependencies: {
            $0.pingClient.pingsStream = { .finished }
            $0.connectivityClient.status = { .finished }
        }
        // A list that is already loaded isn't loaded again. No other client is called either; such
        // a call would fail the test.
        await store.send(.onAppear)
        await store.receive(.ping(.startStream))
    }

    @Test("Alert states are not persisted and only exist in memory")
    func alertsAreNotPersisted() async {
        let store = store(
            State(alerts: .init(contactAdded: true, contactExists: true, contactError: true)))
        await store.send(.dismissAlerts) { $0.alerts = .init() }
        #expect(State().alerts == .init())
    }

    private func store(_ state: State = .init()) -> TestStoreOf<RespondersFeature> {
        let store = TestStore(initialState: state) {
            RespondersFeature()
        } withDependencies: {
            $0.date = .constant(Fixture.now)
        }
        store.exhaustivity = .off
        return store
    }
}

/// Tests corrections of seed 004; see features.md.
@MainActor @Suite struct RespondersFeatureCorrectionTests {
    @Test(
        """
        Seed: "Contact Added" is shown for each new contact, a dependent too; ours: only for a new \
        responder
        """
    )
    func contactAddedIsForResponders() async throws {
        /// The seed's rule, "Whether to show the Contact Added alert". It shows the alert after
        /// every addition.
        func seedShows(_ added: ContactData?) -> Bool { added != nil }
        let cleo = try Fixture.contact(Fixture.cleo, "Cleo", isDependent: true)
        #expect(
            seedShows(cleo),
            "The seed tells the user on the screen of responders of a contact who is not in it.")

        let store = TestStore(initialState: RespondersFeature.State()) {
            RespondersFeature()
        } withDependencies: {
            $0.date = .constant(Fixture.now)
        }
        await store.send(.addContact(.delegate(.contactAdded(cleo))))
        await store.receive(.contacts(.contactUpdated(cleo))) { $0.contacts.contacts = [cleo] }
        await store.receive(.contacts(.delegate(.contactsChanged([cleo]))))
        await store.receive(.delegate(.contactsChanged([cleo])))
        #expect(!store.state.alerts.contactAdded)
    }

    @Test(
        """
        Seed: `AlertState` collides in name with the presentation type; ours: it is nested, and \
        both can be used side by side
        """
    )
    func alertStateIsNested() {
        let flags = RespondersFeature.State.AlertState(contactAdded: true)
        let question = AlertState<Never> { TextState("Remove Ben?") }
        #expect(flags.contactAdded)
        #expect(String(state: question.title) == "Remove Ben?")
        #expect(String(reflecting: type(of: flags)) != String(reflecting: AlertState<Never>.self))
    }

    @Test(
        """
        Seed: ContactsFeature.State holds Responders, which holds ContactsFeature.State, without \
        end; ours: it is the list alone
        """
    )
    func listContainsNoTabState() throws {
        let ben = try Fixture.contact(Fixture.ben, "Ben", isResponder: true)
        let labels = Mirror(reflecting: ContactsFeature.State(contacts: [ben])).children.compactMap(
            \.label)
        #expect(!labels.contains { $0.contains("responders") || $0.contains("dependents") })
        // Two users in one process have separate lists.
        let (anas, cleos) = (
            RespondersFeature.State(contacts: .init(contacts: [ben])), RespondersFeature.State()
        )
        #expect(anas.contacts.responders == [ben] && cleos.contacts.responders.isEmpty)
    }

    @Test(
        """
        Seed: `isLoading` disables the screen, so a ping can't be answered while a slow connection \
        loads; ours: the list can be used meanwhile
        """
    )
    func theListCanBeUsedWhileItLoads() async throws {
        func seedAcceptsPresses(while state: RespondersFeature.State) -> Bool { !state.isLoading }
        let ben = try Fixture.contact(
            Fixture.ben, "Ben", isResponder: true, hasPendingPing: true)
        let state = RespondersFeature.State(contacts: .init(contacts: [ben]), isLoading: true)
        #expect(!seedAcceptsPresses(while: state))

        let answered = LockIsolated<[UserID]>([])
        let store = TestStore(initialState: state) {
            RespondersFeature()
        } withDependencies: {
            $0.date = .constant(Fixture.now)
            $0.pingClient.respondToPing = { id in answered.withValue { $0.append(id) } }
        }
        store.exhaustivity = .off
        await store.send(.ping(.respondToPing(Fixture.ben)))
        await store.finish()
        #expect(store.state.isLoading && answered.value == [Fixture.ben])
    }

    @Test(
        """
        Seed: three flags show up to three alerts at once, over the sheet that is open. Ours: one \
        notice. The sheet shows a failure.
        """
    )
    func oneNoticeAtATime() async throws {
        let ben = try Fixture.contact(Fixture.ben, "Ben", isResponder: true)
        var seeds = RespondersFeature.State.AlertState()
        seeds.contactExists = true
        seeds.contactAdded = true
        #expect([seeds.contactAdded, seeds.contactExists].count { $0 } == 2)

        let store = TestStore(initialState: RespondersFeature.State()) {
            RespondersFeature()
        } withDependencies: {
            $0.date = .constant(Fixture.now)
        }
        store.exhaustivity = .off
        await store.send(.addContact(.delegate(.contactExists)))
        await store.send(.addContact(.delegate(.contactAdded(ben))))
        #expect(store.state.alerts.contactAdded)
        #expect(!store.state.alerts.contactExists)
        await store.send(.addContact(.delegate(.contactError)))
        #expect(store.state.alerts == .init(contactError: true))
        #expect(store.state.alerts.words == nil)
        await store.finish()
    }
}
