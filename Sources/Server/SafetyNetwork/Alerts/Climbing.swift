import Domain
import Foundation
import Persistence

/// The steps of an alert's escalation (`Ladder`) that depend on people's actions and on calls.
public struct Climbing: Commands {
    public let core: Core
    let responding: Responding
    let drills: Drills

    /// Records that a responder opened the alert. The server then sends them no more SMS and calls
    /// about it. Fetching an alert doesn't have this effect, because programs fetch alerts too.
    /// Throws `notFound` for an alert that the caller can't see.
    public func markAlertOpened(_ id: AlertID, by caller: Caller) async throws {
        try await database.write(about: Subjects([caller.userID], isRepeatable: true)) {
            transaction in
            guard let alert = try transaction.alert(id, watchedBy: caller.userID) else {
                guard try transaction.alert(id, of: caller.userID) != nil else {
                    throw CommandError.noSuchAlert
                }
                return
            }
            try transaction.markOpened(
                AlertKey(owner: alert.userID, id: alert.id), by: caller.userID)
        }
    }

    func startCalls(about alert: inout AlertRow, in transaction: Transaction) throws {
        let key = AlertKey(owner: alert.userID, id: alert.id)
        guard alert.callDue != nil else {
            alert.nextCallAt = nil
            try transaction.withdrawSteps(from: .call, about: key, reason: .takenOn)
            return try transaction.saveNextCall(of: alert)
        }
        var calls = try transaction.calls(about: alert)
        // The oldest waiting call gives the round. A responder who joins later starts no other
        // round.
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
        let turn = try turn(
            of: calls.open, order: try transaction.responderIDs(of: alert.userID), in: transaction)
        try transaction.start(turn.calls)
        alert.nextCallAt = turn.nextLook
        try transaction.saveNextCall(of: alert)
    }

    /// Records how a call ended. Ignores a call that is unknown or has a result. Without a result,
    /// a call delays the next ones by `Ladder.callPatience`.
    /// - Parameters:
    ///   - user: the person who was called.
    ///   - attempt: the attempt that ended; nil for any.
    /// - Returns: true if it is the call's first result.
    @discardableResult
    public func endCall(
        _ delivery: DeliveryID, to user: UserID, attempt: Int? = nil, _ outcome: CallOutcome
    ) async throws -> Bool {
        guard
            let alert = try await database.read({ try $0.alert(ofDelivery: delivery, of: user) })
        else { return try await drills.endDrillCall(delivery, to: user, attempt: attempt, outcome) }
        let answeredAt = now()
        do {
            switch outcome {
            case .takesOn: try await responding.acknowledgeAlert(alert.id, by: user, over: .voice)
            case .declines: try await responding.declineAlert(alert.id, by: user, over: .voice)
            case .comesLate, .unanswered: break
            }
        } catch is CommandError {
            // The person isn't a responder, so the key press has no effect.
        }
        return try await database.write(about: Subjects([alert.owner, user], isRepeatable: true)) {
            transaction -> Bool in
            let row = try transaction.alert(alert, visibleTo: user)
            let isTheirs = row?.acknowledgedBy == user
            let outcome = outcome == .takesOn && !isTheirs ? .comesLate : outcome
            if outcome == .declines {
                // Withdraws only steps from before the answer. If everyone has refused, the answer
                // has started a new round, whose steps must stay.
                try transaction.withdrawSteps(
                    about: alert, for: [user], until: answeredAt.adding(.milliseconds(-1)),
                    reason: .declined)
            }
            if [.takesOn, .comesLate, .declines].contains(outcome) {
                try transaction.prove(delivery, of: user)
            }
            guard try transaction.endCall(delivery, to: user, attempt: attempt, outcome)
            else { return false }
            try transaction.hurryCalls(about: alert)
            return true
        }
    }
}

extension Commands {
    /// Returns the calls to start now, and when to decide again. On a shared database, locks the
    /// people to call and decides again, because another server may have started a call to them.
    /// If another transaction has locked a person, their call waits for
    /// `Ladder.pauseForOtherServer` and keeps its place, because the lock is seldom about a call.
    func turn(
        of calls: [Ladder.Call], order: [UserID], in transaction: Transaction
    ) throws -> Ladder.Turn {
        let decide = {
            Ladder.turn(
                of: calls, order: order, busy: try transaction.busyPhones(of: calls),
                at: transaction.now)
        }
        let first = try decide()
        guard database.isShared, !first.calls.isEmpty else { return first }
        let locked = try transaction.tryLock(first.calls.map(\.person))
        var turn = try decide()
        let count = turn.calls.count
        turn.calls.removeAll { !locked.contains($0.person) }
        if turn.calls.count < count {
            let later = transaction.now.adding(Ladder.pauseForOtherServer)
            turn.nextLook = min(turn.nextLook ?? later, later)
        }
        return turn
    }

    /// Supersedes the alert's unsent messages, because newer messages follow. Brings forward the
    /// calls about other alerts to people whose call is withdrawn before it was made.
    /// - Parameter recipients: nil for everyone.
    func supersede(
        _ alert: AlertRow, for recipients: [UserID]? = nil, in transaction: Transaction
    ) throws {
        let canCall = availableChannels.contains(.voice)
        let calls = canCall ? try transaction.calls(about: alert).open : []
        try transaction.supersede(alert, for: recipients)
        try transaction.hurryCalls(to: Set(calls.filter { $0.state != .waiting }.map(\.person)))
    }

    func firstCall(after now: Date) -> Date? {
        availableChannels.contains(.voice) ? now.adding(Ladder.callsAfter) : nil
    }
}
