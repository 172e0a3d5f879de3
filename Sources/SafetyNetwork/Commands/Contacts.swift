import Domain
import Foundation
import Persistence

extension SafetyNetwork {
    public func contacts(of caller: Caller) async throws -> [ContactData] {
        try await database.read { try $0.contactData(of: caller.userID, at: now(), pictureURL: pictureURL) }
    }

    /// Adds the person whose current code this is. Showing the code is the consent.
    /// Throws `notFound` for a code that is not current, `alreadyExists` for a contact, `invalidArgument` for oneself.
    public func addContact(code: QRCodeID, roles: ContactRoles, to caller: Caller) async throws -> ContactData {
        try await database.write { transaction in
            guard let me = try transaction.user(caller.userID) else { throw Self.noSuchUser }
            guard let owner = try transaction.owner(ofCode: code), let other = try transaction.user(owner) else {
                throw CommandError.notFound("This code is not valid any more. Ask for the present one.")
            }
            guard other.id != me.id else { throw ContactRules.ownCode }
            guard try transaction.contact(other.id, of: me.id) == nil else {
                throw CommandError.alreadyExists("\(other.displayName) is your contact already.")
            }
            for side in [me, other] where try transaction.countContacts(of: side.id) >= ContactRules.limit {
                throw CommandError.invalidArgument(
                    field: "code",
                    side.id == me.id ? "You have 200 contacts, which is the most there can be." : "\(other.displayName) has no room for another contact."
                )
            }
            let now = now()
            try transaction.insertContact(other.id, of: me.id, roles: roles, at: now)
            try announce(other, of: me, roles, at: now, in: transaction) { NotificationText.contactAdded(name: $0, roles: $1) }
            if roles.isResponder { try tellOpenAlerts(of: me, to: other, at: now, in: transaction) }
            if roles.isDependent { try tellOpenAlerts(of: other, to: me, at: now, in: transaction) }
            return try contactData(other.id, of: me.id, at: now, in: transaction)
        }
    }

    /// Changes what a contact is to the caller. Pings that the new roles do not allow are cleared.
    /// - Parameter key: the same key again changes nothing and gets the present state.
    public func changeRoles(of other: UserID, to roles: ContactRoles, by caller: Caller, key: UUID? = nil) async throws -> ContactData {
        try await database.write { transaction in
            let (me, them, old) = try pair(caller, other, in: transaction)
            let now = now()
            let isRepeat = try isRepeat("changeRoles \(other)", key, of: caller, at: now, in: transaction)
            if !isRepeat, old.roles != roles {
                try transaction.updateContact(them.id, of: me.id, roles: roles)
                try clearPings(between: me, them, allowed: roles, at: now, in: transaction)
                if !roles.isResponder { try releaseAcknowledgements(by: them.id, owner: me.id, at: now, in: transaction) }
                if !roles.isDependent { try releaseAcknowledgements(by: me.id, owner: them.id, at: now, in: transaction) }
                try announce(them, of: me, roles, at: now, in: transaction) { NotificationText.roleChanged(name: $0, roles: $1) }
                if roles.isResponder, !old.roles.isResponder { try tellOpenAlerts(of: me, to: them, at: now, in: transaction) }
                if roles.isDependent, !old.roles.isDependent { try tellOpenAlerts(of: them, to: me, at: now, in: transaction) }
            }
            return try contactData(them.id, of: me.id, at: now, in: transaction)
        }
    }

    /// Ends the relation for both sides.
    public func removeContact(_ other: UserID, by caller: Caller) async throws {
        try await database.write { transaction in
            let (me, them, _) = try pair(caller, other, in: transaction)
            let now = now()
            try clearPings(between: me, them, allowed: nil, at: now, in: transaction)
            try releaseAcknowledgements(by: them.id, owner: me.id, at: now, in: transaction)
            try releaseAcknowledgements(by: me.id, owner: them.id, at: now, in: transaction)
            try transaction.deleteContact(them.id, of: me.id)
            for (side, gone) in [(me, them), (them, me)] {
                try transaction.append(.contactRemoved(.init(contactID: gone.id)), to: side.id, at: now)
                try tell(Recipient(side), Telling(text: .contactRemoved(name: gone.displayName), about: nil), at: now, in: transaction)
            }
        }
    }

    /// Who becomes a responder while somebody needs help hears of it now, not with the next telling.
    private func tellOpenAlerts(of owner: UserRow, to responder: UserRow, at now: Date, in transaction: Transaction) throws {
        for alert in try transaction.openAlerts(of: owner.id) {
            try transaction.append(.alert(try transaction.record(of: alert, for: viewer(responder.id))), to: responder.id, at: now)
            guard alert.acknowledgedBy == nil else { continue }
            let text = NotificationText.alertRepeated(name: owner.displayName, kind: alert.kind, since: alert.startedAt)
            try tell(Recipient(responder), Telling(text: text, about: owner.id, alert: alert, isUrgent: true), at: now, in: transaction)
        }
    }

    private func pair(_ caller: Caller, _ other: UserID, in transaction: Transaction) throws -> (me: UserRow, them: UserRow, relation: ContactRow) {
        guard let me = try transaction.user(caller.userID) else { throw Self.noSuchUser }
        guard let relation = try transaction.contact(other, of: me.id), let them = try transaction.user(other) else {
            throw CommandError.notFound("There is no such contact.")
        }
        return (me, them, relation)
    }

    func contactData(_ other: UserID, of viewer: UserID, at now: Date, in connection: any SQLConnection) throws -> ContactData {
        guard let data = try connection.contactData(of: viewer, only: other, at: now, pictureURL: pictureURL).first else {
            throw CommandError.notFound("There is no such contact.")
        }
        return data
    }

    /// Both sides hear of it, each in their own words.
    private func announce(
        _ other: UserRow, of me: UserRow, _ roles: ContactRoles, at now: Date, in transaction: Transaction,
        text: (String, ContactRoles) -> NotificationText
    ) throws {
        for (side, counterpart, view) in [(me, other, roles), (other, me, roles.mirrored)] {
            try transaction.append(.contactChanged(.init(contactID: counterpart.id)), to: side.id, at: now)
            try tell(
                Recipient(side), Telling(text: text(counterpart.displayName, view), about: counterpart.id), at: now, in: transaction
            )
        }
    }

    /// - Parameter allowed: the other's roles from now on, as `me` sees them; nil when the relation ends.
    private func clearPings(between me: UserRow, _ them: UserRow, allowed: ContactRoles?, at now: Date, in transaction: Transaction) throws {
        let mine = allowed?.isDependent == true ? nil : try transaction.pendingPing(from: me.id, to: them.id)
        let theirs = allowed?.isResponder == true ? nil : try transaction.pendingPing(from: them.id, to: me.id)
        for ping in [mine, theirs].compactMap(\.self) {
            let settled = try transaction.settle(ping, as: .cleared, at: now)
            for (side, counterpart) in [(me, them), (them, me)] {
                try transaction.append(.ping(settled), to: side.id, at: now)
                try tell(
                    Recipient(side), Telling(text: .pingEndedByRoles(name: counterpart.displayName), ping: ping.id), at: now, in: transaction
                )
            }
        }
    }
}
