import Domain
import Foundation
import Persistence

struct RelationChange {
    /// nil for a removal.
    var news: ContactNews?
    var me: UserRow
    var them: UserRow
    /// The relation from `me`'s side.
    var old: Relation
    var new: Relation
    /// True if the change came through an invitation's link. The other side wasn't present, so its
    /// message can't be muted.
    var isByLink = false
    var isQuiet = false
    /// Set if `me` stopped or resumed helping `them` by a link.
    var linkAct: LinkAct?

    enum LinkAct {
        case stopped
        case returned
    }

    var mirrored: RelationChange {
        RelationChange(
            news: news, me: them, them: me, old: old.mirrored, new: new.mirrored,
            isByLink: isByLink, isQuiet: isQuiet, linkAct: linkAct)
    }
}

extension RelationChange {
    /// True if `them` lost the role that invitations by `me` ask for, or if the relation ended.
    fileprivate var endsInvitations: Bool {
        old.tellsThem && !new.tellsThem || new.isEmpty && !old.isEmpty
    }

    /// True if `me` gained or lost `them` as a responder who has accepted.
    fileprivate var changesProtection: Bool {
        old.responder.isInForce != new.responder.isInForce
    }

    /// True if `them` became a responder of `me`.
    fileprivate var makesResponder: Bool { !old.responder.isInForce && new.responder.isInForce }

    /// True if `me` had asked `them` to be a responder, and `them` accepted.
    fileprivate var isAcceptance: Bool { old.tellsThem && makesResponder }
}

struct Relations: Commands {
    let core: Core
    let notifier: Notifier
    let refusedAlerts: RefusedAlerts
    let responding: Responding
    let invitations: Invitations
    let drills: Drills

    /// Stores the new relation, notifies both sides, and adapts pings, alerts and acknowledgements.
    /// Changes nothing if the relation stays the same.
    func settle(_ change: RelationChange, in transaction: Transaction) throws {
        guard change.old != change.new else { return }
        let (me, them) = (change.me, change.them)
        let protections = try protections(of: [me.id, them.id], in: transaction)
        let unrefused = try refusedAlerts.unrefusedAlerts(of: [me.id, them.id], in: transaction)
        try clearPings(between: me, them, allowed: change.new, in: transaction)
        let sides = [change, change.mirrored]
        // For each responder who loses the role: how they were told of an open alert, which now
        // ends for them.
        var ends: [UserID: AlertReach] = [:]
        for side in sides where side.old.tellsThem && !side.new.tellsThem {
            // The server refuses a quiet removal during an alert of the remover. The
            // message about the end of an earlier alert still arrives. The other person's alert may
            // be open, and must not stay acknowledged by the remover.
            if !change.isQuiet || side.me.id != me.id {
                ends[side.them.id] = try responding.releaseAcknowledgements(
                    by: side.them.id, owner: side.me.id, in: transaction)
            }
            try drills.leaveDrill(of: side.me.id, side.them.id, in: transaction)
        }
        for side in sides where side.endsInvitations {
            try invitations.endInvitations(of: side.me.id, to: side.them, in: transaction)
        }
        for side in sides where side.makesResponder {
            try invitations.bindInvitations(of: side.me.id, to: side.them, in: transaction)
        }
        if change.old.isEmpty {
            try transaction.insertContact(them.id, of: me.id, relation: change.new)
        } else if change.new.isEmpty {
            try transaction.deleteContact(them.id, of: me.id)
        } else {
            try transaction.updateContact(them.id, of: me.id, relation: change.new)
        }
        for side in sides { try withdrawNews(of: side, in: transaction) }
        for side in sides {
            let end = ends[side.me.id]
            try announce(side, isMine: side.me.id == me.id, ending: end, in: transaction)
        }
        for side in sides
        where side.isAcceptance || side.new.tellsThem && !side.old.tellsThem {
            var responder = Recipient(side.them)
            responder.isAccepted = side.new.responder.isInForce
            responder.readTimes(like: side.me)
            try notifyOfOpenAlerts(
                of: side.me, to: responder, isAcceptance: side.isAcceptance, in: transaction)
        }
        try refusedAlerts.publishUnrefused(
            of: [me.id, them.id], besides: unrefused, in: transaction)
        try refusedAlerts.restartRefused(among: unrefused, by: me.id, in: transaction)
        var losers = protections
        if change.isQuiet { losers[them.id] = nil }
        try notifyOfLosses(since: losers, by: me.id, in: transaction)
    }

    /// Returns how a person's stop by a link is announced to the owner: on every channel, or nil
    /// for an ordinary message. A code may bring the person back after each stop.
    func stop(
        by helper: UserID, for owner: UserID, in transaction: Transaction
    ) throws -> RelationChange.LinkAct? {
        let news = try transaction.countNews(
            to: [owner], since: transaction.now.adding(.zero - InvitationRules.window))
        let removals = news[owner]?[helper]?[.contactRemoved] ?? 0
        return removals < InvitationRules.urgentStopsPerDay ? .stopped : nil
    }

    /// Withdraws unsent news about `me` that must not follow the end of the relation or the role.
    private func withdrawNews(of side: RelationChange, in transaction: Transaction) throws {
        let (me, them) = (side.me, side.them.id)
        if side.new.isEmpty {
            try transaction.withdrawNews(about: me.id, to: [them])
        } else if side.old.responder.isInForce, !side.new.responder.isInForce {
            try transaction.supersedeNews(
                .forResponders(name: me.displayName), about: me.id, to: [them])
        }
    }

    /// Notifies one side.
    /// - Parameter end: how this side was told of the other side's open alert; nil if it wasn't.
    private func announce(
        _ side: RelationChange, isMine: Bool, ending end: AlertReach?, in transaction: Transaction
    ) throws {
        let contact = UserEvent.ContactReference(contactID: side.them.id)
        let event: UserEvent =
            side.new.isEmpty ? .contactRemoved(contact) : .contactChanged(contact)
        try transaction.append(event, to: side.me.id)
        guard isMine || !side.isQuiet else { return }
        let name = side.them.displayName
        // A responder who stopped or resumed helping by a link has a text of their own.
        let act = isMine ? nil : side.linkAct
        let text: NotificationText =
            if let act {
                act == .stopped ? .helperStopped(name: name) : .helperReturned(name: name)
            } else if let news = side.news {
                .contact(news, name: name, isMine: isMine, relation: side.new, old: side.old)
            } else {
                .contactRemoved(name: name)
            }
        var notice = Notice(text: text, about: side.them.id)
        if end != nil { notice.purpose = .alertEnd }
        // The code may have been passed on. Its owner must learn of the addition, to be able to
        // undo it. Somebody with the person's unlocked phone may have muted the news and then
        // changed the responders.
        notice.cannotBeMuted =
            side.news == .added && !isMine || side.isByLink || side.changesProtection
        notice.isRead = side.news == .added && isMine
        notice.isUrgent = end != nil || act != nil
        notice.bySMS = end?.bySMS == true || act != nil
        // A person who hasn't accepted gets no SMS.
        notice.hasTextInReserve =
            !notice.bySMS && end?.endText == .inReserve && side.old.dependent.isInForce
        var recipient = Recipient(side.me)
        // A person who was asked and hasn't accepted heard of the alert by push and stream only.
        // Its end takes the same channels.
        recipient.isAccepted = end == nil || side.old.isConnected
        try notifier.notify(recipient, notice, in: transaction)
    }

    /// - Parameter allowed: the new relation, from `me`'s side.
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
                // If the relation ended, one message says so, and a message about pings would add
                // nothing.
                guard !allowed.isEmpty else { continue }
                let text = NotificationText.pingEndedByRoles(name: counterpart.displayName)
                try notifier.notify(
                    Recipient(side), Notice(text: text, ping: ping.id), in: transaction)
            }
        }
    }

    // MARK: The last responder

    /// The state of a person before a change that may cost them a responder.
    struct Former {
        var protection: Protection
        /// The open alerts that all responders are told of, and that none of them attends to.
        var unattended: [AlertID]
    }

    /// The caller reads this before it ends acknowledgements and reports.
    func protections(
        of users: [UserID], in connection: any SQLConnection
    ) throws -> [UserID: Former] {
        var protections: [UserID: Former] = [:]
        for user in users {
            let unattended = try connection.openAlerts(of: user).filter {
                $0.escalation.attention == .none && $0.onlyFor == nil
            }
            protections[user] = Former(
                protection: try protection(of: user, in: connection),
                unattended: unattended.map(\.id))
        }
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

    /// Notifies people whose responders became fewer or less certain (`Protection`). Can't be
    /// muted. A person without responders who has an open alert gets news of the alert instead.
    func notifyOfLosses(
        since before: [UserID: Former], by actor: UserID? = nil, in transaction: Transaction
    ) throws {
        for (user, former) in before.sorted(by: { $0.key < $1.key }) {
            let left = try self.protection(of: user, in: transaction)
            if left > former.protection {
                try transaction.deleteHeldNews(
                    [.system], titled: NotificationText.protectionLost(left).title, about: nil,
                    to: [user])
            }
            guard left < former.protection, let row = try transaction.user(user) else { continue }
            let alerts = try former.unattended.compactMap { try transaction.alert($0, of: user) }
            if left == .nobody, !alerts.isEmpty {
                let text = NotificationText.noResponderIsLeft(responder: nil)
                    .withOwnEmergencyNumber(row.phoneNumber)
                for alert in alerts {
                    try notifier.notify(
                        Recipient(row),
                        .urgent(text, about: user, alert: alert, .alertUntaken, by: actor),
                        in: transaction)
                }
                continue
            }
            let notice = Notice(
                text: .protectionLost(left), actor: actor, cannotBeMuted: true)
            try notifier.notify(Recipient(row), notice, in: transaction)
        }
    }

    /// Notifies a new or requested responder of open alerts at once, before the next repeat.
    /// Also runs when a requested responder accepts. Until then only pages and push told them.
    /// Runs for a START, too, because no SMS has told the responder since the STOP. While a report
    /// pauses the repeats, a responder who has accepted hears of the report instead.
    /// A person who has said "I can't" hears nothing before the next repeat when they accept.
    /// - Parameters:
    ///   - isAcceptance: true if the person may have answered the alerts before.
    ///   - isStart: true after a START. Omits alerts that the person got an SMS about, because STOP
    ///     and START can alternate.
    ///   - isNewEndpoint: true after the registration of a browser, an app or a webhook. Omits
    ///     alerts that the person knows of.
    func notifyOfOpenAlerts(
        of owner: UserRow, to responder: Recipient, isAcceptance: Bool, isStart: Bool = false,
        isNewEndpoint: Bool = false, in transaction: Transaction
    ) throws {
        for var alert in try transaction.openAlerts(of: owner.id)
        where alert.concerns(responder.id) {
            let key = AlertKey(owner: owner.id, id: alert.id)
            if isStart, try transaction.textTime(about: key, to: responder.id) != nil { continue }
            if isNewEndpoint, try transaction.isTold(responder.id, of: key) { continue }
            try transaction.append(
                .alert(try transaction.record(of: alert, for: viewer(responder.id))),
                to: responder.id)
            if isAcceptance,
                try refusedAlerts.alertRecords.hasRefused(alert, by: responder.id, in: transaction)
            {
                continue
            }
            if responder.isAccepted, let text = try report(on: alert, of: owner, in: transaction) {
                // "No one is on it" must never arrive after the report.
                try transaction.supersedeAlarms(about: alert, for: [responder.id])
                try notifier.notify(
                    responder, .urgent(text, about: owner.id, alert: alert, .alertNews),
                    in: transaction)
                continue
            }
            guard alert.acknowledgedBy == nil else { continue }
            if alert.callDue == nil, alert.report == nil {
                alert.nextCallAt = firstCall(after: transaction.now)
                try transaction.saveNextCall(of: alert)
            }
            // As after a repeat, one message follows a push service's outage.
            try supersede(alert, for: [responder.id], in: transaction)
            let text = NotificationText.alertRepeated(alert, of: owner)
            try notifier.notify(
                responder, .urgent(text, about: owner.id, alert: alert, .alertRepeat),
                in: transaction)
        }
    }

    /// Returns the text about the report that pauses the alert's repeats; nil without a report, and
    /// if its author has no account any more.
    private func report(
        on alert: AlertRow, of owner: UserRow, in connection: any SQLConnection
    ) throws -> NotificationText? {
        guard let report = alert.report, let time = alert.reportedAt,
            let author = try alert.reportedBy.flatMap({ try connection.user($0) })
        else { return nil }
        return .alertReported(
            report, responder: author.displayName, name: owner.displayName, kind: alert.kind,
            pausedUntil: time.adding(Escalation.pauseAfterReport))
    }
}

extension Transaction {
    /// Returns the people whose responder the user is. Publishes that their contact has changed.
    func owners(relyingOn user: UserID) throws -> [UserRow] {
        try contacts(of: user).filter { $0.relation.dependent.isInForce }
            .compactMap { row in
                try append(.contactChanged(.init(contactID: user)), to: row.contact)
                return try self.user(row.contact)
            }
    }
}
