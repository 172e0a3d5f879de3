import Domain
import Foundation
import Persistence

/// What people see of an alert, and the events that announce its changes.
struct AlertRecords: Commands {
    let core: Core

    /// Sends the alert's new state to its owner and to the people who are notified of it.
    /// - Parameter isNew: true if this transaction inserted the alert.
    func publish(
        _ alert: AlertRow, to watchers: [UserID], isNew: Bool = false, in transaction: Transaction
    ) throws {
        // Each viewer sees other ids in the record, but only after somebody has acted.
        let actions = isNew ? .none : try transaction.actions(of: alert)
        var forOwner = try transaction.record(of: alert, for: viewer(alert.userID), actions)
        try addRefusals(to: &forOwner, of: alert, in: transaction)
        if !isNew { forOwner.isUnheard = try isUnheard(alert, in: transaction) ? true : nil }
        let isSame =
            forOwner.acknowledgement == nil && forOwner.report == nil
            && forOwner.refusals == nil && forOwner.ending == nil && forOwner.isUnheard == nil
        let isRefusedByAll = forOwner.isRefusedByAll
        let event = try EncodedEvent(.alert(forOwner))
        try transaction.append(event, to: alert.userID)
        for watcher in watchers {
            guard !isSame else {
                try transaction.append(event, to: watcher)
                continue
            }
            var record = try transaction.record(of: alert, for: viewer(watcher), actions)
            record.isRefusedByAll = isRefusedByAll
            try transaction.append(try EncodedEvent(.alert(record)), to: watcher)
        }
    }

    func record(
        of alert: AlertRow, for viewer: AlertViewer, withLedger: Bool = false,
        in connection: any SQLConnection
    ) throws -> AlertRecord {
        var record = try connection.record(of: alert, for: viewer, withLedger: withLedger)
        if viewer.id == alert.userID {
            try addRefusals(to: &record, of: alert, in: connection)
            record.isUnheard = try isUnheard(alert, in: connection) ? true : nil
        } else {
            record.isRefusedByAll = try hasEveryoneRefused(alert, in: connection) ? true : nil
        }
        return record
    }

    /// Returns true if the alert is open, no responder is on it, and everyone who is asked has
    /// refused. If any responder has accepted the role, only accepted responders count. If any is
    /// reachable, only reachable responders count. A responder isn't reachable if all messages of
    /// an alarm to them have failed. A report in force prevents this until its author refuses.
    /// - Parameters:
    ///   - person: counts as reachable even without a channel; nil for no such exception.
    ///   - leaver: a responder who is leaving and doesn't count; nil without one.
    func hasEveryoneRefused(
        _ alert: AlertRow, ifReached person: UserID? = nil, without leaver: UserID? = nil,
        in connection: any SQLConnection
    ) throws -> Bool {
        guard alert.isOpen, alert.acknowledgedBy == nil else { return false }
        let refusing = try peopleRefusing(alert, in: connection)
        guard !refusing.isEmpty else { return false }
        if let reporter = alert.reportedBy, !refusing.contains(reporter) { return false }
        let told = try connection.audience(of: alert).filter { $0.id != leaver }
        let accepted = told.filter(\.isAccepted)
        let asked = (accepted.isEmpty ? told : accepted).map(\.id)
        let left = asked.filter { !refusing.contains($0) }
        guard !left.isEmpty else { return !asked.isEmpty }
        let reachability = try connection.reachability(of: asked, by: availableChannels)
        let lost = try lostPeople(left, of: alert, in: connection)
        let reached = asked.filter {
            $0 == person || reachability[$0]?.state != .unreachable && !lost.contains($0)
        }
        return !reached.isEmpty && reached.allSatisfy(refusing.contains)
    }

    /// Returns the people who got no message of an alarm, because all have failed. Returns none for
    /// an alert to chosen responders, because the others are told after 15 minutes.
    private func lostPeople(
        _ people: [UserID], of alert: AlertRow, in connection: any SQLConnection
    ) throws -> Set<UserID> {
        guard alert.onlyFor == nil else { return [] }
        let key = AlertKey(owner: alert.userID, id: alert.id)
        return try connection.outcomes(of: key, to: people).lost
    }

    /// Returns true if the alert is open, no responder is on it or has reported, and its messages
    /// have failed: no accepted responder who hasn't refused has heard of it, and each is
    /// unreachable or every message of an alarm has failed. False for an alert for chosen
    /// responders.
    func isUnheard(_ alert: AlertRow, in connection: any SQLConnection) throws -> Bool {
        guard alert.isOpen, alert.acknowledgedBy == nil, alert.report == nil, alert.onlyFor == nil
        else { return false }
        let refusing = try peopleRefusing(alert, in: connection)
        let asked = try connection.audience(of: alert).filter(\.isAccepted).map(\.id)
            .filter { !refusing.contains($0) }
        let key = AlertKey(owner: alert.userID, id: alert.id)
        let outcomes = try connection.outcomes(of: key, to: asked)
        guard !outcomes.lost.isEmpty, outcomes.heard.isEmpty else { return false }
        let others = asked.filter { !outcomes.lost.contains($0) }
        let reachability = try connection.reachability(of: others, by: availableChannels)
        return !others.contains { reachability[$0]?.state != .unreachable }
    }

    /// Returns true if the person's last answer is a refusal that still counts: it came after the
    /// last missed deadline, and after the last report was lifted or its pause ended. The server
    /// doesn't record a refusal beyond the limit of changes (`ActRules`).
    func hasRefused(
        _ alert: AlertRow, by person: UserID, in connection: any SQLConnection
    ) throws -> Bool {
        try peopleRefusing(alert, in: connection).contains(person)
    }

    /// Another missed deadline asks everyone again, so earlier refusals don't count.
    private func peopleRefusing(
        _ alert: AlertRow, in connection: any SQLConnection
    ) throws -> Set<UserID> {
        try connection.peopleRefusing(
            AlertKey(owner: alert.userID, id: alert.id), since: alert.escalationFrom)
    }

    /// Removes the refusals of people who aren't responders, or lost the role since, from the
    /// owner's record. Adds whether everyone has refused.
    private func addRefusals(
        to record: inout AlertRecord, of alert: AlertRow, in connection: any SQLConnection
    ) throws {
        guard let refusals = record.refusals else {
            // While a report is in force, the record lists no refusals.
            guard alert.report != nil else { return }
            record.isRefusedByAll = try hasEveryoneRefused(alert, in: connection) ? true : nil
            return
        }
        let refusing = try peopleRefusing(alert, in: connection)
        let asked = Set(
            try connection.audience(of: alert).map(\.id).filter(refusing.contains)
                .map(\.description))
        let present = refusals.filter { asked.contains($0.responderId) }
        record.refusals = present.isEmpty ? nil : present
        record.isRefusedByAll = try hasEveryoneRefused(alert, in: connection) ? true : nil
    }
}

extension Commands {
    func viewer(_ id: UserID) -> AlertViewer {
        AlertViewer(id) { [key] in key.alias(of: $0.uuid, in: $1.uuid) }
    }
}

extension SQLConnection {
    /// Returns the person's name, or the word for a person who isn't a user any more.
    func displayName(of person: UserID?) throws -> String {
        try person.flatMap { try user($0) }?.displayName ?? ProfileRules.displayName("")
    }
}

extension AlertRecord {
    /// Reduces the owner's ledger to one line without details for each person who isn't an accepted
    /// responder now. Otherwise the owner could send a stranger a request, and learn from an alert
    /// when the stranger looks at LifeSignal. Former responders keep their lines if one is an
    /// e-mail, an SMS or a call, because only people who have accepted get those.
    mutating func hideStrangers(besides responders: [Recipient]) {
        let accepted = Set(responders.filter(\.isAccepted).map(\.id.description))
        let known = accepted.union(ledger.filter(\.channel.isCarrier).map(\.recipientId))
        let acting = Set(ledger.filter { $0.state == .acknowledged }.map(\.recipientId))
        var strangers: Set<String> = []
        ledger = ledger.compactMap { entry -> LedgerEntry? in
            let person = entry.recipientId
            guard person != userId, !known.contains(person) else { return entry }
            guard strangers.insert(person).inserted else { return nil }
            return LedgerEntry(
                recipientId: person, name: entry.name, channel: .stream,
                state: acting.contains(person) ? .acknowledged : .queued, time: entry.time,
                attempts: 0, reason: "\(DeliveryReason.notAccepted)")
        }
    }
}
