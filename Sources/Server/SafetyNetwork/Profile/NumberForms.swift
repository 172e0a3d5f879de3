import Cryptography
import Domain
import Foundation
import Persistence

/// The result of converting stored phone numbers to the canonical form.
public struct NumberFormOutcome: Equatable, Sendable {
    public var changed = 0
    /// Numbers whose canonical form belongs to another account. Neither account changes.
    public var taken = 0

    public init() {}
}

/// Earlier servers stored numbers as typed, with a national zero or Argentina's optional 9. One
/// phone could have several accounts, and a blocked person could get another account.
public struct NumberForms: Commands {
    public let core: Core
    let notifier: Notifier
    let profiles: Profiles

    /// Increment this version whenever the canonical form changes.
    private static let numberForm: Int64 = 1
    private static let pageOfNumbers = 500

    /// Converts stored numbers, blocks and invitations to the canonical form, once per database. A
    /// number whose canonical form is taken stays, and its user is notified. Blocks of this user
    /// then also block the other account.
    /// - Parameter canonical: returns the canonical form of a number.
    @discardableResult
    public func canonicaliseNumbers(
        _ canonical: @Sendable (PhoneNumber) -> PhoneNumber
    ) async throws -> NumberFormOutcome {
        let form = try await database.read { try $0.serverState().numberForm } ?? 0
        guard form < Self.numberForm else { return NumberFormOutcome() }
        var outcome = NumberFormOutcome()
        var last = ""
        while true {
            let after = last
            let page = try await database.read {
                try $0.phoneNumbers(after: after, limit: Self.pageOfNumbers)
            }
            for (text, user) in page {
                guard let old = try? PhoneNumber(text) else { continue }
                let new = canonical(old)
                guard new != old else { continue }
                if try await rewrite(old, as: new, of: user) {
                    outcome.changed += 1
                } else {
                    outcome.taken += 1
                }
            }
            guard let end = page.last?.text else { break }
            last = end
        }
        try await canonicaliseInvitations(canonical)
        _ = try await database.write(about: .serverState) { transaction in
            try transaction.updateServerState { $0.numberForm = Self.numberForm }
        }
        return outcome
    }

    /// Returns false if another account has the canonical number.
    private func rewrite(
        _ old: PhoneNumber, as new: PhoneNumber, of user: UserID
    ) async throws -> Bool {
        try await database.write(
            about: Subjects(
                [user], names: [old.text, new.text], isRepeatable: true,
                search: { try $0.acquaintances(of: user) })
        ) { [key] transaction in
            guard let row = try transaction.user(user), row.phoneNumber == old else { return true }
            try transaction.rewriteBlocks(
                of: user, by: try transaction.acquaintances(of: user),
                from: key.hashes(blockedNumber: old.text), to: key.hash(blockedNumber: new.text))
            guard try transaction.user(phoneNumber: new) == nil else {
                try notifier.notify(
                    Recipient(row).whateverIsMuted, Notice(text: .numberTaken), in: transaction)
                return false
            }
            try transaction.rewriteNumber(old, as: new, of: user)
            try rewriteInvitationMessages(from: old, to: new, in: transaction)
            try profiles.announceProfileChange(of: user, in: transaction)
            return true
        }
    }

    private func rewriteInvitationMessages(
        from old: PhoneNumber, to new: PhoneNumber, in transaction: Transaction
    ) throws {
        try transaction.rewriteInvitationMessages(
            from: hashesOfStop(from: old), to: hashesOfStop(from: new))
        try transaction.rewriteInvitationMessages(
            from: hashesOfDepartures(from: .number(old)),
            to: hashesOfDepartures(from: .number(new)))
    }

    private func canonicaliseInvitations(
        _ canonical: @Sendable (PhoneNumber) -> PhoneNumber
    ) async throws {
        var last: UserID?
        while true {
            let after = last
            let page = try await database.read {
                try $0.inviters(after: after, limit: Self.pageOfNumbers)
            }
            for user in page {
                let invitations = try await database.read { try $0.invitations(of: user) }
                let numbers = Set(invitations.map(\.phoneNumber))
                for invitation in invitations {
                    guard let old = try? PhoneNumber(invitation.phoneNumber) else { continue }
                    let new = canonical(old)
                    // If a person has invited two forms of one number, both invitations stay.
                    guard new != old, !numbers.contains(new.text) else { continue }
                    try await rewrite(invitation.id, of: user, from: old, to: new)
                }
            }
            guard let end = page.last else { return }
            last = end
        }
    }

    private func rewrite(
        _ invitation: InvitationID, of user: UserID, from old: PhoneNumber, to new: PhoneNumber
    ) async throws {
        try await database.write(
            about: Subjects([user], names: [old.text, new.text], isRepeatable: true)
        ) { transaction in
            let isTaken = try transaction.invitations(of: user).contains {
                $0.phoneNumber == new.text
            }
            guard !isTaken else { return }
            try transaction.rewriteInvitation(invitation, to: new, of: user)
            try rewriteInvitationMessages(from: old, to: new, in: transaction)
        }
    }
}
