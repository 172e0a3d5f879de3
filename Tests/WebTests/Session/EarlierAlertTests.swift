import ComposableArchitecture
import Domain
import Foundation
import Synchronization
import Testing

@testable import LivePages
@testable import Web

@Suite struct EarlierAlertTests {
    private let host = TestHost()
    private let alert = AlertID(UUID())

    private func question(_ answer: Bool?) -> AlertQuestion<Visits.State, Visits.Action> {
        AlertQuestion(answer: { _, _ in answer }, ask: { _, _ in .opened(true) })
    }

    private func session() async -> WebSession<Visits> {
        let session = WebSession(
            app: host.app(), backend: host.backend, resources: host.resources())
        await session.start()
        return session
    }

    private func signIn(_ session: WebSession<Visits>) async {
        session.resources.credentials.save(.some(of: TestHost.ada))
        await session.render()
    }

    /// The page asks only about an alert that was raised before this sign-in. It doesn't ask while
    /// the session is the same.
    @Test func asksOnlyAboutAlertBeforeSignIn() async {
        let (session, asking) = (await session(), question(nil))
        let now = host.backend.clock.time()
        let doubt = WebSession<Visits>.clockDoubt
        let before = now.adding(.milliseconds(-1) - doubt)
        #expect(await session.decide(onAlert: alert, raisedAt: before, asking: asking) == .send)
        await signIn(session)
        let later = now.adding(.zero - doubt)
        #expect(await session.decide(onAlert: alert, raisedAt: later, asking: asking) == .send)
        #expect(await session.outline.path == "/")
        #expect(await session.decide(onAlert: alert, raisedAt: before, asking: asking) == .wait)
        #expect(await session.outline.path == "/sheet", "The person is asked.")
    }

    @Test(arguments: [(true, AlertDecision.send), (false, .giveUp)])
    func answerDecidesAboutEarlierAlert(answer: Bool, decision: AlertDecision) async {
        let session = await session()
        await signIn(session)
        let before = host.backend.clock.time().addingTimeInterval(-61)
        let asking = question(answer)
        #expect(
            await session.decide(onAlert: alert, raisedAt: before, asking: asking) == decision)
    }
}
