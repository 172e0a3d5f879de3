import Domain
import Foundation
import Persistence

/// Raises and ends a person's own alerts, and reads all alerts that the person may see.
public struct Alerts: Commands {
    public let core: Core
    let alertRecords: AlertRecords
    let alertLifecycle: AlertLifecycle
    let accountNews: AccountNews

    /// Raises an alert. Returns the existing alert for a repeated id, or if an alert is already
    /// open.
    /// - Parameters:
    ///   - raisedAt: when the person raised it, by the device's clock; nil for now. Never refused.
    ///   - sentAt: when the device sent the request, by the device's clock.
    public func raiseAlert(
        _ id: AlertID, raisedAt: Date? = nil, sentAt: Date? = nil, by caller: Caller
    ) async throws -> AlertRecord {
        try await database.write(about: Subjects([caller.userID], isRepeatable: true)) {
            transaction in
            let viewer = viewer(caller.userID)
            // A retry that arrives after the alert's end must not raise a second alert.
            if let known = try raisedAlert(id, by: caller, in: transaction) {
                return try alertRecords.record(of: known, for: viewer, in: transaction)
            }
            guard let owner = try transaction.user(caller.userID) else {
                throw CommandError.noSuchUser
            }
            let now = transaction.now
            if let open = try transaction.openAlert(.manual, of: caller.userID) {
                try remember("raiseAlert", id, stoodFor: open.id, of: caller, in: transaction)
                return try alertRecords.record(of: open, for: viewer, in: transaction)
            }
            // Responders know the ids of other people's alerts. Two alerts with one id would be
            // confused, so this alert gets a new id.
            let isTaken = try transaction.hasAlert(id)
            let alert = AlertRow(
                id: isTaken ? newID() : id, userID: owner.id, kind: .manual,
                startedAt: AlertRules.moment(
                    raisedAt: raisedAt, sentAt: sentAt, receivedAt: now,
                    clockGap: clock?.knownError ?? .zero),
                receivedAt: now,
                deadlineAt: nil, toldLate: false, repeats: 1
            )
            if isTaken {
                try remember("raiseAlert", id, stoodFor: alert.id, of: caller, in: transaction)
            }
            try alertLifecycle.open([AlertBeginning(alert: alert, owner: owner)], in: transaction)
            return try transaction.record(of: alert, for: viewer)
        }
    }

    /// Returns the caller's own alert with this id, or the one that the server merged it with.
    private func raisedAlert(
        _ id: AlertID, by caller: Caller, in transaction: Transaction
    ) throws -> AlertRow? {
        if let alert = try transaction.alert(id, of: caller.userID) { return alert }
        let merged = try earlierOutcome("raiseAlert", id, of: caller, in: transaction)
        return try merged.flatMap { try transaction.alert($0, of: caller.userID) }
    }

    /// Ends the caller's own manual alert. Throws `invalidArgument` for other alerts: a check-in
    /// or an arrival ends them.
    /// - Parameters:
    ///   - id: the id of the alert, or of one that the server merged with it. The device may not
    ///     have learned the other id.
    ///   - pressedAt: when the person ended the alert that the device had raised under another id,
    ///     by the device's clock. An alert that started later stays open. Never refused.
    ///   - sentAt: when the device sent the request, by the device's clock.
    ///   - endedAt: the end by the server's time. For an alert of the backup, it counts if it lies
    ///     before the restore. For the id of a merged alert without `pressedAt`, an alert that
    ///     started later stays open. Never refused.
    public func endAlert(
        _ id: AlertID, pressedAt: Date? = nil, sentAt: Date? = nil, endedAt: Date? = nil,
        by caller: Caller
    ) async throws -> AlertRecord {
        try await database.write(about: Subjects([caller.userID], isRepeatable: true)) {
            transaction in
            guard let alert = try raisedAlert(id, by: caller, in: transaction) else {
                guard try transaction.alert(id, watchedBy: caller.userID) == nil else {
                    throw CommandError.permissionDenied(RefusalWords.endOfOthersAlert.detail)
                }
                throw CommandError.noSuchAlert
            }
            guard let owner = try transaction.user(caller.userID) else {
                throw CommandError.noSuchUser
            }
            let viewer = viewer(caller.userID)
            guard alert.isOpen else { return try transaction.record(of: alert, for: viewer) }
            switch alert.kind {
            case .manual: break
            case .missedCheckIn:
                throw CommandError.invalidArgument(
                    field: "id", RefusalWords.endOfMissedCheckIn.detail,
                    reason: .missedCheckInAlert)
            case .journey:
                throw CommandError.invalidArgument(
                    field: "id", RefusalWords.endOfJourney.detail, reason: .journeyAlert)
            }
            let now = transaction.now
            let timed = pressedAt.map {
                AlertRules.endMoment(
                    pressedAt: $0, sentAt: sentAt, receivedAt: now,
                    clockGap: clock?.knownError ?? .zero)
            }
            let pressed = timed ?? (alert.id == id ? nil : endedAt)
            guard AlertRules.isEnded(byPressAt: pressed, startedAt: alert.startedAt) else {
                return try alertRecords.record(of: alert, for: viewer, in: transaction)
            }
            let lostEnd = try lostEnd(of: alert, at: endedAt, in: transaction)
            let (end, learnedAt) = (lostEnd ?? now, lostEnd == nil ? nil : now)
            let text = NotificationText.alertEnded(
                name: owner.displayName, at: end, learnedAt: learnedAt)
            let ended = try alertLifecycle.end(
                alert, owner: owner, by: caller, at: end, saying: text, in: transaction)
            transaction.noteStaleDevices(of: caller.userID, besides: caller.sessionID)
            let device = ended.ending?.deviceName ?? ""
            try accountNews.announce(
                .alertEndedElsewhere(device: device, at: end, learnedAt: learnedAt),
                doneBy: caller, isOncePerWindow: false, in: transaction)
            return try transaction.record(of: ended, for: viewer)
        }
    }

    /// Returns the end if a restore has lost it; nil for another end.
    private func lostEnd(
        of alert: AlertRow, at time: Date?, in transaction: Transaction
    ) throws -> Date? {
        guard let time, transaction.now.since(time).isLate,
            let restoration = try transaction.serverState().restoration,
            alert.receivedAt <= time, time < restoration.restoredAt
        else { return nil }
        return time
    }

    /// Returns the caller's own alerts, and alerts of others that the caller is notified of.
    public func alerts(
        visibleTo caller: Caller, onlyOpen: Bool = false, page: Page
    ) async throws -> [AlertRecord] {
        let viewer = viewer(caller.userID)
        return try await database.read { connection in
            try connection.alerts(visibleTo: caller.userID, onlyOpen: onlyOpen, page: page)
                .map { try alertRecords.record(of: $0, for: viewer, in: connection) }
        }
    }

    public func alert(_ id: AlertID, visibleTo caller: Caller) async throws -> AlertRecord {
        let viewer = viewer(caller.userID)
        return try await database.read { connection in
            guard let alert = try connection.alert(id, visibleTo: caller.userID) else {
                throw CommandError.noSuchAlert
            }
            var record = try alertRecords.record(
                of: alert, for: viewer, withLedger: true, in: connection)
            if alert.userID == viewer.id {
                record.hideStrangers(besides: try connection.responders(of: viewer.id))
            }
            // A message shown on the server's console must not appear as "SMS sent".
            for index in record.ledger.indices
            where options.channelsShownHere.contains(record.ledger[index].channel) {
                record.ledger[index].channel = .console
            }
            return record
        }
    }
}
