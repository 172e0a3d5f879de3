import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import Features

/// Ben asks Ana to watch over him, and she answers in his sheet.
@MainActor @Suite struct ContactRequestsTests {
    typealias Feature = ContactDetailsSheetViewFeature

    private func contact(
        _ requests: [RoleRequest], isResponder: Bool = false, isDependent: Bool = false
    ) throws -> ContactData {
        var contact = try Fixture.contact(
            Fixture.ben, "Ben", isResponder: isResponder, isDependent: true)
        contact.isDependent = isDependent
        contact.requests = requests
        if !isDependent { contact.watch = nil }
        return contact
    }

    private func request(_ role: ContactRole, isMine: Bool = false) -> RoleRequest {
        RoleRequest(role: role, isMine: isMine, requestedAt: Fixture.now)
    }

    private func store(
        _ contact: ContactData, prepare: (inout DependencyValues) -> Void = { _ in }
    ) -> TestStoreOf<Feature> {
        TestStore(initialState: Feature.State(contact: contact, isSheetPresented: true)) {
            Feature()
        } withDependencies: {
            prepare(&$0)
        }
    }

    @Test func switchesShowTheRequestedRoles() throws {
        let mine = Feature.State(contact: try contact([request(.responder, isMine: true)]))
        #expect(mine.isResponder && !mine.isDependent && mine.requestsToAnswer.isEmpty)
        let theirs = Feature.State(contact: try contact([request(.dependent)]))
        #expect(!theirs.isResponder && !theirs.isDependent)
        #expect(theirs.requestsToAnswer == [.dependent])
    }

    @Test(arguments: ContactRole.allCases)
    func turningOffWithdrawsAnUnansweredRequest(role: ContactRole) async throws {
        let isResponder = role == .dependent
        let asked = try contact(
            [request(role, isMine: true)], isResponder: isResponder, isDependent: !isResponder)
        let store = store(asked)
        store.exhaustivity = .off
        await store.send(isResponder ? .dependentToggleTapped : .responderToggleTapped)
        let question = try #require(store.state.confirmation)
        #expect(String(state: question.title) == "Withdraw your request?")
        let words = question.message.map { String(state: $0) } ?? ""
        #expect(words.contains("Your request will be withdrawn"))
        #expect(!words.contains("no longer") && !words.contains("A ping"))
        #expect(question.buttons.map { String(state: $0.label) } == ["Withdraw request", "Cancel"])
    }

    @Test func requestsShowInBothTabs() throws {
        let asks = try contact([request(.dependent)])
        let contacts = ContactsFeature.State(contacts: [asks])
        #expect(contacts.dependents == [asks] && contacts.responders.isEmpty)
        #expect(DependentsFeature.State.shows(asks) && !RespondersFeature.State.shows(asks))
    }

    @Test func acceptedRequestTakesEffectAfterTheAnswer() async throws {
        let asks = try contact([request(.dependent)], isResponder: true)
        let accepted = try contact([], isResponder: true, isDependent: true)
        let store = store(asks) {
            $0.contactClient.acceptRequest = { _, role in
                #expect(role == .dependent)
                return accepted
            }
        }
        await store.send(.acceptButtonTapped(.responder))
        await store.send(.acceptButtonTapped(.dependent)) { $0.isChangingRoles = true }
        await store.receive(.rolesResponse(Fixture.ben, .success(.confirmed(accepted)))) {
            $0.isChangingRoles = false
            $0.contact = accepted
        }
        await store.receive(.delegate(.contactUpdated(accepted)))
    }

    @Test func decliningKeepsOtherRoles() async throws {
        let asks = try contact([request(.dependent)], isResponder: true)
        var left = asks
        left.requests = []
        let store = store(asks) { $0.contactClient.declineRequest = { _, _ in } }
        await store.send(.declineButtonTapped(.dependent)) { $0.isChangingRoles = true }
        await store.receive(.requestDeclined(Fixture.ben, .dependent, nil)) { [left] in
            $0.isChangingRoles = false
            $0.contact = left
        }
        await store.receive(.delegate(.contactUpdated(left)))
    }

    @Test func decliningTheOnlyRequestClosesTheSheet() async throws {
        let asks = try contact([request(.dependent)])
        let store = store(asks) { $0.contactClient.declineRequest = { _, _ in } }
        await store.send(.declineButtonTapped(.dependent)) { $0.isChangingRoles = true }
        await store.receive(.requestDeclined(Fixture.ben, .dependent, nil)) {
            $0.isChangingRoles = false
            $0.isSheetPresented = false
        }
        await store.receive(.delegate(.contactRemoved(Fixture.ben)))
    }

    @Test func failedAnswerShowsInTheSheet() async throws {
        let asks = try contact([request(.dependent)])
        let store = store(asks) {
            $0.contactClient.declineRequest = { _, _ in throw Fixture.refused }
        }
        await store.send(.declineButtonTapped(.dependent)) { $0.isChangingRoles = true }
        await store.receive(.requestDeclined(Fixture.ben, .dependent, Fixture.refused)) {
            $0.isChangingRoles = false
            $0.error = Fixture.refused
        }
    }
}
