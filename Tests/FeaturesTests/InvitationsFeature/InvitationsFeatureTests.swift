import Clients
import ComposableArchitecture
import Domain
import Features
import Foundation
import Testing

@MainActor @Suite struct InvitationsFeatureTests {
    private let mia = Invitation(
        id: InvitationID(UUID()), name: "Mia", phoneNumber: "+442071838750", state: .pending,
        createdAt: Fixture.now)

    private func store(
        _ state: InvitationsFeature.State = .init(),
        _ prepare: (inout InvitationClient) -> Void = { _ in }
    ) -> TestStoreOf<InvitationsFeature> {
        TestStore(initialState: state) {
            InvitationsFeature()
        } withDependencies: {
            $0.notificationClient.notificationStream = { .finished }
            prepare(&$0.invitationClient)
        }
    }

    @Test func unansweredInvitationBecomesTooOld() {
        let end = mia.createdAt.adding(InvitationRules.lifetime)
        #expect(mia.words(at: end.adding(.milliseconds(-1))) == "no answer yet")
        #expect(mia.words(at: end) == "too old: invite them again")
        var declined = mia
        declined.state = .declined
        #expect(declined.words(at: end) == "said no")
    }

    @Test func noTellsHowToInviteTheNextHolder() {
        var state = InvitationsFeature.State(invitations: [mia])
        #expect(state.newHolderWords == nil)
        state.invitations[0].state = .declined
        #expect(state.newHolderWords?.contains("someone else has the number") == true)
    }

    @Test func missingAnswerTellsToCheckTheNumber() {
        var state = InvitationsFeature.State(invitations: [mia])
        #expect(state.noAnswerWords?.contains("check the number or address") == true)
        state.invitations[0].state = .accepted
        #expect(state.noAnswerWords == nil)
        state.invitations = []
        #expect(state.noAnswerWords == nil)
    }

    @Test func loadsTheInvitations() async {
        let store = store { [mia] in $0.invitations = { [mia] } }
        await store.send(.onAppear)
        await store.receive(.loaded(.success([mia]))) { $0.invitations = [mia] }
    }

    @Test func answerIsShownWhenItArrives() async {
        var accepted = mia
        accepted.state = .accepted
        let store = store(.init(invitations: [mia])) { [accepted] in
            $0.invitations = { [accepted] }
        }
        await store.send(.newsCame)
        await store.receive(.loaded(.success([accepted]))) { $0.invitations = [accepted] }
        await store.send(.onDisappear)
    }

    @Test func failedBackgroundLoadIsNotShown() async {
        let store = store { $0.invitations = { throw UserFacingError.unavailable } }
        await store.send(.onAppear)
        await store.receive(.loaded(.failure(.unavailable)))
    }

    @Test func personIsInvitedByNumber() async {
        let store = store { [mia] in
            $0.invite = { name, recipient, _ in
                #expect(name == "Mia" && recipient.digits == "+442071838750")
                return mia
            }
            $0.invitations = { [mia] }
        }
        await store.send(.nameChanged("Mia")) { $0.name = "Mia" }
        await store.send(.recipientChanged("+44 20 7183 8750")) {
            $0.recipient = "+44 20 7183 8750"
        }
        await store.send(.inviteButtonTapped) { $0.isLoading = true }
        await store.receive(.invited(.success([mia]))) {
            $0.isLoading = false
            ($0.name, $0.recipient) = ("", "")
            $0.invitations = [mia]
        }
    }

    @Test func invitedNationalNumberUsesTheChosenCountry() async {
        let store = store(.init(name: "Mia", recipient: "020 7183 8750")) { [mia] in
            $0.invite = { _, recipient, _ in
                #expect(recipient.digits == "+4402071838750")
                return mia
            }
            $0.invitations = { [mia] }
        }
        store.exhaustivity = .off
        await store.send(.otherCountryButtonTapped) { $0.showsAllCountries = true }
        await store.send(.countryChosen(PhoneCountry("GB"))) { $0.country = PhoneCountry("GB") }
        await store.send(.inviteButtonTapped)
        await store.receive(.invited(.success([mia])))
    }

    /// A guest gets one message, so a mistyped number can't be corrected later.
    @Test func onlyTheSameNumberIsConfirmedByAnotherPress() async {
        let answers = Calls<Bool>([])
        let question = UserFacingError(
            title: "", message: "", recoverySuggestion: "", code: UserFacingError.numberInDoubt)
        let store = store(.init(name: "Mia", recipient: "+442071838751")) { [mia] in
            $0.invite = { _, _, isConfirmed in
                answers.withValue { $0.append(isConfirmed) }
                guard isConfirmed else { throw question }
                return mia
            }
            $0.invitations = { [mia] }
        }
        store.exhaustivity = .off
        await store.send(.inviteButtonTapped)
        await store.receive(.invited(.failure(question)))
        await store.send(.recipientChanged("+442071838750"))
        await store.send(.inviteButtonTapped)
        await store.receive(.invited(.failure(question)))
        await store.send(.countryChosen(PhoneCountry("GB")))
        await store.send(.inviteButtonTapped)
        await store.receive(.invited(.failure(question)))
        await store.send(.inviteButtonTapped)
        await store.receive(.invited(.success([mia])))
        #expect(answers.value == [false, false, false, true])
    }

    @Test func missingNameShowsAnError() async {
        let store = store(.init(recipient: "+442071838750"))
        store.exhaustivity = .off
        await store.send(.inviteButtonTapped)
        #expect(store.state.error?.fieldWords?.contains("the person whom you invite") == true)
        #expect(store.state.isNameRefused)
    }

    @Test func personIsInvitedByAddress() async {
        let store = store(.init(name: "Mia", recipient: " mia@Example.org")) { [mia] in
            $0.invite = { _, recipient, _ in
                #expect(recipient.address?.text == "mia@example.org")
                return mia
            }
            $0.invitations = { [mia] }
        }
        store.exhaustivity = .off
        await store.send(.inviteButtonTapped)
        await store.receive(.invited(.success([mia])))
    }

    @Test(arguments: [
        ("Mia", "12"), ("Mia", "mia@example"), ("Mia 24", "+442071838750"),
        ("", "+442071838750"), ("Mia", ""),
    ])
    func invalidInvitationIsNotSent(name: String, number: String) async {
        let store = store(.init(name: name, recipient: number))
        store.exhaustivity = .off
        await store.send(.inviteButtonTapped)
        #expect(store.state.error?.fieldWords != nil && !store.state.isLoading)
        #expect(store.state.isNameRefused == (name != "Mia"))
        await store.send(.dismissError) { $0.error = nil }
    }

    @Test func refusalKeepsTheTypedInvitation() async {
        let state = InvitationsFeature.State(name: "Mia", recipient: "+442071838750")
        let store = store(state) { $0.invite = { _, _, _ in throw UserFacingError.unavailable } }
        await store.send(.inviteButtonTapped) { $0.isLoading = true }
        await store.receive(.invited(.failure(.unavailable))) {
            $0.isLoading = false
            $0.error = .unavailable
        }
    }

    /// A guest gets one message, so the user must not believe that it wasn't sent.
    @Test func decisionHoldsWhenTheListCannotBeLoaded() async {
        let state = InvitationsFeature.State(name: "Mia", recipient: "+442071838750")
        let store = store(state) { [mia] in
            $0.invite = { _, _, _ in mia }
            $0.withdraw = { _ in }
            $0.invitations = { throw UserFacingError.unavailable }
        }
        await store.send(.inviteButtonTapped) { $0.isLoading = true }
        await store.receive(.invited(.success([mia]))) {
            $0.isLoading = false
            ($0.name, $0.recipient) = ("", "")
            $0.invitations = [mia]
        }
        await store.send(.withdrawButtonTapped(mia.id)) { $0.isLoading = true }
        await store.receive(.withdrawn(.success([]))) {
            $0.isLoading = false
            $0.invitations = []
        }
    }

    @Test func invitationCanBeWithdrawn() async {
        let store = store(.init(invitations: [mia])) { [mia] in
            $0.withdraw = { #expect($0 == mia.id) }
            $0.invitations = { [] }
        }
        await store.send(.withdrawButtonTapped(mia.id)) { $0.isLoading = true }
        await store.receive(.withdrawn(.success([]))) {
            $0.isLoading = false
            $0.invitations = []
        }
    }
}
