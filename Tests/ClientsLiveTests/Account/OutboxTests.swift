import Clients
import Domain
import Foundation
import Testing

@testable import ClientsLive

@Suite struct OutboxTests {
    private let alert = QueuedEntry(
        id: UUID(), position: 3, action: .raiseAlert(id(3)), createdAt: noon)
    private let ping = QueuedEntry(
        id: UUID(), position: 1, action: .clearPing(id(2)), createdAt: noon)

    /// Returns the actions that are sent without a question, and the question about the held
    /// alerts.
    private func restored(
        heldUntil time: Date?, isSignIn: Bool, for account: isolated Account
    ) async -> (active: [WaitingAction.Kind], question: UnsentAlert?) {
        let outbox = Outbox(file: nil)
        outbox.restore(QueueContents(entries: [ping, alert]))
        #expect(outbox.active == outbox.entries && outbox.entries == [ping, alert])
        await outbox.takeUpHeld([alert.id: time], isSignIn: isSignIn, for: account)
        return (outbox.active.map(\.action.kind), outbox.unsentAlert)
    }

    @Test func heldAlertWaitsForTheAnswer() async {
        let (active, question) = await restored(
            heldUntil: nil, isSignIn: true, for: .unreachable())
        #expect(active == [.clearPing])
        #expect(
            question
                == UnsentAlert(raisedAt: noon, sendsAt: noon.adding(UnsentAlert.timeToAnswer)))
    }

    @Test func heldAlertIsSentAfterItsTime() async {
        for (time, expected) in [(noon, [.clearPing, .raiseAlert]), (noon + 1, [.clearPing])]
            as [(Date, [WaitingAction.Kind])]
        {
            let (active, question) = await restored(
                heldUntil: time, isSignIn: false, for: .unreachable())
            #expect(active == expected)
            #expect((question == nil) == expected.contains(.raiseAlert))
        }
    }

    @Test func signInBeginsTheTimeToAnswerAgain() async {
        let (active, question) = await restored(
            heldUntil: noon, isSignIn: true, for: .unreachable())
        #expect(active == [.clearPing])
        #expect(question?.sendsAt == noon.adding(UnsentAlert.timeToAnswer))
    }

    /// The device's clock was set back.
    @Test func heldAlertWaitsNoLongerThanTheTimeToAnswer() async {
        let (_, question) = await restored(
            heldUntil: noon.adding(.hours(1)), isSignIn: false, for: .unreachable())
        #expect(question?.sendsAt == noon.adding(UnsentAlert.timeToAnswer))
    }

    /// The answer to an earlier request was lost. There is no queue, as in a web session.
    @Test func alertThatIsGoneHasEnded() async throws {
        let account = Account.answering(.stage(1)) { _, _ in try .problem(.notFound) }
        #expect(try await account.submit(.endAlert(id(3))) == .done)
        await #expect(throws: UserFacingError.self) {
            _ = try await account.submit(.raiseAlert(id(4)))
        }
    }

    @Test func actionWithoutFileFailsAtOnce() async {
        let account = Account.unreachable()
        await #expect(throws: UserFacingError.self) {
            _ = try await account.submit(.clearPing(id(2)))
        }
        #expect(await account.entries.isEmpty)
        #expect(await account.waitingCallers == 0)
    }
}

extension Account {
    static func unreachable() -> Account {
        answering(nil) { _, _ in throw ClientFailure.unreachable(.offline) }
    }

    static func answering(
        _ tokens: SessionTokens?, _ rule: @escaping FakeTransport.Rule
    ) -> Account {
        let clock = EagerClock()
        return Account(
            userID: id(1),
            connection: Connection(
                transport: FakeTransport(rule), store: MemoryTokenStore(tokens),
                clock: clock.client, random: { 0 }),
            environment: ClientEnvironment(
                clock: clock.client, now: { noon }, makeID: { UUID() }, random: { 0 }),
            options: Account.Options(limits: .session))
    }
}
