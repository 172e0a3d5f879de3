import Clients
import ComposableArchitecture
import Domain
import Features
import Foundation
import Testing

@MainActor @Suite struct DependentAlertFeatureTests {
    let ben: ContactData
    let open = Fixture.alert(20, of: Fixture.ben)
    let alertID: AlertID = Fixture.id(20)
    let taken = DependentAlertFeature.Request(.acknowledge, to: Fixture.id(20))

    init() throws {
        ben = try Fixture.contact(Fixture.ben, "Ben", isDependent: true, status: .alertActive)
    }

    func store(
        _ state: DependentAlertFeature.State, prepare: (inout DependencyValues) -> Void = { _ in }
    ) -> TestStoreOf<DependentAlertFeature> {
        TestStore(initialState: state) {
            DependentAlertFeature()
        } withDependencies: {
            prepare(&$0)
        }
    }

    func acknowledged(by user: UserID, _ name: String) -> AlertRecord {
        Fixture.alert(
            20, of: Fixture.ben,
            acknowledgement: .init(
                responderId: user.description, name: name, time: Fixture.now.adding(.seconds(30)),
                afterSeconds: 30)
        )
    }

    func told(_ user: UserID, _ name: String, _ channel: DeliveryChannel) -> AlertRecord.LedgerEntry
    {
        .init(
            recipientId: user.description, name: name, channel: channel, state: .accepted,
            time: Fixture.now, attempts: 1)
    }

    @Test func openAlertIsFoundShownAndAcknowledged() async throws {
        let profile = try Fixture.profile()
        var full = open
        full.ledger = [
            told(Fixture.ana, "Ana", .webhook), told(Fixture.cleo, "Cleo", .webhook),
            told(Fixture.cleo, "Cleo", .sms),
        ]
        full.othersTold = ["Cleo"]
        let mine = acknowledged(by: Fixture.ana, "Ana")
        let store = store(.init(dependent: ben)) { [open, full] in
            $0.userClient.profile = { profile }
            $0.alertClient.alertsStream = {
                AsyncStream { continuation in
                    continuation.yield([Fixture.alert(21, of: Fixture.cleo), open])
                    continuation.finish()
                }
            }
            $0.alertClient.alert = { _ in full }
        }
        store.exhaustivity = .off
        await store.send(.onAppear)
        await store.finish()
        await store.skipReceivedActions(strict: false)
        #expect(store.state.alert == full)
        #expect(store.state.alertID == alertID)
        #expect(store.state.ownID == Fixture.ana)
        #expect(store.state.othersTold == ["Cleo"])
        #expect(store.state.displayName == "Ben")
        #expect(store.state.startTime == Fixture.now)
        #expect(store.state.callURL?.absoluteString == "tel:+15550100")
        #expect(store.state.canAcknowledge && !store.state.isOver && !store.state.isMine)

        store.exhaustivity = .on
        await store.send(.acknowledgeButtonTapped) { $0.request = self.taken }
        await store.receive(.delegate(.requested(taken)))
        var shown = mine
        shown.ledger = full.ledger
        shown.othersTold = full.othersTold
        store.dependencies.alertClient.alert = { [shown] _ in shown }
        await store.send(.answered(taken, .success(mine))) {
            $0.request = nil
            $0.alert = shown
            $0.isLoading = true
        }
        await store.receive(.alertResponse(.success(shown))) { $0.isLoading = false }
        #expect(
            store.state.isMine && store.state.canAcknowledge,
            "It can be said again that it goes on.")
    }

    @Test func secondTapDoesNotAcknowledgeTwice() async {
        let mine = acknowledged(by: Fixture.ana, "Ana")
        let store = store(.init(alertID: alertID, dependent: ben, alert: open)) {
            $0.alertClient.alert = { _ in mine }
        }
        await store.send(.acknowledgeButtonTapped) { $0.request = self.taken }
        await store.receive(.delegate(.requested(taken)))
        await store.send(.acknowledgeButtonTapped)
        await store.send(.answered(taken, .success(mine))) {
            $0.request = nil
            $0.alert = mine
            $0.isLoading = true
        }
        await store.receive(.alertResponse(.success(mine))) { $0.isLoading = false }
    }

    @Test func secondResponderSeesTheFirst() async {
        let cleos = acknowledged(by: Fixture.cleo, "Cleo")
        let store = store(.init(alertID: alertID, dependent: ben, alert: open, ownID: Fixture.ana))
        {
            $0.alertClient.alert = { _ in cleos }
        }
        await store.send(.acknowledgeButtonTapped) { $0.request = self.taken }
        await store.receive(.delegate(.requested(taken)))
        await store.send(.answered(taken, .failure(Fixture.exists))) {
            $0.request = nil
            $0.isLoading = true
            $0.error = Fixture.exists
        }
        await store.receive(.alertResponse(.success(cleos))) {
            $0.isLoading = false
            $0.alert = cleos
        }
        #expect(!store.state.canAcknowledge && !store.state.isMine)
        await store.send(.acknowledgeButtonTapped)
        await store.send(.dismissError) { $0.error = nil }
    }

    @Test func alertEndingOnScreenShowsAsOver() async {
        let over = Fixture.alert(20, of: Fixture.ben, isActive: false)
        let store = store(.init(alertID: alertID, dependent: ben, alert: open)) {
            $0.alertClient.alert = { _ in over }
        }
        await store.send(.alertsUpdated([over])) {
            $0.alert = over
            $0.isLoading = true
        }
        await store.receive(.alertResponse(.success(over))) { $0.isLoading = false }
        #expect(store.state.isOver && !store.state.canAcknowledge)
        await store.send(.alertsUpdated([over]))
        await store.send(.acknowledgeButtonTapped)
    }

    @Test func anotherPersonsAlertIsNotShown() async {
        let store = store(.init(dependent: ben))
        await store.send(
            .alertsUpdated([
                Fixture.alert(21, of: Fixture.cleo),
                Fixture.alert(22, of: Fixture.ben, isActive: false),
            ]))
        await store.send(.acknowledgeButtonTapped)
    }

    @Test func failedLoadCanBeRetried() async {
        let store = store(.init(alertID: alertID)) {
            $0.alertClient.alert = { _ in throw UserFacingError.unavailable }
        }
        await store.send(.refreshButtonTapped) { $0.isLoading = true }
        await store.receive(.alertResponse(.failure(.unavailable))) {
            $0.isLoading = false
            $0.error = .unavailable
        }
        store.dependencies.alertClient.alert = { [open] _ in open }
        await store.send(.refreshButtonTapped) {
            $0.isLoading = true
            $0.error = nil
        }
        await store.receive(.alertResponse(.success(open))) {
            $0.isLoading = false
            $0.alert = self.open
        }
    }

    @Test func leavingCancelsTheRequests() async {
        let gate = Gate<AlertRecord>()
        let (stream, continuation) = AsyncStream<[AlertRecord]>.makeStream()
        let store = store(.init(alertID: alertID, dependent: ben)) {
            $0.userClient.profile = { throw UserFacingError.unavailable }
            $0.alertClient.alertsStream = { stream }
            $0.alertClient.alert = { _ in try await gate.wait() }
        }
        await store.send(.onAppear) { $0.isLoading = true }
        await store.receive(.profileResponse(.failure(.unavailable)))
        await store.send(.onDisappear) { $0.isLoading = false }
        gate.open(open)
        continuation.yield([open])
        await store.finish()
    }

    @Test func dependentFollowsTheList() async {
        var contact = ben
        contact.watch?.emergencyNote = "Asthma"
        let store = store(.init(dependent: ben))
        #expect(store.state.emergencyNote == nil)
        await store.send(.setDependent(contact)) { $0.dependent = contact }
        #expect(store.state.emergencyNote == "Asthma")
        #expect(!store.isDismissed)
    }

    @Test func closingDismissesTheSheet() async {
        let isDismissed = LockIsolated(false)
        let store = store(.init(dependent: ben)) {
            $0.dismiss = DismissEffect { isDismissed.setValue(true) }
        }
        await store.send(.closeButtonTapped)
        await store.finish()
        #expect(isDismissed.value)
    }
}
