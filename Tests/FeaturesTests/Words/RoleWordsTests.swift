import Domain
import Foundation
import Testing

@testable import Features

@Suite struct RoleWordsTests {
    private func asking(_ role: ContactRole, isMine: Bool) throws -> ContactData {
        var ben = try Fixture.contact(Fixture.ben, "Ben", isResponder: true)
        ben.requests = [RoleRequest(role: role, isMine: isMine, requestedAt: Fixture.now)]
        return ben
    }

    @Test func requestTextsSayWhoShouldAnswer() throws {
        let mine = try asking(.responder, isMine: true)
        let theirs = try asking(.responder, isMine: false)
        #expect(mine.responderWords == "You asked them to be your responder")
        #expect(theirs.responderWords == "Asks to be your responder")
        let none = try Fixture.contact(Fixture.cleo, "Cleo", isResponder: true)
        #expect(none.responderWords == "Is told when you need help")
        #expect(none.dependentRequestWords == nil)
        let dependent = try asking(.dependent, isMine: true)
        #expect(dependent.dependentRequestWords == "You asked to be their responder")
        #expect(mine.requests.map(\.words) == ["Not accepted yet"])
        #expect(theirs.requests.map(\.tone) == [.warning])
    }

    @Test func unacceptedRoleHintSaysSo() throws {
        var state = ContactDetailsSheetViewFeature.State()
        state.contact = try asking(.dependent, isMine: true)
        #expect(state.roleHint(.responder) == "Is told when I need help.")
        #expect(
            state.roleHint(.dependent)
                == "I am told when they need help. Ben has not accepted yet.")
        state.contact = try asking(.dependent, isMine: false)
        #expect(state.roleHint(.dependent) == "I am told when they need help.")
    }

    @Test func onlyTheRoleThatAGuestHasCanChange() throws {
        var state = ContactDetailsSheetViewFeature.State()
        state.contact = try Fixture.contact(Fixture.ben, "Ben", isResponder: true)
        #expect(state.canChange(.responder) && state.canChange(.dependent))
        state.contact?.isGuest = true
        #expect(state.canChange(.responder) && !state.canChange(.dependent))
        #expect(state.roleHint(.responder) == "Is told when I need help.")
        #expect(
            state.roleHint(.dependent) == """
                I am told when they need help. Ben has no account, and can’t accept a request.
                """)
    }

    @Test func additionHasOneOfTwoResults() {
        var alerts = RespondersFeature.State.AlertState()
        #expect(alerts.words == nil)
        alerts.contactExists = true
        #expect(alerts.words?.hasPrefix("You are contacts already") == true)
        alerts.contactAdded = true
        #expect(alerts.words?.hasPrefix("The contact was added") == true)
    }

    @Test func additionTextNamesTheMissingAnswer() throws {
        func words(_ contact: ContactData) -> (String?, Bool) {
            var alerts = RespondersFeature.State.AlertState(contactAdded: true)
            alerts.addedContact = contact
            return (alerts.words, alerts.isAdditionComplete)
        }
        let dependent = try Fixture.contact(Fixture.ben, "Ben", isDependent: true)
        #expect(
            words(dependent) == ("The contact was added. You are told when Ben needs help.", true))
        var both = dependent
        both.requests = [RoleRequest(role: .responder, isMine: true, requestedAt: Fixture.now)]
        #expect(
            words(both)
                == (
                    """
                    The contact was added. You are told when Ben needs help. Ben has not accepted \
                    yet to be your responder.
                    """, false
                ))
        var asked = both
        asked.isDependent = false
        #expect(
            words(asked)
                == ("You asked Ben to be your responder. They have not accepted yet.", false))
    }

    @Test func silentPingTextExplainsTheMissingDevice() throws {
        var ben = try Fixture.contact(Fixture.ben, "Ben", isDependent: true)
        #expect(ben.silentPingWords == nil && ben.pingedWords == "Pinged")
        ben.hearsPings = true
        #expect(ben.silentPingWords == nil && ben.pingedWords == "Pinged")
        ben.hearsPings = false
        #expect(ben.silentPingWords?.contains("Ben sees one only after opening LifeSignal") == true)
        #expect(ben.pingedWords == "Ping left in LifeSignal")
    }
}
