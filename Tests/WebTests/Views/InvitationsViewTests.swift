import Domain
import Features
import Foundation
import Testing

@testable import LivePages
@testable import Web

@Suite("Invitations, on a page")
struct InvitationsViewTests {
    private func invitation(_ name: String, _ state: Invitation.State) -> Invitation {
        Invitation(
            id: InvitationID(UUID()), name: name, phoneNumber: "+442071838750", state: state,
            createdAt: Sample.now)
    }

    @Test func showsAnswersToInvitations() throws {
        let pending = invitation("Mia", .pending)
        let state = InvitationsFeature.State(
            invitations: [pending, invitation("Zoe", .accepted), invitation("Kim", .declined)])
        let page = screen { InvitationsFeature.view(state) }
        #expect(page.shows("no answer yet") && page.shows("said yes") && page.shows("said no"))
        #expect(page.shows(InvitationsFeature.newHolderWords))
        #expect(page.shows("does not show whether the message arrived"))
        #expect(
            try page.press("Take back the invitation of Mia") == .withdrawButtonTapped(pending.id))
    }

    @Test func oneFieldAcceptsNumberOrAddress() {
        let page = screen { InvitationsFeature.view(.init()) }
        #expect(page.shows("Their phone number or e-mail address"))
    }

    @Test func invitationFormTakesFocusWhenOpened() throws {
        var state = InvitationsFeature.State(country: PhoneCountry("DE"))
        #expect(!screen { InvitationsFeature.view(state) }.markup.contains("data-focus"))
        state.timesOpened = 1
        let small = screen { InvitationsFeature.view(state) }
        #expect(try small.press("Another country") == .otherCountryButtonTapped)
        state.showsAllCountries = true
        let page = screen { InvitationsFeature.view(state) }
        #expect(page.markup.contains("data-focus"))
        #expect(page.shows("As you dial it in Germany"))
        #expect(
            try page.change("Country of the number", to: .text("AT"), "choose")
                == .countryChosen(PhoneCountry("AT")))
    }

    @Test func showsInvitationFailure() {
        let state = InvitationsFeature.State(
            error: UserFacingError(
                title: "We could not send the invitation", message: "No text messages.",
                recoverySuggestion: "Show your code.", code: "unavailable"))
        #expect(screen { InvitationsFeature.view(state) }.shows("No text messages."))
    }

    @Test(arguments: [("invited-name", true), ("invited-number", false)])
    func fieldShowsItsRefusal(id: String, isNameRefused: Bool) {
        var state = InvitationsFeature.State(
            error: UserFacingError(CommandError.invalidArgument(field: "name", "Not this.")))
        state.isNameRefused = isNameRefused
        let markup = screen { InvitationsFeature.view(state) }.markup
        #expect(markup.contains("id=\"\(id)-error\""))
        #expect(markup.matches(of: #/aria-invalid="true"/#).count == 1)
        #expect(!markup.contains("error-card"))
    }
}
