import ComposableArchitecture
import Domain
import Foundation
import LivePages

/// The question about an alert that was unsent when its session ended.
struct AlertQuestion<State, Action: Sendable>: Sendable {
    /// The user's answer; nil until they have answered.
    var answer: @Sendable (AlertID, State) -> Bool?
    var ask: @Sendable (_ id: AlertID, _ raisedAt: Date) -> Action
}

enum AlertDecision: Equatable, Sendable { case send, wait, giveUp }

extension PageSession {
    /// The tolerance for the page's clock. A page that loads slowly overestimates, by up to its
    /// loading time, how far its clock is ahead. An alert that seems a little older than the
    /// sign-in may be newer, and needs no question.
    static var clockDoubt: Duration { .seconds(60) }

    /// Decides what to do with an alert from the browser's queue. An alert older than this sign-in
    /// belongs to an earlier session, so the user is asked first.
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
