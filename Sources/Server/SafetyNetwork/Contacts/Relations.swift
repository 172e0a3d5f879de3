import Domain
import Foundation
import Persistence

/// One side's change to a relation.
struct RelationChange {
    /// nil for a removal.
    var news: ContactNews?
    var me: UserRow
    var them: UserRow
    /// The relation from `me`'s side.
    var old: Relation
    var new: Relation

    /// The same as the other side sees it.
    var mirrored: RelationChange {
        RelationChange(
            news: news, me: them, them: me, old: old.mirrored, new: new.mirrored)
    }
}

extension SafetyNetwork {
    /// Stores the new relation, notifies both sides, and brings pings, alerts and acknowledgements
    /// in line with it. Nothing happens when nothing has changed.
    func settle(_ change: RelationChange, in transaction: Transaction) throws {
        guard change.old != change.new else { return }
        let (me, them) = (change.me, change.them)
        let protections = try protections(of: [me.id, them.id], in: transaction)
        try clearPings(between: me, them, allowed: change.new, in: transaction)
        let sides = [change, change.mirrored]
        // Losing the role ends an open alert for a responder who was notified of it.
        var ends: [UserID: AlertReach] = [:]
        for side in sides where side.old.tellsThem && !side.new.tellsThem {
            ends[side.them.id] = try releaseAcknowledgements(
                by: side.them.id, owner: side.me.id, in: transaction)
            try leaveDrill(of: side.me.id, side.them.id, in: transaction)
        }
        if change.old.isEmpty {
            try transaction.insertContact(them.id, of: me.id, relation: change.new)
        } else if change.new.isEmpty {
            try transaction.deleteContact(them.id, of: me.id)
        } else {
            try transaction.updateContact(them.id, of: me.id, relation: change.new)
        }
        for side in sides {
            let end = ends[side.me.id]
            try announce(side, isMine: side.me.id == me.id, ending: end, in: transaction)
        }
        for side in sides where side.new.tellsThem && !side.old.tellsThem {
            var responder = Recipient(side.them)
            responder.isAccepted = side.new.responder.isInForce
            try notifyOfOpenAlerts(of: side.me, to: responder, in: transaction)
        }
        try notifyOfLosses(since: protections, by: me.id, in: transaction)
    }

    /// Notifies one side, in words that fit it.
    /// - Parameter end: how this side was notified of an open alert of the other.
    private func announce(
        _ side: RelationChange, isMine: Bool, ending end: AlertReach?, in transaction: Transaction
    ) throws {
        let contact = UserEvent.ContactReference(contactID: side.them.id)
        let event: UserEvent =
            side.new.isEmpty ? .contactRemoved(contact) : .contactChanged(contact)
        try transaction.append(event, to: side.me.id)
        let name = side.them.displayName
        let text: NotificationText =
            if let news = side.news {
                .contact(news, name: name, isMine: isMine, relation: side.new)
            } else {
                .contactRemoved(name: name)
            }
        var notice = Notice(text: text, about: side.them.id)
        if end != nil { notice.purpose = .alertEnd }
        // Their code may have been passed on: they must be able to undo it.
        notice.cannotBeMuted = side.news == .added && !isMine
        notice.isRead = side.news == .added && isMine
        notice.isUrgent = end != nil
        notice.bySMS = end?.bySMS == true
        try notify(Recipient(side.me), notice, in: transaction)
    }

    /// - Parameter allowed: the relation from now on, as `me` sees it.
    private func clearPings(
        between me: UserRow, _ them: UserRow, allowed: Relation,
        in transaction: Transaction
    ) throws {
        let mine =
            allowed.dependent.isInForce
            ? nil : try transaction.pendingPing(from: me.id, to: them.id)
        let theirs =
            allowed.responder.isInForce
            ? nil : try transaction.pendingPing(from: them.id, to: me.id)
        for ping in [mine, theirs].compactMap(\.self) {
            let settled = try transaction.settle(ping, as: .cleared)
            for (side, counterpart) in [(me, them), (them, me)] {
                try transaction.append(.ping(settled), to: side.id)
                // A removal is announced by one message alone.
                guard !allowed.isEmpty else { continue }
                let text = NotificationText.pingEndedByRoles(name: counterpart.displayName)
                try notify(Recipient(side), Notice(text: text, ping: ping.id), in: transaction)
            }
        }
    }

    // MARK: The last responder

    func protections(
        of users: [UserID], in connection: any SQLConnection
    ) throws -> [UserID: Protection] {
        var protections: [UserID: Protection] = [:]
        for user in users { protections[user] = try protection(of: user, in: connection) }
        return protections
    }

    private func protection(
        of user: UserID, in connection: any SQLConnection
    ) throws -> Protection {
        let responders = try connection.responders(of: user)
        return Protection(
            hasAccepted: responders.contains(where: \.isAccepted),
            hasAsked: responders.contains { !$0.isAccepted })
    }

    /// Notifies people who lost their last responder, muted or not.
    func notifyOfLosses(
        since before: [UserID: Protection], by actor: UserID? = nil, in transaction: Transaction
    ) throws {
        for (user, protection) in before.sorted(by: { $0.key < $1.key }) {
            let left = try self.protection(of: user, in: transaction)
            guard left < protection, let row = try transaction.user(user) else { continue }
            let notice = Notice(
                text: .protectionLost(left), actor: actor, cannotBeMuted: true)
            try notify(Recipient(row), notice, in: transaction)
        }
    }
}
