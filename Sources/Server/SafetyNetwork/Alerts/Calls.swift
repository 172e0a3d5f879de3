import Cryptography
import Domain
import Foundation
import Persistence

/// The state of an alert, as a call about it says it.
public enum CallSubject: Equatable, Sendable {
    /// - Parameters:
    ///   - name: of the person who needs help.
    ///   - since: how long the alert has been on.
    case needsHelp(name: String, AlertKind, since: Duration)
    /// The one who is called has taken it on.
    case isYours(name: String)
    /// Somebody else has.
    case isTaken(name: String)
    /// It is over, or no business of the one who is called any more.
    case isOver
    /// A drill of this person asks the one who is called.
    case drill(name: String)
    /// They have said "Got it".
    case isConfirmed
    case drillIsOver
}

/// A phone call about an alert: the one who is called can take the alert on, or say that they
/// can't, with a key.
extension SafetyNetwork {
    /// The subject of a call. Throws `permissionDenied` for a token that is not of this server, or
    /// old.
    public func call(_ token: String) async throws -> CallSubject {
        let token = try callToken(token)
        return try await database.read { try subject(of: token, in: $0) }
    }

    /// "I'm on it", by a key: the same as in the app. Returns the state after that.
    public func takeOn(byCall text: String) async throws -> CallSubject {
        let token = try callToken(text)
        try await end(token, .takesOn)
        return try await database.read { try subject(of: token, in: $0) }
    }

    /// "I can't", by a key: this person is not called again in this round.
    public func decline(byCall text: String) async throws {
        try await end(try callToken(text), .declines)
    }

    /// Enters that a call has ended without a key, with the reason. A call that was answered with
    /// a key stays answered. The same report again changes nothing.
    public func enterUnansweredCall(_ reason: DeliveryReason, _ text: String) async throws {
        let token = try callToken(text)
        try await end(token, attempt: token.attempt, .unanswered(reason))
    }

    private func end(
        _ token: CallToken, attempt: Int? = nil, _ outcome: CallOutcome
    ) async throws {
        try await endCall(
            DeliveryID(token.delivery), to: UserID(token.person), attempt: attempt, outcome)
    }

    private func callToken(_ text: String) throws(CommandError) -> CallToken {
        guard let token = CallToken(text, key: key), now() < token.expiresAt else {
            throw .permissionDenied("This call is over.")
        }
        return token
    }

    private func subject(
        of token: CallToken, in connection: any SQLConnection
    ) throws -> CallSubject {
        let person = UserID(token.person)
        let delivery = DeliveryID(token.delivery)
        if let question = try connection.drillQuestion(ofDelivery: delivery, to: person) {
            guard question.answeredAt == nil else { return .isConfirmed }
            return question.isOpen(at: connection.now)
                ? .drill(name: question.name) : .drillIsOver
        }
        guard let about = try connection.alert(of: token),
            let alert = try connection.alert(about.id, visibleTo: person), alert.isOpen,
            let owner = try connection.user(alert.userID)
        else { return .isOver }
        let name = owner.displayName
        switch alert.acknowledgedBy {
        case person: return .isYours(name: name)
        case .some: return .isTaken(name: name)
        case nil:
            return .needsHelp(
                name: name, alert.kind, since: connection.now.since(alert.startedAt))
        }
    }
}

extension SQLConnection {
    fileprivate func alert(of token: CallToken) throws -> AlertKey? {
        try alert(ofDelivery: DeliveryID(token.delivery), of: UserID(token.person))
    }
}
