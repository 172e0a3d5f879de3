import ComposableArchitecture
import Domain
import Foundation
import LivePages

/// A question about an alert that waited when its session was ended elsewhere.
struct AlertQuestion<State, Action: Sendable>: Sendable {
    /// The person's answer; nil before there is one.
    var answer: @Sendable (AlertID, State) -> Bool?
    var ask: @Sendable (_ id: AlertID, _ raisedAt: Date) -> Action
}

enum AlertDecision: Equatable, Sendable { case send, wait, giveUp }

extension PageSession {
    /// A page that came slowly takes its clock for fast by as much. An alert of so short a time
    /// before the sign-in has just happened, and needs no question.
    static var clockDoubt: Duration { .seconds(60) }

    /// Decides about an alert that the browser has kept. One from before this sign-in was not sent
    /// when its session ended: the person is asked first.
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
