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

    @Test func theAnswersAreShown() throws {
        let pending = invitation("Mia", .pending)
        let state = InvitationsFeature.State(
            invitations: [pending, invitation("Zoe", .accepted), invitation("Kim", .declined)])
        let page = screen { InvitationsFeature.view(state) }
        #expect(page.shows("no answer yet") && page.shows("said yes") && page.shows("said no"))
        #expect(
            try page.press("Take back the invitation of Mia") == .withdrawButtonTapped(pending.id))
    }

    @Test func oneFieldTakesANumberOrAnAddress() {
        let page = screen { InvitationsFeature.view(.init()) }
        #expect(page.shows("Their phone number or e-mail address"))
    }

    @Test func aFailureIsShown() {
        let state = InvitationsFeature.State(
            error: UserFacingError(
                title: "We could not send the invitation", message: "No text messages.",
                recoverySuggestion: "Show your code.", code: "unavailable"))
        #expect(screen { InvitationsFeature.view(state) }.shows("No text messages."))
    }
}
