import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import Features

@MainActor @Suite struct ContactBlockTests {
    typealias Feature = ContactDetailsSheetViewFeature

    private func store(
        _ contact: ContactData, prepare: (inout DependencyValues) -> Void = { _ in }
    ) -> TestStoreOf<Feature> {
        TestStore(initialState: .init(contact: contact, isSheetPresented: true)) {
            Feature()
        } withDependencies: {
            prepare(&$0)
        }
    }

    private func words(_ question: ConfirmationAlertState<Feature.Action.Confirmation>) -> String {
        question.message.map { String(state: $0) } ?? ""
    }

    // MARK: Blocking

    @Test func blockingAsksAndExplains() async throws {
        let ben = try Fixture.contact(Fixture.ben, "Ben", isResponder: true)
        let store = store(ben) {
            $0.contactClient.block = { BlockedPerson(id: $0, name: "Ben", blockedAt: Fixture.now) }
        }
        await store.send(.blockButtonTapped) { $0.confirmation = .block($0) }
        let question = try #require(store.state.confirmation)
        #expect(words(question).contains("can’t add, ping or see you"))
        await store.send(.confirmation(.presented(.blockConfirmed))) {
            $0.confirmation = nil
            $0.isRemoving = true
        }
        await store.receive(.removeResponse(Fixture.ben, nil)) {
            $0.isRemoving = false
            $0.isSheetPresented = false
        }
        await store.receive(.delegate(.contactRemoved(Fixture.ben)))
    }

    @Test func failedBlockShowsInTheSheet() async throws {
        let store = store(try Fixture.contact(Fixture.ben, "Ben", isResponder: true)) {
            $0.contactClient.block = { _ in throw UserFacingError.unavailable }
        }
        await store.send(.blockButtonTapped) { $0.confirmation = .block($0) }
        await store.send(.confirmation(.presented(.blockConfirmed))) {
            $0.confirmation = nil
            $0.isRemoving = true
        }
        await store.receive(.removeResponse(Fixture.ben, .unavailable)) {
            $0.isRemoving = false
            $0.error = .unavailable
        }
    }

    // MARK: Taking a request back

    @Test func ownRequestCanBeWithdrawn() async throws {
        var contact = try Fixture.contact(Fixture.ben, "Ben", isDependent: true)
        contact.requests = [RoleRequest(role: .responder, isMine: true, requestedAt: Fixture.now)]
        var left = contact
        left.requests = []
        let store = store(contact) {
            $0.contactClient.withdrawRequest = { _, role in #expect(role == .responder) }
        }
        #expect(store.state.ownRequests == [.responder] && store.state.requestsToAnswer.isEmpty)
        await store.send(.withdrawButtonTapped(.dependent))
        await store.send(.withdrawButtonTapped(.responder)) { $0.isChangingRoles = true }
        await store.receive(.requestDeclined(Fixture.ben, .responder, nil)) { [left] in
            $0.isChangingRoles = false
            $0.contact = left
        }
        await store.receive(.delegate(.contactUpdated(left)))
    }

    // MARK: The last responder

    @Test func removingTheLastResponderWarns() throws {
        let ben = try Fixture.contact(Fixture.ben, "Ben", isResponder: true, isDependent: true)
        var state = Feature.State(contact: ben, isSheetPresented: true, protectionWithout: .nobody)
        let warning = "Ben is your last responder. No one will be alerted."
        for question in [
            ConfirmationAlertState.responder(false, state), .remove(state), .block(state),
        ] {
            #expect(words(question).hasPrefix(warning))
        }
        #expect(!words(.responder(true, state)).contains("last responder"))
        state.protectionWithout = .asked
        #expect(words(.remove(state)).contains("Only people who have not accepted yet"))
        state.protectionWithout = .accepted
        #expect(!words(.remove(state)).contains("last responder"))
        #expect(words(.dependent(false, state)).contains("Ben may have no other responder."))
    }

    @Test func remainingProtectionFollowsTheList() async throws {
        let ben = try Fixture.contact(Fixture.ben, "Ben", isResponder: true)
        let cleo = try Fixture.contact(Fixture.cleo, "Cleo", isResponder: true)
        let dora = try Fixture.contact(Fixture.id(9), "Dora", isDependent: true)
        let store = TestStore(
            initialState: RespondersFeature.State(contacts: .init(contacts: [ben, cleo, dora]))
        ) {
            RespondersFeature()
        }
        store.exhaustivity = .off
        await store.send(.selectContact(ben))
        await store.send(.contactDetails(.removeButtonTapped))
        #expect(store.state.contactDetails.protectionWithout == .accepted)
        await store.send(.setContacts([ben, dora]))
        await store.send(.contactDetails(.blockButtonTapped))
        #expect(store.state.contactDetails.protectionWithout == .nobody)
        let question = try #require(store.state.contactDetails.confirmation)
        #expect(words(question).hasPrefix("Ben is your last responder."))
        await store.send(.selectContact(dora))
        await store.send(.contactDetails(.removeButtonTapped))
        #expect(store.state.contactDetails.protectionWithout == nil)
    }
}
