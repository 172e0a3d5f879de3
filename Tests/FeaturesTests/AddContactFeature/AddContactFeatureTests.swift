import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import Features

@MainActor @Suite struct AddContactFeatureTests {
    let ben: ContactData
    let owner = CodeOwner(id: Fixture.ben, name: "Ben")

    init() throws { ben = try Fixture.contact(Fixture.ben, "Ben", isResponder: true) }

    func store(
        _ state: AddContactFeature.State? = nil,
        prepare: (inout DependencyValues) -> Void = { _ in }
    ) -> TestStoreOf<AddContactFeature> {
        TestStore(
            initialState: state
                ?? AddContactFeature.State(code: Fixture.code, isSheetPresented: true)
        ) {
            AddContactFeature()
        } withDependencies: {
            prepare(&$0)
        }
    }

    func found(isAdding: Bool = false) -> AddContactFeature.State {
        AddContactFeature.State(
            code: Fixture.code, name: "Ben", owner: owner, isSheetPresented: true,
            isAdding: isAdding)
    }

    @Test func findsAndAddsTheOwner() async {
        let asked = LockIsolated<[String]>([])
        let store = store {
            $0.contactClient.codeOwner = { [owner] code in
                asked.withValue { $0.append("who is \(code)") }
                return owner
            }
            $0.contactClient.addContact = { [ben] code, roles in
                asked.withValue {
                    $0.append("add \(code) \(roles.isResponder) \(roles.isDependent)")
                }
                return ben
            }
        }
        #expect(!store.state.canAdd)
        await store.send(.onAppear) { $0.isLoading = true }
        await store.receive(.codeOwnerResponse(.success(owner))) {
            $0.isLoading = false
            $0.owner = self.owner
            $0.name = "Ben"
        }
        #expect(store.state.canAdd)
        await store.send(.isDependentChanged(true)) { $0.isDependent = true }
        await store.send(.addButtonTapped) { $0.isAdding = true }
        await store.receive(.addResponse(code: Fixture.code, .success(ben))) {
            $0.isAdding = false
            $0.isSheetPresented = false
        }
        await store.receive(.delegate(.contactAdded(ben)))
        #expect(asked.value == ["who is \(Fixture.codeID)", "add \(Fixture.codeID) true true"])
    }

    @Test func unknownCodeIsNotTreatedAsExistingContact() async {
        let store = store { $0.contactClient.codeOwner = { _ in throw Fixture.notFound } }
        await store.send(.onAppear) { $0.isLoading = true }
        await store.receive(.codeOwnerResponse(.failure(Fixture.notFound))) {
            $0.isLoading = false
            $0.error = .unknownCode
            $0.isCodeRefused = true
        }
        await store.receive(.delegate(.contactError))
        #expect(store.state.isSheetPresented)
        await store.send(.dismissError) { $0.error = nil }
        #expect(!store.state.canLookUpAgain)
    }

    @Test func existingContactClosesTheSheet() async {
        let store = store(found()) {
            $0.contactClient.addContact = { _, _ in throw Fixture.exists }
        }
        await store.send(.addButtonTapped) { $0.isAdding = true }
        await store.receive(.addResponse(code: Fixture.code, .failure(Fixture.exists))) {
            $0.isAdding = false
            $0.isSheetPresented = false
        }
        await store.receive(.delegate(.contactExists))
    }

    @Test func codeRenewedBeforeAddingIsUnknown() async {
        let store = store(found()) {
            $0.contactClient.addContact = { _, _ in throw Fixture.notFound }
        }
        await store.send(.addButtonTapped) { $0.isAdding = true }
        await store.receive(.addResponse(code: Fixture.code, .failure(Fixture.notFound))) {
            $0.isAdding = false
            $0.error = .unknownCode
        }
        await store.receive(.delegate(.contactError))
    }

    @Test func invalidCodeIsNotLookedUp() async {
        let store = store(.init(code: "hello", isSheetPresented: true))
        await store.send(.onAppear) {
            $0.error = UserFacingError(QRCodeRules.notACode)
            $0.isCodeRefused = true
        }
        await store.receive(.delegate(.contactError))
        await store.send(.dismissError) { $0.error = nil }
        #expect(!store.state.canLookUpAgain)
    }

    @Test func addingRequiresARole() async {
        let store = store(found())
        await store.send(.isResponderChanged(false)) { $0.isResponder = false }
        #expect(!store.state.canAdd)
        await store.send(.addButtonTapped) {
            $0.error = UserFacingError(catching: Fixture.lastRole)
        }
        await store.receive(.delegate(.contactError))
    }

    @Test func secondTapDoesNotAddTwice() async {
        let gate = Gate<ContactData>()
        let store = store(found()) {
            $0.contactClient.addContact = { _, _ in try await gate.wait() }
        }
        await store.send(.addButtonTapped) { $0.isAdding = true }
        await store.send(.addButtonTapped)
        await store.send(.isDependentChanged(true))
        await store.send(.isResponderChanged(false))
        gate.fail(.unavailable)
        await store.receive(.addResponse(code: Fixture.code, .failure(.unavailable))) {
            $0.isAdding = false
            $0.error = .unavailable
        }
        await store.receive(.delegate(.contactError))
        #expect(gate.calls.value == 1 && store.state.canLookUpAgain)
    }

    @Test func tapAfterClosingAddsNobody() async {
        var closed = found()
        closed.isSheetPresented = false
        await store(closed).send(.addButtonTapped)
    }

    @Test func lookUpCanBeRetried() async {
        let gate = Gate<CodeOwner>()
        let store = store { $0.contactClient.codeOwner = { _ in try await gate.wait() } }
        await store.send(.onAppear) { $0.isLoading = true }
        await store.send(.retryButtonTapped)
        gate.fail(.unavailable)
        await store.receive(.codeOwnerResponse(.failure(.unavailable))) {
            $0.isLoading = false
            $0.error = .unavailable
        }
        await store.receive(.delegate(.contactError))
        store.dependencies.contactClient.codeOwner = { [owner] _ in owner }
        await store.send(.retryButtonTapped) {
            $0.isLoading = true
            $0.error = nil
        }
        await store.receive(.codeOwnerResponse(.success(owner))) {
            $0.isLoading = false
            $0.owner = self.owner
            $0.name = "Ben"
        }
        await store.send(.retryButtonTapped)
    }

    @Test func unknownCodeOffersAnotherTry() async {
        let store = store {
            $0.contactClient.codeOwner = { _ in throw UserFacingError.unknownCode }
        }
        store.exhaustivity = .off
        await store.send(.onAppear)
        await store.receive(\.codeOwnerResponse) {
            $0.error = .unknownCode
            $0.isCodeRefused = true
        }
        await store.send(.otherCodeButtonTapped) {
            $0.isSheetPresented = false
            $0.error = nil
            $0.isCodeRefused = false
        }
        await store.receive(.delegate(.otherCode))
    }

    @Test func closingCancelsTheLookUp() async {
        let gate = Gate<CodeOwner>()
        let store = store { $0.contactClient.codeOwner = { _ in try await gate.wait() } }
        await store.send(.onAppear) { $0.isLoading = true }
        await store.send(.cancelButtonTapped) {
            $0.isLoading = false
            $0.isSheetPresented = false
        }
        await store.receive(.delegate(.dismissed))
        gate.open(owner)
        await store.finish()
        await store.send(.cancelButtonTapped)
    }

    @Test func lateSuccessReachesTheListAndLateErrorIsDropped() async {
        let store = store(found(isAdding: true))
        await store.send(.cancelButtonTapped) {
            $0.isAdding = false
            $0.isSheetPresented = false
        }
        await store.receive(.delegate(.dismissed))
        await store.send(.addResponse(code: Fixture.code, .failure(Fixture.exists)))
        await store.send(.addResponse(code: Fixture.code, .success(ben)))
        await store.receive(.delegate(.contactAdded(ben)))
    }

    @Test func answerForEarlierCodeKeepsTheNextSheet() async {
        let store = store(found(isAdding: true))
        await store.send(.addResponse(code: "another", .failure(.unavailable)))
        await store.send(.addResponse(code: "another", .success(ben)))
        await store.receive(.delegate(.contactAdded(ben)))
        #expect(store.state.isSheetPresented)
    }

    @Test func closedSheetSendsNoRequest() async {
        let store = store(.init())
        await store.send(.onAppear)
        await store.send(.addButtonTapped)
    }
}
