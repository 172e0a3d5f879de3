import Domain
import Foundation
import Persistence

/// Messages of the administrators to everyone with an account.
public struct Announcements: Commands {
    public let core: Core
    let notifier: Notifier
    let administration: Administration

    /// The most people who are told in one transaction.
    private static let page = 100
    private static let subject = Subjects(names: ["announcements"])

    /// Stores an announcement. `pass` sends it. Throws `invalidArgument`.
    public func announce(
        _ text: String, maintenance: Maintenance?, reason: String, by administrator: String
    ) async throws -> AdminDone {
        let reason = try AdminRules.reason(reason)
        let text = try AdminRules.announcement(text)
        try await database.write(about: Self.subject) { transaction in
            if let maintenance { try AdminRules.check(maintenance, at: transaction.now) }
            try transaction.insert(
                AnnouncementRow(
                    id: newID(), text: text, maintenance: maintenance, createdAt: transaction.now))
            try administration.record(
                .announce, reason, about: nil, by: administrator, in: transaction)
        }
        return AdminDone(
            message: "Announced. Everyone with an account is told by push and in the app.")
    }

    /// Tells a page of people, and continues there after a crash. Returns true if more people are
    /// to be told.
    public func pass() async throws -> Bool {
        guard try await database.read({ try $0.waitingAnnouncement() }) != nil else { return false }
        return try await database.write(about: Self.subject) { transaction in
            guard var row = try transaction.waitingAnnouncement() else { return false }
            let people = try transaction.people(after: row.toldUpTo, limit: Self.page)
            guard let end = people.last?.id else {
                row.isDone = true
                try transaction.save(row)
                return try transaction.waitingAnnouncement() != nil
            }
            let recipients = people.filter { $0.guestSince == nil }.map {
                Recipient($0).whateverIsMuted
            }
            var notice = Notice(
                text: .announcement(row.text, maintenance: row.maintenance), cannotBeMuted: true)
            // The one after a restore also goes by e-mail, because it concerns each account.
            notice.onlyByPush = try transaction.serverState().restoreNews != row.number
            if !notice.onlyByPush, let text = try textOfRestore(row, in: transaction) {
                notice.text = .announcement(text)
            }
            try notifier.notify(recipients, notice, in: transaction)
            if row.maintenance != nil {
                for recipient in recipients {
                    try transaction.append(.profileChanged, to: recipient.id)
                }
            }
            row.toldUpTo = end
            try transaction.save(row)
            return true
        }
    }

    /// Returns the announcement after a restore, whose row is in UTC, with its time in each
    /// reader's zone; nil if the server's state has another time, as after a second restore.
    private func textOfRestore(
        _ row: AnnouncementRow, in transaction: Transaction
    ) throws -> TimedText? {
        guard let backup = try transaction.serverState().restoration?.incompleteSince,
            row.text == AdminRules.restored(to: backup, at: row.createdAt)
        else { return nil }
        return AdminRules.restored(to: backup)
    }
}
