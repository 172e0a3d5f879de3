import Domain
import Foundation
import Testing

@testable import CommandLine

@Suite struct InvitationTests {
    private let toNumber = Invitation(
        id: InvitationID(UUID()), name: "Mia", phoneNumber: "+4915112345678", state: .pending,
        createdAt: Examples.now)

    @Test(arguments: [
        ("+4915112345678", true), ("+49 151 1234-5678", true), ("004915112345678", true),
        ("015112345678", true), ("0151 12345678", true), ("345678", true), ("45678", false),
        ("015112345679", false), ("+15112345678", false), ("Mia", false), ("", false),
    ])
    func numberIsFoundAsItWasTyped(typed: String, isFound: Bool) {
        #expect(toNumber.isTo(typed) == isFound)
    }

    @Test func noTellsHowToInviteTheNextHolder() {
        #expect(!Invite.Send.lines(about: toNumber).joined().contains("withdraw"))
        var declined = toNumber
        declined.state = .declined
        #expect(
            Invite.Send.lines(about: declined) == [
                "Mia has said no. No message was sent.",
                """
                If someone else has the number or address now, take the invitation back and \
                invite them.
                """,
                "To take it back: lifesignal invite withdraw +4915112345678",
            ])
    }

    @Test func listTellsWhatToDoWithoutAnAnswer() {
        let pending = Invite.List.lines(about: [toNumber], Examples.words)
        #expect(pending.count == 2)
        #expect(pending.last?.hasPrefix("LifeSignal does not show whether") == true)
        var accepted = toNumber
        accepted.state = .accepted
        #expect(Invite.List.lines(about: [accepted], Examples.words).count == 1)
        #expect(Invite.List.lines(about: [], Examples.words) == ["None."])
    }

    @Test func addressIsFound() throws {
        let toAddress = Invitation(
            id: InvitationID(UUID()), name: "Mia",
            recipient: .address(try EmailAddress("mia@example.org")), createdAt: Examples.now)
        #expect(toAddress.isTo("mia@example.org"))
        #expect(!toAddress.isTo("ben@example.org") && !toAddress.isTo("015112345678"))
    }
}
