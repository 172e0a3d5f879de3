import Domain
import Foundation
import Persistence

/// The ladder of an alert (`Ladder`): acts of people, and calls.
extension SafetyNetwork {
    /// The time to decide about the first calls of a round; nil when nobody can be called.
    func firstCall(after now: Date) -> Date? {
        options.isVoiceAvailable ? now.adding(Ladder.callsAfter) : nil
    }

    /// The caller has opened the alert. Reading it proves nothing: programs read as well. Their own
    /// ladder ends; the others' goes on. Throws `notFound` for an alert that they can't see.
    public func markAlertOpened(_ id: AlertID, by caller: Caller) async throws {
        try await database.write(about: Subjects([caller.userID], isRepeatable: true)) {
            transaction in
            guard let alert = try transaction.alert(id, visibleTo: caller.userID) else {
                throw Self.noSuchAlert
            }
            guard alert.userID != caller.userID else { return }
            try transaction.markOpened(
                AlertKey(owner: alert.userID, id: alert.id), by: caller.userID)
        }
    }

    /// Lets the calls begin whose turn it is.
    func startCalls(about alert: inout AlertRow, in transaction: Transaction) throws {
        let key = AlertKey(owner: alert.userID, id: alert.id)
        guard alert.callDue != nil else {
            alert.nextCallAt = nil
            try transaction.withdrawSteps(from: .call, about: key, reason: .takenOn)
            return try transaction.saveNextCall(of: alert)
        }
        var calls = try transaction.calls(about: alert)
        // A responder who joined in the middle of a round does not begin another one.
        let round =
            calls.open.filter { $0.state == .waiting }.map(\.createdAt).min() ?? transaction.now
        let mayCallAgain = Ladder.mayCallAgain(
            round: round, start: alert.escalationFrom,
            last: calls.rounds.filter { $0 < round }.max(),
            answer: try transaction.lastAnswer(to: alert, until: round))
        if !mayCallAgain {
            let again = calls.open.filter { $0.state == .waiting && $0.earlierCalls > 0 }
            try transaction.withdrawSteps(
                from: .call, about: key, for: again.map(\.person), reason: DeliveryReason(.storm))
            calls.open.removeAll(where: again.contains)
        }
        let turn = Ladder.turn(
            of: calls.open,
            order: try transaction.responderIDs(of: alert.userID), at: transaction.now)
        try transaction.start(turn.calls)
        alert.nextCallAt = turn.nextLook
        try transaction.saveNextCall(of: alert)
    }

    /// Enters how a call ended, by our name for it. Whoever carries calls asks this once for each
    /// call that was accepted; a call without a result holds up the next ones for
    /// `Ladder.callPatience`. Nothing happens for a call that is unknown or has a result.
    /// - Parameters:
    ///   - user: the person who was called.
    ///   - attempt: the try that the outcome is about; nil if that does not matter.
    public func endCall(
        _ delivery: DeliveryID, to user: UserID, attempt: Int? = nil, _ outcome: CallOutcome
    ) async throws {
        guard
            let alert = try await database.read({ try $0.alert(ofDelivery: delivery, of: user) })
        else { return try await endDrillCall(delivery, to: user, attempt: attempt, outcome) }
        do {
            switch outcome {
            case .takesOn: try await acknowledgeAlert(alert.id, by: user, over: .voice)
            case .declines: try await declineAlert(alert.id, by: user, over: .voice)
            case .comesLate, .unanswered: break
            }
        } catch is CommandError {
            // They are no responder any more.
        }
        try await database.write(about: Subjects([alert.owner, user], isRepeatable: true)) {
            transaction in
            let row = try transaction.alert(alert.id, visibleTo: user)
            let isTheirs = row?.acknowledgedBy == user
            let outcome = outcome == .takesOn && !isTheirs ? .comesLate : outcome
            if outcome == .declines {
                try transaction.withdrawSteps(about: alert, for: [user], reason: .declined)
            }
            if [.takesOn, .comesLate, .declines].contains(outcome) {
                try transaction.prove(delivery, of: user)
            }
            guard try transaction.endCall(delivery, to: user, attempt: attempt, outcome)
            else { return }
            try transaction.hurryCalls(about: alert)
        }
    }
}
