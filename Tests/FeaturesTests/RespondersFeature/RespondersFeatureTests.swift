import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import Features

@MainActor @Suite struct RespondersFeatureTests {
    let ben: ContactData
    let cleo: ContactData

    init() throws {
        ben = try Fixture.contact(Fixture.ben, "Ben", isResponder: true, hasPendingPing: true)
        cleo = try Fixture.contact(Fixture.cleo, "Cleo", isResponder: true, hasPendingPing: true)
    }

    func store(
        _ state: RespondersFeature.State = .init(),
        prepare: (inout DependencyValues) -> Void = { _ in }
    ) -> TestStoreOf<RespondersFeature> {
        TestStore(initialState: state) {
            RespondersFeature()
        } withDependencies: {
            $0.date = .constant(Fixture.now)
            $0.pingClient.pingsStream = { .finished }
            $0.connectivityClient.status = { .finished }
            prepare(&$0)
        }
    }

    func with(_ contacts: ContactData...) -> RespondersFeature.State {
        .init(contacts: .init(contacts: IdentifiedArray(uniqueElements: contacts)))
    }

    func answered(_ contact: ContactData) -> ContactData {
        var contact = contact
        contact.hasPendingPing = false
        return contact
    }

    @Test func failedContactLoadCanBeRetried() async {
        let store = store { $0.contactClient.contacts = { throw UserFacingError.unavailable } }
        await store.send(.refreshPulled) { $0.isLoading = true }
        await store.receive(.contacts(.loadContacts)) { $0.contacts.isLoading = true }
        await store.receive(.contacts(.contactsResponse(.failure(.unavailable)))) {
            $0.contacts.isLoading = false
            $0.contacts.error = .unavailable
        }
        await store.receive(.contacts(.delegate(.loadFinished(.unavailable)))) {
            $0.isLoading = false
            $0.error = .unavailable
        }
        await store.send(.dismissError) { $0.error = nil }
        await store.receive(.contacts(.dismissError)) { $0.contacts.error = nil }
        await store.receive(.ping(.dismissError))
    }

    @Test func leavingCancelsTheContactLoad() async {
        let gate = Gate<[ContactData]>()
        let store = store { $0.contactClient.contacts = { try await gate.wait() } }
        await store.send(.onAppear) { $0.isLoading = true }
        await store.receive(.contacts(.loadContacts)) { $0.contacts.isLoading = true }
        await store.receive(.ping(.startStream))
        await store.send(.onDisappear) { $0.isLoading = false }
        await store.receive(.contacts(.cancelLoading)) { $0.contacts.isLoading = false }
        await store.receive(.ping(.stopStream))
        gate.open([ben])
        await store.finish()
    }

    @Test func answeringOnePingLowersTheBadge() async {
        let store = store(with(ben, cleo)) { $0.pingClient.respondToPing = { _ in } }
        #expect(store.state.pendingPingsCount == 2)
        await store.send(.ping(.respondToPing(Fixture.ben))) {
            $0.ping.inFlight = [.respond(Fixture.ben)]
        }
        await store.receive(.ping(.delegate(.began)))
        await store.receive(.ping(.respondToPingSucceeded(Fixture.ben)))
        await store.receive(.ping(.delegate(.responded(Fixture.ben))))
        let answered = answered(ben)
        await store.receive(.contacts(.contactUpdated(answered))) {
            $0.contacts.contacts[id: Fixture.ben] = answered
        }
        await store.receive(.contacts(.delegate(.contactsChanged([answered, cleo]))))
        await store.receive(.delegate(.contactsChanged([answered, cleo])))
        await store.receive(.ping(.operationEnded(.respond(Fixture.ben)))) { $0.ping.inFlight = [] }
        #expect(store.state.pendingPingsCount == 1)
    }

    @Test func answeringAllPingsClearsTheBadge() async {
        var state = with(ben, cleo)
        state.ping.pendingPings = [
            Fixture.ping(1, from: Fixture.ben, to: Fixture.ana),
            Fixture.ping(2, from: Fixture.cleo, to: Fixture.ana),
        ]
        let store = store(state) { $0.pingClient.respondToAllPings = {} }
        await store.send(.ping(.respondToAllPings)) { $0.ping.inFlight = [.respondToAll] }
        await store.receive(.ping(.delegate(.began)))
        await store.receive(.ping(.respondToAllPingsSucceeded([Fixture.ben, Fixture.cleo])))
        await store.receive(.ping(.delegate(.respondedToAll([Fixture.ben, Fixture.cleo]))))
        let all = [answered(ben), answered(cleo)]
        await store.receive(.contacts(.contactsUpdated(all))) {
            $0.contacts.contacts = IdentifiedArray(uniqueElements: all)
        }
        await store.receive(\.contacts.delegate.contactsChanged)
        await store.receive(\.delegate.contactsChanged)
        await store.receive(.ping(.operationEnded(.respondToAll))) { $0.ping.inFlight = [] }
        #expect(store.state.pendingPingsCount == 0)
    }

    @Test func pingArrivingDuringAnswerToAllStays() async {
        let gate = Gate<Bool>()
        var state = with(ben, answered(cleo))
        state.ping.pendingPings = [Fixture.ping(1, from: Fixture.ben, to: Fixture.ana)]
        let store = store(state) { $0.pingClient.respondToAllPings = { _ = try await gate.wait() } }
        store.exhaustivity = .off
        await store.send(.ping(.respondToAllPings))
        await store.receive(.ping(.delegate(.began)))
        await store.send(.contacts(.contactUpdated(cleo)))
        gate.open(true)
        await store.receive(\.ping.operationEnded)
        await store.skipReceivedActions(strict: false)
        #expect(store.state.contacts.contacts[id: Fixture.cleo]?.hasPendingPing == true)
        #expect(store.state.contacts.contacts[id: Fixture.ben]?.hasPendingPing == false)
    }

    @Test func failedAnswerKeepsTheBadge() async {
        let store = store(with(ben)) {
            $0.pingClient.respondToPing = { _ in throw UserFacingError.unavailable }
        }
        await store.send(.ping(.respondToPing(Fixture.ben))) {
            $0.ping.inFlight = [.respond(Fixture.ben)]
        }
        await store.receive(.ping(.delegate(.began)))
        await store.receive(.ping(.respondToPingFailed(.unavailable))) {
            $0.ping.error = .unavailable
        }
        await store.receive(.ping(.delegate(.failed(.unavailable)))) { $0.error = .unavailable }
        await store.receive(.ping(.operationEnded(.respond(Fixture.ben)))) { $0.ping.inFlight = [] }
        #expect(store.state.pendingPingsCount == 1)
    }

    @Test func nextAnswerClearsTheError() async {
        var state = with(ben)
        (state.error, state.ping.error) = (.unavailable, .unavailable)
        let gate = Gate<Bool>()
        let store = store(state) {
            $0.pingClient.respondToPing = { _ in _ = try await gate.wait() }
        }
        await store.send(.ping(.respondToPing(Fixture.ben))) {
            $0.ping.inFlight = [.respond(Fixture.ben)]
            $0.ping.error = nil
        }
        await store.receive(.ping(.delegate(.began))) { $0.error = nil }
        await store.send(.ping(.respondToPing(Fixture.ben)))
        await store.skipInFlightEffects()
    }

    @Test func scannedCodeOpensAddingAsAResponder() async {
        let owner = CodeOwner(id: Fixture.ben, name: "Ben")
        let store = store { $0.contactClient.codeOwner = { _ in owner } }
        await store.send(.showQRScanner) { $0.qrScanner.isSheetPresented = true }
        await store.send(.qrScanner(.codeScanned(Fixture.code))) {
            $0.qrScanner.scannedCode = Fixture.code
            $0.qrScanner.isSheetPresented = false
        }
        await store.receive(.qrScanner(.delegate(.codeScanned(Fixture.codeID)))) {
            $0.addContact = .init(
                code: Fixture.codeID, isResponder: true, isDependent: false, isSheetPresented: true)
        }
        await store.receive(.addContact(.onAppear)) { $0.addContact.isLoading = true }
        await store.receive(.addContact(.codeOwnerResponse(.success(owner)))) {
            $0.addContact.isLoading = false
            $0.addContact.owner = owner
            $0.addContact.name = "Ben"
        }
    }

    @Test func linkOpensAddingAsAResponder() async {
        let store = store { $0.contactClient.codeOwner = { _ in throw Fixture.notFound } }
        await store.send(.codeReceived(Fixture.code)) {
            $0.addContact = .init(code: Fixture.code, isSheetPresented: true)
        }
        await store.receive(.addContact(.onAppear)) { $0.addContact.isLoading = true }
        await store.receive(.addContact(.codeOwnerResponse(.failure(Fixture.notFound)))) {
            $0.addContact.isLoading = false
            $0.addContact.error = .unknownCode
            $0.addContact.isCodeRefused = true
        }
        await store.receive(.addContact(.delegate(.contactError))) { $0.alerts.contactError = true }
        await store.send(.dismissAlerts) { $0.alerts.contactError = false }
        await store.receive(.addContact(.dismissError)) { $0.addContact.error = nil }
    }

    @Test func pendingPingsComeFirstThenNames() throws {
        let adam = try Fixture.contact(Fixture.id(10), "adam", isResponder: true)
        var state = with(adam, cleo, ben)
        state.contacts.locale = Locale(identifier: "en_US")
        #expect(state.sortedResponders.map(\.name) == ["Ben", "Cleo", "adam"])
    }
}
