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
        guard let about = try await database.read({ try $0.call(token) }) else { return .isOver }
        try await enterSeen(token, declines: false)
        do {
            _ = try await acknowledgeAlert(
                about.alert, by: Caller(userID: UserID(token.person), sessionID: Self.phone))
        } catch CommandError.notFound {
            return .isOver
        }
        return try await database.read { try subject(of: token, in: $0) }
    }

    /// "I can't", by a key: this person is not called about the alert again.
    public func decline(byCall text: String) async throws {
        let token = try callToken(text)
        try await enterSeen(token, declines: true)
    }

    /// Enters what became of a call. A call that was answered with a key stays answered. The same
    /// report again changes nothing.
    public func enterCallReport(_ report: ProviderReport, _ text: String) async throws {
        let token = try callToken(text)
        let person = UserID(token.person)
        try await database.write(about: Subjects([person], isRepeatable: true)) {
            _ = try $0.reportDelivery(
                DeliveryID(token.delivery), of: person, attempt: token.attempt, report)
        }
    }

    /// Stands for the session of somebody who answers by phone.
    private static let phone = SessionID(
        UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))

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
        guard let about = try connection.call(token),
            let alert = try connection.alert(about.alert, visibleTo: person), alert.isOpen,
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

    /// A key was pressed, so a person has heard it.
    private func enterSeen(_ token: CallToken, declines: Bool) async throws {
        let (person, id) = (UserID(token.person), DeliveryID(token.delivery))
        try await database.write(about: Subjects([person], isRepeatable: true)) { transaction in
            _ = try transaction.reportDelivery(
                id, of: person, attempt: nil,
                ProviderReport(state: .seen, reason: declines ? .declined : nil))
            guard declines, let about = try transaction.call(token) else { return }
            try transaction.supersedeCalls(
                ofAlert: about.alert, owner: about.owner, to: person, reason: .declined)
        }
    }
}

extension SQLConnection {
    fileprivate func call(_ token: CallToken) throws -> (owner: UserID, alert: AlertID)? {
        try alertOfCall(DeliveryID(token.delivery), to: UserID(token.person))
    }
}
