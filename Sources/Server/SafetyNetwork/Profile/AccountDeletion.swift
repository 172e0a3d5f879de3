import Domain
import Foundation
import Persistence

extension SafetyNetwork {
    /// Deletes everything about the user, at once, and notifies the contacts.
    public func deleteAccount(of caller: Caller) async throws {
        try await database.write(
            about: Subjects([caller.userID]) { try $0.contacts(of: caller.userID).map(\.contact) }
        ) { transaction in
            guard let user = try transaction.user(caller.userID) else { throw Self.noSuchUser }
            for session in try transaction.sessions(of: caller) {
                transaction.forget(session: session.id)
            }
            let contacts = try transaction.contacts(of: user.id)
            let reached = try transaction.reachOfOpenAlerts(of: user.id)
            for row in contacts {
                try releaseAcknowledgements(by: user.id, owner: row.contact, in: transaction)
            }
            try transaction.withdrawDrill(of: user.id, reason: .superseded)
            let protections = try protections(of: contacts.map(\.contact), in: transaction)
            try transaction.deleteUser(user)
            for row in contacts {
                try transaction.append(.contactRemoved(.init(contactID: user.id)), to: row.contact)
                guard let other = try transaction.user(row.contact) else { continue }
                // The deletion ends an open alert for a contact who was notified of it.
                let alert = reached[row.contact]
                let goodbye = NotificationText.accountDeleted(
                    name: user.displayName, duringAlert: alert != nil)
                let notice = Notice(
                    text: goodbye, isUrgent: alert != nil,
                    purpose: alert == nil ? .other : .alertEnd, bySMS: alert?.bySMS == true)
                try notify(Recipient(other), notice, in: transaction)
            }
            try notifyOfLosses(since: protections, in: transaction)
        }
    }
}
