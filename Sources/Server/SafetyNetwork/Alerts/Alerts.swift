import Domain
import Foundation
import Persistence

extension SafetyNetwork {
    /// Calls for help. The same id again, or a second alert while one is open, returns what is
    /// there.
    /// - Parameter raisedAt: when the person raised it, by the clock of the device; nil for now.
    ///   No alert is refused for its time.
    public func raiseAlert(
        _ id: AlertID, raisedAt: Date? = nil, by caller: Caller
    ) async throws -> AlertRecord {
        try await database.write(about: Subjects([caller.userID], isRepeatable: true)) {
            transaction in
            let viewer = viewer(caller.userID)
            if let known = try transaction.alert(id, of: caller.userID) {
                return try transaction.record(of: known, for: viewer)
            }
            // One that comes again, late, after its alert has ended must not call for help twice.
            if let earlier = try earlierOutcome("raiseAlert", id, of: caller, in: transaction),
                let stands = try transaction.alert(earlier, of: caller.userID)
            {
                return try transaction.record(of: stands, for: viewer)
            }
            guard let owner = try transaction.user(caller.userID) else { throw Self.noSuchUser }
            let now = transaction.now
            if let open = try transaction.openAlert(.manual, of: caller.userID) {
                try remember("raiseAlert", id, stoodFor: open.id, of: caller, in: transaction)
                return try transaction.record(of: open, for: viewer)
            }
            // Responders know the ids of alerts. One who raised an alert with another's id could be
            // taken for that person.
            let isTaken = try transaction.hasAlert(id)
            let alert = AlertRow(
                id: isTaken ? newID() : id, userID: owner.id, kind: .manual,
                startedAt: AlertRules.moment(
                    raisedAt: raisedAt, receivedAt: now, clockGap: clock?.knownError ?? .zero),
                receivedAt: now,
                deadlineAt: nil, toldLate: false, repeats: 1
            )
            if isTaken {
                try remember("raiseAlert", id, stoodFor: alert.id, of: caller, in: transaction)
            }
            try open([AlertBeginning(alert: alert, owner: owner)], in: transaction)
            return try transaction.record(of: alert, for: viewer)
        }
    }

    /// Ends the caller's own manual alert.
    /// Throws `invalidArgument` for a missed check-in, which a check-in ends.
    public func endAlert(_ id: AlertID, by caller: Caller) async throws -> AlertRecord {
        try await database.write(about: Subjects([caller.userID], isRepeatable: true)) {
            transaction in
            guard let alert = try transaction.alert(id, visibleTo: caller.userID) else {
                throw Self.noSuchAlert
            }
            guard alert.userID == caller.userID,
                let owner = try transaction.user(caller.userID)
            else {
                throw CommandError.permissionDenied(
                    "Only the person who raised an alert can end it.")
            }
            let viewer = viewer(caller.userID)
            guard alert.isOpen else { return try transaction.record(of: alert, for: viewer) }
            guard alert.kind == .manual else {
                throw CommandError.invalidArgument(
                    field: "id", "A missed check-in ends with a check-in.")
            }
            let now = transaction.now
            let text = NotificationText.alertEnded(name: owner.displayName, at: now)
            let ended = try end(alert, owner: owner, saying: text, in: transaction)
            return try transaction.record(of: ended, for: viewer)
        }
    }

    /// The caller's own alerts and those they are notified of.
    public func alerts(
        visibleTo caller: Caller, onlyOpen: Bool = false, page: Page
    ) async throws -> [AlertRecord] {
        let viewer = viewer(caller.userID)
        return try await database.read { connection in
            try connection.alerts(visibleTo: caller.userID, onlyOpen: onlyOpen, page: page)
                .map { try connection.record(of: $0, for: viewer) }
        }
    }

    /// One alert with its history and ledger.
    public func alert(_ id: AlertID, visibleTo caller: Caller) async throws -> AlertRecord {
        let viewer = viewer(caller.userID)
        return try await database.read { connection in
            guard let alert = try connection.alert(id, visibleTo: caller.userID) else {
                throw Self.noSuchAlert
            }
            return try connection.record(of: alert, for: viewer, withLedger: true)
        }
    }

    static let noSuchAlert = CommandError.notFound("There is no such alert.")
}
