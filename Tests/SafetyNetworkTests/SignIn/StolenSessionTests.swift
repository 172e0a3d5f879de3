import Domain
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

/// What a thief with one session of an account leaves behind when the owner ends that session.
@Suite struct StolenSessionTests {
    private let server: TestServer
    private let ada: Person
    private let thief: Person
    private let new: PhoneNumber

    init() async throws {
        server = try TestServer()
        ada = try await server.person("Ada")
        thief = try await server.signIn(ada.number, as: "Ada", on: "Tablet")
        new = try PhoneNumber("+493012345678")
        _ = try await server.network.signInLocks.turnOn(of: ada.caller)
    }

    private func changeNumber(by person: Person) async throws {
        let code = try await server.code(for: new)
        _ = try await server.network.phoneNumberChange.changePhoneNumber(
            to: new, code: code, of: person.caller)
        _ = try await server.news(of: ada)
    }

    /// Whether the change waits, and what the owner was told since it began.
    private func state() async throws -> (waits: Bool, news: [String]) {
        let waits = try await server.profile(ada).numberMove != nil
        return (waits, try await server.news(of: ada))
    }

    private var secret: String {
        get throws {
            let link = server.network.accountNews.sessionLink(ada.id, thief.caller.sessionID)
            return try #require(link.fragment)
        }
    }

    @Test func numberChangeEndsWithItsSession() async throws {
        try await changeNumber(by: thief)
        try await server.network.signIn.endSession(thief.caller.sessionID, of: ada.caller)
        let state = try await state()
        #expect(!state.waits && state.news == ["Your phone number stays"])
        server.clock.pass(.days(7))
        #expect(try await server.network.numberMoves.pass() == 0)
        #expect(try await server.profile(ada).phoneNumber == ada.number)
    }

    @Test func numberChangeOutlivesAnotherSession() async throws {
        try await changeNumber(by: ada)
        try await server.network.signIn.endSession(thief.caller.sessionID, of: ada.caller)
        let state = try await state()
        #expect(state.waits && state.news == [])
    }

    @Test func linkInAnEmailEndsTheNumberChange() async throws {
        try await changeNumber(by: thief)
        #expect(try await server.network.accountNews.endLinkedSession(by: secret) == .session)
        let state = try await state()
        #expect(!state.waits)
        #expect(state.news == ["A device was signed out", "Your phone number stays"])
    }

    /// A sign-out leaves the change of an owner who has a new phone, and must not help a thief.
    @Test func linkEndsTheNumberChangeOfASessionThatSignedOut() async throws {
        let news = server.network.accountNews
        try await changeNumber(by: thief)
        try await server.network.signIn.endSession(thief.caller.sessionID, of: thief.caller)
        #expect(try await state().waits)
        #expect(try await news.linkedSession(by: secret) == LinkedSession(changesNumber: true))
        #expect(try await news.endLinkedSession(by: secret) == .numberMove)
        let state = try await state()
        #expect(!state.waits && state.news == ["Your phone number stays"])
        #expect(try await news.linkedSession(by: secret) == nil)
        #expect(try await news.endLinkedSession(by: secret) == nil)
    }

    /// The notification centre offers to end the session after it has signed out, too.
    @Test func ownerEndsTheNumberChangeOfASessionThatSignedOut() async throws {
        let (signIn, session) = (server.network.signIn, thief.caller.sessionID)
        try await changeNumber(by: thief)
        try await signIn.endSession(session, of: thief.caller)
        #expect(try await state().waits)
        try await signIn.endSession(session, of: ada.caller)
        let state = try await state()
        #expect(!state.waits && state.news == ["Your phone number stays"])
        let error = await refusal { try await signIn.endSession(session, of: ada.caller) }
        #expect(error?.isNotFound == true)
    }

    @Test func signedOutSessionEndsNoOtherNumberChange() async throws {
        let (signIn, session) = (server.network.signIn, thief.caller.sessionID)
        try await changeNumber(by: ada)
        try await signIn.endSession(session, of: thief.caller)
        let error = await refusal { try await signIn.endSession(session, of: ada.caller) }
        #expect(error?.isNotFound == true)
        #expect(try await state().waits)
    }

    @Test func reusedTokenEndsTheNumberChange() async throws {
        try await changeNumber(by: thief)
        let second = try await server.network.signIn.refresh(thief.tokens.refreshToken)
        _ = try await server.network.signIn.refresh(second.refreshToken)
        _ = await refusal { try await server.network.signIn.refresh(thief.tokens.refreshToken) }
        let state = try await state()
        #expect(!state.waits)
        #expect(Set(state.news) == ["A session was ended", "Your phone number stays"])
    }

    /// Another device's end of a session doesn't concern an administrator's change.
    @Test func administratorsMoveOutlivesEverySession() async throws {
        _ = try await server.network.numberMoves.move(
            ada.number.text, to: new.text, reason: "Lost the SIM", by: "root")
        try await server.network.signIn.endSession(thief.caller.sessionID, of: ada.caller)
        #expect(try await state().waits)
    }

    // MARK: The end of the sign-in lock

    private func endLock(by person: Person) async throws {
        _ = try await server.network.signInLocks.turnOff(of: person.caller)
        _ = try await server.news(of: ada)
    }

    /// Whether the lock ends, and what the owner was told since.
    private func lockState() async throws -> (ends: Bool, news: [String]) {
        let security = try await server.network.signInLocks.security(of: ada.caller)
        #expect(security.isLocked)
        return (security.lockEndsAt != nil, try await server.news(of: ada))
    }

    @Test func lockStaysOnWhenItsSessionIsEnded() async throws {
        try await endLock(by: thief)
        try await server.network.signIn.endSession(thief.caller.sessionID, of: ada.caller)
        let state = try await lockState()
        #expect(!state.ends && state.news == ["The sign-in lock stays on"])
        server.clock.pass(.days(8))
        #expect(try await server.network.signInLocks.security(of: ada.caller).isLocked)
    }

    @Test func lockEndOutlivesAnotherSession() async throws {
        try await endLock(by: ada)
        try await server.network.signIn.endSession(thief.caller.sessionID, of: ada.caller)
        let state = try await lockState()
        #expect(state.ends && state.news == [])
    }

    /// A later end of the lock is that of the session that began it.
    @Test func lockEndBelongsToItsLastSession() async throws {
        let locks = server.network.signInLocks
        try await endLock(by: thief)
        _ = try await locks.turnOn(of: ada.caller)
        server.clock.pass(.minutes(1))
        try await endLock(by: ada)
        try await server.network.signIn.endSession(thief.caller.sessionID, of: ada.caller)
        #expect(try await lockState().ends)
    }

    @Test func linkKeepsTheLockOfASessionThatSignedOut() async throws {
        let news = server.network.accountNews
        try await endLock(by: thief)
        try await server.network.signIn.endSession(thief.caller.sessionID, of: thief.caller)
        #expect(try await lockState().ends)
        #expect(try await news.linkedSession(by: secret) == LinkedSession())
        #expect(try await news.endLinkedSession(by: secret) == .lockEnd)
        let state = try await lockState()
        #expect(!state.ends && state.news == ["The sign-in lock stays on"])
        #expect(try await news.linkedSession(by: secret) == nil)
        #expect(try await news.endLinkedSession(by: secret) == nil)
    }

    @Test func reusedTokenKeepsTheLock() async throws {
        try await endLock(by: thief)
        let second = try await server.network.signIn.refresh(thief.tokens.refreshToken)
        _ = try await server.network.signIn.refresh(second.refreshToken)
        _ = await refusal { try await server.network.signIn.refresh(thief.tokens.refreshToken) }
        let state = try await lockState()
        #expect(!state.ends)
        #expect(Set(state.news) == ["A session was ended", "The sign-in lock stays on"])
    }
}
