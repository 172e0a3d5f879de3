import ComposableArchitecture
import Domain
import Foundation
import LivePages

/// The question about an alert that was still unsent when its session ended.
struct AlertQuestion<State, Action: Sendable>: Sendable {
    /// The user's answer; nil until they have answered.
    var answer: @Sendable (AlertID, State) -> Bool?
    var ask: @Sendable (_ id: AlertID, _ raisedAt: Date) -> Action
}

enum AlertDecision: Equatable, Sendable { case send, wait, giveUp }

extension PageSession {
    /// The tolerance for the page's clock. A page that loaded slowly overestimates how far its
    /// clock is ahead, by up to its loading time. So an alert that seems to be a little older than
    /// the sign-in may be newer, and needs no question.
    static var clockDoubt: Duration { .seconds(60) }

    /// Decides what to do with an alert from the browser's queue. If the alert is older than this
    /// sign-in, its session ended before the alert was sent, so the user is asked first.
    func decide(
        onAlert id: AlertID, raisedAt: Date,
        asking question: AlertQuestion<Feature.State, Feature.Action>?
    ) -> AlertDecision {
        guard let question, let signedInAt, raisedAt < signedInAt.adding(.zero - Self.clockDoubt),
            let answer = withState({ question.answer(id, $0) })
        else { return .send }
        switch answer {
        case true?: return .send
        case false?: return .giveUp
        case nil:
            send(question.ask(id, raisedAt))
            render()
            return .wait
        }
    }
}
