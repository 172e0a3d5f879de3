import Cryptography
import Domain
import Foundation
import Persistence

/// An alert as a responder sees it by the link in a message.
public struct GuestAlert: Equatable, Sendable {
    public enum Helper: Equatable, Sendable {
        case nobody
        case you
        case another(name: String)
    }

    /// The name of the person who needs help.
    public var name: String
    public var phoneNumber: PhoneNumber?
    public var kind: AlertKind
    public var startedAt: Date
    /// How long it has been on, or was.
    public var duration: Duration
    public var isOver: Bool
    public var helper: Helper
    /// Those with an account have other ways to leave.
    public var canStop: Bool
}

public enum GuestAnswer: String, Sendable {
    case onIt = "on-it"
    case cannot = "cannot"
    /// They are no responder any more.
    case stop = "stop"
}

extension SafetyNetwork {
    /// How long links stay valid after the end of their alert.
    static let guestLinkLifetime: Duration = .days(1)

    /// The address of the page about an alert for one person.
    /// - Parameter channel: SMS or e-mail, which a press on the page proves.
    public func alertLink(
        to person: UserID, _ alert: AlertID, in channel: DeliveryChannel
    ) -> URL {
        link(channel == .email ? .mailedAlert : .alert, person.uuid, alert.uuid)
    }

    /// The token of a link, and the channel that brought it.
    private func alertToken(_ secret: String) -> (token: LinkToken, channel: DeliveryChannel)? {
        if let token = LinkToken(secret, .alert, key: key) { return (token, .sms) }
        return LinkToken(secret, .mailedAlert, key: key).map { ($0, .email) }
    }

    /// The alert behind a link; nil for a link that is not, or no longer, good. Changes nothing.
    public func guestAlert(by secret: String) async throws -> GuestAlert? {
        guard let (token, _) = alertToken(secret) else { return nil }
        return try await database.read { connection in
            let alert = try self.alert(of: token, in: connection)
            return try alert.flatMap { try guestAlert($0, UserID(token.owner), in: connection) }
        }
    }

    /// The alert that a link leads to: its own, or after the end of that an open one of the same
    /// person, because of alerts in quick succession some have no message (`StormRules`).
    private func alert(of token: LinkToken, in connection: any SQLConnection) throws -> AlertRow? {
        let person = UserID(token.owner)
        guard let alert = try connection.alert(AlertID(token.subject), visibleTo: person) else {
            return nil
        }
        guard let end = alert.endedAt else { return alert }
        guard connection.now < end.adding(Self.guestLinkLifetime) else { return nil }
        let open = try connection.openAlerts(of: alert.userID).filter {
            try connection.alert($0.id, visibleTo: person) != nil
        }
        return open.max { $0.startedAt < $1.startedAt } ?? alert
    }

    /// Enters what the person says on the page. Returns the alert after that; nil for a link that
    /// is not good, or when they are no responder any more.
    public func answerAlert(by secret: String, _ answer: GuestAnswer) async throws -> GuestAlert? {
        guard let (token, channel) = alertToken(secret) else { return nil }
        let person = UserID(token.owner)
        guard let alert = try await database.read({ try self.alert(of: token, in: $0) }),
            alert.userID != person
        else { return nil }
        let (id, owner) = (alert.id, alert.userID)
        try await provePress(by: person, about: owner) {
            let key = AlertKey(owner: owner, id: AlertID(token.subject))
            return try $0.lastDelivery(about: key, to: person, by: channel)
        }
        do {
            switch answer {
            case .onIt: try await acknowledgeAlert(id, by: person)
            case .cannot: try await declineAlert(id, by: person)
            case .stop:
                guard try await guestAlert(by: secret)?.canStop == true else { break }
                try await removeContact(owner, by: Caller(userID: person, sessionID: newID()))
            }
        } catch CommandError.notFound {
            return nil
        }
        return try await guestAlert(by: secret)
    }

    /// A press on a page is an act of the person, and proves the way that the link came.
    func provePress(
        by person: UserID, about owner: UserID,
        _ delivery: @escaping @Sendable (Transaction) throws -> DeliveryID?
    ) async throws {
        try await database.write(about: Subjects([owner, person], isRepeatable: true)) {
            transaction in
            guard let delivery = try delivery(transaction) else { return }
            _ = try transaction.reportDelivery(
                delivery, of: person, attempt: nil, ProviderReport(state: .seen))
            try transaction.prove(delivery, of: person)
        }
    }

    private func guestAlert(
        _ alert: AlertRow, _ person: UserID, in connection: any SQLConnection
    ) throws -> GuestAlert? {
        guard let owner = try connection.user(alert.userID) else { return nil }
        let now = connection.now
        let helper: GuestAlert.Helper =
            switch alert.acknowledgedBy {
            case nil: .nobody
            case person: .you
            case .some(let other):
                .another(name: try connection.user(other)?.displayName ?? "Somebody")
            }
        return GuestAlert(
            name: owner.displayName, phoneNumber: owner.phoneNumber, kind: alert.kind,
            startedAt: alert.startedAt, duration: (alert.endedAt ?? now).since(alert.startedAt),
            isOver: !alert.isOpen, helper: helper,
            canStop: try connection.user(person)?.guestSince != nil)
    }
}
