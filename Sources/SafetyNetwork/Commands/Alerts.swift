import Domain
import Foundation
import Persistence

extension SafetyNetwork {
    /// Calls for help. The same id again, or a second alert while one is open, returns what is there.
    public func raiseAlert(_ id: AlertID, by caller: Caller) async throws -> AlertRecord {
        try await database.write { transaction in
            if let known = try transaction.alert(id, of: caller.userID) { return try transaction.record(of: known) }
            // One that comes again, late, after its alert has ended must not call for help a second time.
            if let stands = try earlierOutcome("raiseAlert", id, of: caller, in: transaction).flatMap({ try transaction.alert($0, of: caller.userID) }) {
                return try transaction.record(of: stands)
            }
            guard let owner = try transaction.user(caller.userID) else { throw Self.noSuchUser }
            let now = now()
            if let open = try transaction.openAlert(.manual, of: caller.userID) {
                try remember("raiseAlert", id, stoodFor: open.id, of: caller, at: now, in: transaction)
                return try transaction.record(of: open)
            }
            // Responders know the ids of alerts. One who raised an alert with another's id could be taken for that person.
            let isTaken = try transaction.hasAlert(id)
            let alert = AlertRow(
                id: isTaken ? newID() : id, userID: owner.id, kind: .manual, startedAt: now, deadlineAt: nil, toldLate: false, repeats: 1
            )
            if isTaken { try remember("raiseAlert", id, stoodFor: alert.id, of: caller, at: now, in: transaction) }
            try open(alert, owner: owner, at: now, in: transaction)
            return try transaction.record(of: alert)
        }
    }

    /// Ends the caller's own manual alert. Throws `invalidArgument` for a missed check-in, which a check-in ends.
    public func endAlert(_ id: AlertID, by caller: Caller) async throws -> AlertRecord {
        try await database.write { transaction in
            guard let alert = try transaction.alert(id, visibleTo: caller.userID) else { throw Self.noSuchAlert }
            guard alert.userID == caller.userID, let owner = try transaction.user(caller.userID) else {
                throw CommandError.permissionDenied("Only the person who raised an alert can end it.")
            }
            guard alert.isOpen else { return try transaction.record(of: alert) }
            guard alert.kind == .manual else {
                throw CommandError.invalidArgument(field: "id", "A missed check-in ends with a check-in.")
            }
            let now = now()
            let text = NotificationText.alertEnded(name: owner.displayName, at: now)
            return try transaction.record(of: try end(alert, owner: owner, saying: text, at: now, in: transaction))
        }
    }

    /// "I'm on it." The first one wins; who comes later learns who it is. The one who is on it confirms with it that it
    /// goes on. Throws `permissionDenied` for the caller's own alert.
    public func acknowledgeAlert(_ id: AlertID, by caller: Caller) async throws -> AlertRecord {
        try await database.write { transaction in
            guard var alert = try transaction.alert(id, visibleTo: caller.userID), let owner = try transaction.user(alert.userID),
                let me = try transaction.user(caller.userID).map(Recipient.init)
            else { throw Self.noSuchAlert }
            guard alert.userID != caller.userID else {
                throw CommandError.permissionDenied("An alert is taken on by a responder, not by the person who needs help.")
            }
            let isNews = alert.acknowledgedBy == nil
            guard alert.isOpen, isNews || (alert.acknowledgedBy == me.id && alert.askedAt != nil) else {
                return try transaction.record(of: alert)
            }
            let now = now()
            alert.acknowledgedBy = me.id
            alert.acknowledgedAt = now
            alert.askedAt = nil
            try transaction.update(alert)
            try transaction.insertAcknowledgement(of: alert, by: me, at: now)
            try transaction.markAcknowledged(alert: alert.id, owner: owner.id, by: me.id, at: now)
            let responders = try transaction.responders(of: owner.id)
            try publish(alert, to: responders.map(\.id), at: now, in: transaction)
            if isNews {
                let news = Telling(
                    text: .alertAcknowledged(responder: me.displayName, name: owner.displayName), about: owner.id, alert: alert, isUrgent: true
                )
                for other in responders where other.id != me.id { try tell(other, news, at: now, in: transaction) }
                let comfort = Telling(text: .helpIsComing(responder: me.displayName), about: me.id, alert: alert, isUrgent: true)
                try tell(Recipient(owner), comfort, at: now, in: transaction)
            }
            return try transaction.record(of: alert)
        }
    }

    /// The caller's own alerts and those of their dependents.
    public func alerts(visibleTo caller: Caller, onlyOpen: Bool = false, page: Page) async throws -> [AlertRecord] {
        try await database.read { connection in
            try connection.alerts(visibleTo: caller.userID, onlyOpen: onlyOpen, page: page).map { try connection.record(of: $0) }
        }
    }

    /// One alert with its ledger.
    public func alert(_ id: AlertID, visibleTo caller: Caller) async throws -> AlertRecord {
        try await database.read { connection in
            guard let alert = try connection.alert(id, visibleTo: caller.userID) else { throw Self.noSuchAlert }
            return try connection.record(of: alert, withLedger: true)
        }
    }

    static let noSuchAlert = CommandError.notFound("There is no such alert.")
}
