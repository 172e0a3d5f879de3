import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import Features

@MainActor @Suite struct ContactDetailsSheetViewFeatureTests {
    typealias Feature = ContactDetailsSheetViewFeature

    let ben: ContactData
    let benBoth: ContactData

    init() throws {
        ben = try Fixture.contact(Fixture.ben, "Ben", isResponder: true)
        benBoth = try Fixture.contact(Fixture.ben, "Ben", isResponder: true, isDependent: true)
    }

    func store(_ contact: ContactData?, prepare: (inout DependencyValues) -> Void = { _ in })
        -> TestStoreOf<Feature>
    {
        TestStore(initialState: Feature.State(contact: contact, isSheetPresented: contact != nil)) {
            Feature()
        } withDependencies: {
            prepare(&$0)
        }
    }

    // MARK: Shown data

    @Test func emptySheetIsClosed() {
        let state = Feature.State()
        #expect(
            state.contact == nil && !state.isSheetPresented && state.confirmation == nil
                && state.error == nil)
        #expect(
            !state.canPing && !state.canClearPing && !state.canRespondToPing && !state.isResponder
                && !state.isDependent)
        #expect(state.callURL == nil && state.emergencyNote == nil)
    }

    @Test func emergencyNoteShowsOnlyToResponders() {
        var watched = benBoth
        #expect(Feature.State(contact: watched).emergencyNote == nil)
        watched.watch?.emergencyNote = "Asthma"
        #expect(Feature.State(contact: watched).emergencyNote == "Asthma")
        #expect(Feature.State(contact: ben).emergencyNote == nil)
        #expect(Feature.State(contact: ben).callURL?.absoluteString == "tel:+15550100")
    }

    // MARK: Roles

    @Test func roleChangeIsExplainedFirst() async {
        let asked = LockIsolated<[ContactRoles]>([])
        let changed = LockIsolated<[ContactRole]>([])
        let store = store(ben) {
            $0.contactClient.changeRoles = { [benBoth] _, roles, only in
                asked.withValue { $0.append(roles) }
                if let only { changed.withValue { $0.append(only) } }
                return .confirmed(benBoth)
            }
        }
        await store.send(.dependentToggleTapped) { $0.confirmation = .dependent(true, $0) }
        #expect(
            store.state.confirmation?.message.map { String(state: $0) }?.contains(
                "You will be told when Ben misses a check-in") == true)
        await store.send(.confirmation(.presented(.dependentConfirmed(true)))) {
            $0.confirmation = nil
            $0.isChangingRoles = true
            $0.askedRoles = try ContactRoles(isResponder: true, isDependent: true)
        }
        #expect(store.state.isDependent, "The switch stands as it was asked for.")
        await store.receive(.rolesResponse(Fixture.ben, .success(.confirmed(benBoth)))) {
            $0.isChangingRoles = false
            $0.askedRoles = nil
            $0.contact = self.benBoth
        }
        await store.receive(.delegate(.contactUpdated(benBoth)))
        #expect(
            asked.value.map(\.isResponder) == [true] && asked.value.map(\.isDependent) == [true])
        #expect(changed.value == [.dependent])
    }

    @Test func eachQuestionExplainsItsEffect() {
        typealias Question = ConfirmationAlertState<Feature.Action.Confirmation>
        let sheet = Feature.State(contact: ben)
        let words = [
            Question.responder(true, sheet), .responder(false, sheet), .dependent(true, sheet),
            .dependent(false, sheet), .remove(sheet),
        ]
        .map {
            String(state: $0.title) + $0.message.map { String(state: $0) }.map { " " + $0 }.orEmpty
        }
        #expect(Set(words).count == 5)
        #expect(words[0].contains("Ben will be told when you miss a check-in"))
        #expect(words[1].contains("Ben will no longer be told when you need help"))
        #expect(words[3].contains("You will no longer be told when Ben needs help"))
        #expect(words[4].contains("neither of you will be told"))
    }

    @Test func lastRoleCannotBeRemoved() async {
        let store = store(ben)
        await store.send(.responderToggleTapped) {
            $0.error = UserFacingError(catching: Fixture.lastRole)
        }
        await store.send(.dismissError) { $0.error = nil }
    }

    @Test func decliningTheQuestionChangesNothing() async {
        let store = store(ben)
        await store.send(.dependentToggleTapped) { $0.confirmation = .dependent(true, $0) }
        await store.send(.confirmation(.dismiss)) { $0.confirmation = nil }
    }

    @Test func refusedChangeResetsTheSwitch() async {
        let store = store(benBoth) {
            $0.contactClient.changeRoles = { _, _, _ in throw Fixture.refused }
        }
        await store.send(.responderToggleTapped) { $0.confirmation = .responder(false, $0) }
        await store.send(.confirmation(.presented(.responderConfirmed(false)))) {
            $0.confirmation = nil
            $0.isChangingRoles = true
            $0.askedRoles = try ContactRoles(isResponder: false, isDependent: true)
        }
        await store.receive(.rolesResponse(Fixture.ben, .failure(Fixture.refused))) {
            $0.isChangingRoles = false
            $0.askedRoles = nil
            $0.error = Fixture.refused
        }
        #expect(store.state.isResponder)
    }

    @Test func changeInFlightBlocksOtherChanges() async {
        let gate = Gate<Submission<ContactData>>()
        let store = store(benBoth) {
            $0.contactClient.changeRoles = { _, _, _ in try await gate.wait() }
        }
        await store.send(.responderToggleTapped) { $0.confirmation = .responder(false, $0) }
        await store.send(.confirmation(.presented(.responderConfirmed(false)))) {
            $0.confirmation = nil
            $0.isChangingRoles = true
            $0.askedRoles = try ContactRoles(isResponder: false, isDependent: true)
        }
        await store.send(.responderToggleTapped)
        await store.send(.dependentToggleTapped)
        await store.send(.removeButtonTapped)
        gate.fail(.unavailable)
        await store.receive(\.rolesResponse) {
            $0.isChangingRoles = false
            $0.askedRoles = nil
            $0.error = .unavailable
        }
        #expect(gate.calls.value == 1)
    }

    @Test func queuedChangeShowsAsUnsentUntilSent() async {
        let (status, connection) = AsyncStream<Connectivity>.makeStream()
        let store = store(ben) {
            $0.contactClient.changeRoles = { _, _, _ in .waiting }
            $0.connectivityClient.status = { status }
        }
        await store.send(.dependentToggleTapped) { $0.confirmation = .dependent(true, $0) }
        await store.send(.confirmation(.presented(.dependentConfirmed(true)))) {
            $0.confirmation = nil
            $0.isChangingRoles = true
            $0.askedRoles = try ContactRoles(isResponder: true, isDependent: true)
        }
        await store.receive(.rolesResponse(Fixture.ben, .success(.waiting))) {
            $0.isChangingRoles = false
            $0.isWaitingToBeSent = true
        }
        let waiting = Connectivity(isOnline: false, waiting: [.roles(of: Fixture.ben)])
        connection.yield(waiting)
        await store.receive(.connectivityChanged(waiting))
        connection.yield(Connectivity())
        await store.receive(.connectivityChanged(Connectivity())) {
            $0.isWaitingToBeSent = false
            $0.askedRoles = nil
        }
        await store.send(.closeButtonTapped) { $0.isSheetPresented = false }
    }

    // MARK: Removal

    @Test func contactIsRemovedAfterAQuestion() async {
        let store = store(ben) { $0.contactClient.removeContact = { _ in } }
        await store.send(.removeButtonTapped) { $0.confirmation = .remove($0) }
        await store.send(.confirmation(.presented(.removeConfirmed))) {
            $0.confirmation = nil
            $0.isRemoving = true
        }
        await store.receive(.removeResponse(Fixture.ben, nil)) {
            $0.isRemoving = false
            $0.isSheetPresented = false
        }
        await store.receive(.delegate(.contactRemoved(Fixture.ben)))
    }

    @Test func responderCanBeRemovedQuietly() async {
        let removed = Calls<UserID>([])
        let store = store(ben) {
            $0.contactClient.removeContactQuietly = { id in removed.withValue { $0.append(id) } }
        }
        await store.send(.removeButtonTapped) { $0.confirmation = .remove($0) }
        let actions = store.state.confirmation?.buttons.compactMap(\.action.action)
        #expect(actions == [.removeConfirmed, .removeQuietlyConfirmed])
        await store.send(.confirmation(.presented(.removeQuietlyConfirmed))) {
            $0.confirmation = nil
            $0.isRemoving = true
        }
        await store.receive(.removeResponse(Fixture.ben, nil)) {
            $0.isRemoving = false
            $0.isSheetPresented = false
        }
        await store.receive(.delegate(.contactRemoved(Fixture.ben)))
        #expect(removed.value == [Fixture.ben])
    }

    @Test func dependentCannotBeRemovedQuietly() async {
        let store = store(benBoth) { _ in }
        await store.send(.removeButtonTapped) { $0.confirmation = .remove($0) }
        let actions = store.state.confirmation?.buttons.compactMap(\.action.action)
        #expect(actions == [.removeConfirmed])
    }

    @Test func failedRemovalKeepsTheSheet() async {
        let store = store(ben) {
            $0.contactClient.removeContact = { _ in throw UserFacingError.unavailable }
        }
        await store.send(.removeButtonTapped) { $0.confirmation = .remove($0) }
        await store.send(.confirmation(.presented(.removeConfirmed))) {
            $0.confirmation = nil
            $0.isRemoving = true
        }
        await store.receive(.removeResponse(Fixture.ben, .unavailable)) {
            $0.isRemoving = false
            $0.error = .unavailable
        }
    }

    @Test func missingContactCountsAsRemoved() async {
        let store = store(ben) { $0.contactClient.removeContact = { _ in throw Fixture.notFound } }
        await store.send(.removeButtonTapped) { $0.confirmation = .remove($0) }
        await store.send(.confirmation(.presented(.removeConfirmed))) {
            $0.confirmation = nil
            $0.isRemoving = true
        }
        await store.receive(.removeResponse(Fixture.ben, Fixture.notFound)) {
            $0.isRemoving = false
            $0.isSheetPresented = false
        }
        await store.receive(.delegate(.contactRemoved(Fixture.ben)))
    }

    @Test func fasterListClosesTheSheetWithoutAMessage() async {
        let gate = Gate<Bool>()
        let store = store(ben) {
            $0.contactClient.removeContact = { _ in _ = try await gate.wait() }
        }
        await store.send(.removeButtonTapped) { $0.confirmation = .remove($0) }
        await store.send(.confirmation(.presented(.removeConfirmed))) {
            $0.confirmation = nil
            $0.isRemoving = true
        }
        await store.send(.setContact(nil)) { $0.isSheetPresented = false }
        gate.open(true)
        await store.receive(.removeResponse(Fixture.ben, nil)) { $0.isRemoving = false }
        await store.receive(.delegate(.contactRemoved(Fixture.ben)))
    }
}

extension Optional<String> {
    fileprivate var orEmpty: String { self ?? "" }
}
