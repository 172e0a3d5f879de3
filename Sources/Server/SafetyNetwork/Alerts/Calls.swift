import Cryptography
import Domain
import Foundation
import Persistence

/// Phone calls about alerts. The recipient answers with a key.
public struct Calls: Commands {
    public let core: Core
    let climbing: Climbing
    let alertRecords: AlertRecords
    let lastCallAnswers: LastCallAnswers
    let reach: Reach

    public func call(_ token: String) async throws -> CallSubject {
        let token = try await callToken(token)
        return try await database.read { try subject(of: token, in: $0) }
    }

    /// Acknowledges the alert, or confirms the drill, after the recipient pressed 1. Returns the
    /// new state.
    public func takeOn(byCall text: String) async throws -> CallSubject {
        let token = try await callToken(text)
        try await end(token, .takesOn)
        return try await database.read { try subject(of: token, in: $0) }
    }

    /// Declines the alert after the recipient pressed 2. The recipient isn't called again in this
    /// round. Returns the new state.
    @discardableResult
    public func decline(byCall text: String) async throws -> CallSubject {
        let token = try await callToken(text)
        try await end(token, .declines)
        return try await database.read { connection -> CallSubject in
            let state = try subject(of: token, in: connection)
            guard case .needsHelp = state, let key = try connection.alert(of: token),
                let alert = try connection.alert(key.id, of: key.owner)
            else { return state }
            let person = UserID(token.person)
            guard try alertRecords.hasRefused(alert, by: person, in: connection) else {
                return .isNotCounted
            }
            if alert.report != nil { return .isDeclined(.noOneNow) }
            let leavesOthers = try !alertRecords.hasEveryoneRefused(alert, in: connection)
            return .isDeclined(leavesOthers ? .others : .noOneIsLeft)
        }
    }

    /// Records why a call ended without a key press. Changes nothing if the recipient did press a
    /// key. Idempotent. Returns true if it is the call's first result.
    @discardableResult
    public func enterUnansweredCall(
        _ reason: DeliveryReason, _ text: String
    ) async throws -> Bool {
        let token = try await callToken(text)
        return try await end(token, attempt: token.attempt, .unanswered(reason))
    }

    @discardableResult
    private func end(
        _ token: CallToken, attempt: Int? = nil, _ outcome: CallOutcome
    ) async throws -> Bool {
        let isLastCall = try await database.read {
            try $0.isLastCall(DeliveryID(token.delivery), to: UserID(token.person))
        }
        if isLastCall { return try await lastCallAnswers.answerCall(token, outcome) }
        return try await climbing.endCall(
            DeliveryID(token.delivery), to: UserID(token.person), attempt: attempt, outcome)
    }

    private func callToken(_ text: String) async throws -> CallToken {
        let token = try await verified { CallToken(text, key: key) }
        guard let token, now() < token.expiresAt else {
            throw CommandError.permissionDenied("This call is over.")
        }
        return token
    }

    private func subject(
        of token: CallToken, in connection: any SQLConnection
    ) throws -> CallSubject {
        let person = UserID(token.person)
        let delivery = DeliveryID(token.delivery)
        if try connection.isLastCall(delivery, to: person) {
            let isPresent = try connection.presentCarrier(of: delivery, to: person) != nil
            for kind in [AlertKind.manual, .missedCheckIn] {
                guard let alert = try connection.openAlert(kind, of: person),
                    isPresent || alert.id == AlertID(delivery.uuid)
                else { continue }
                let told = try reach.counted(
                    connection.audience(of: alert), of: person, in: connection)
                return kind == .manual ? .ownAlert(told) : .missedCheckIn(told)
            }
            guard isPresent else { return .numberHasChanged }
            return try lastCallAnswers.subject(of: person, in: connection)
        }
        if let question = try connection.drillQuestion(ofDelivery: delivery, to: person) {
            let owner = question.ownerID
            if let alert = try connection.newestOpenAlert(of: owner, visibleTo: person) {
                return .alertAfterDrill(name: question.name, alert.kind)
            }
            guard question.answeredAt == nil else { return .isConfirmed }
            return question.isOpen(at: connection.now)
                ? .drill(name: question.name) : .drillIsOver
        }
        if try connection.isDrill(delivery, to: person) { return .drillNoLongerAsks }
        guard let about = try connection.alert(of: token),
            try connection.alert(about.id, of: about.owner) != nil
        else { return .isOver }
        // A former responder doesn't learn whether the alert is on.
        guard let alert = try connection.alert(about, visibleTo: person) else {
            return .noLongerAsked
        }
        guard let owner = try connection.user(alert.userID) else { return .isOver }
        let name = owner.displayName
        guard alert.isOpen else {
            // The end of one alert must not sound like the all-clear.
            return try connection.newestOpenAlert(of: owner.id, visibleTo: person)
                .map { .otherAlert(name: name, $0.kind) } ?? .isOver
        }
        switch alert.acknowledgedBy {
        case person: return .isYours(name: name)
        case .some: return .isTaken(name: name)
        case nil:
            return .needsHelp(
                name: name, alert.kind, since: connection.now.since(alert.startedAt),
                received: alert.lateReceipt.map { connection.now.since($0) },
                deadline: alert.lateDeadline.map { connection.now.since($0) },
                toldLate: alert.toldLate)
        }
    }
}

extension SQLConnection {
    fileprivate func alert(of token: CallToken) throws -> AlertKey? {
        try alert(ofDelivery: DeliveryID(token.delivery), of: UserID(token.person))
    }
}
