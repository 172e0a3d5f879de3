import Domain
import Foundation
import Persistence

public struct PhoneNumberChange: Commands {
    public let core: Core
    let notifier: Notifier
    let profiles: Profiles
    let codes: Codes

    /// Moves the account to another number, proven by a code. Thieves of an account change its
    /// number, so the old number, the user's sessions and the contacts are notified. Throws
    /// `unauthenticated` for a wrong code, `alreadyExists` if the number has an account.
    public func changePhoneNumber(
        to number: PhoneNumber, code: String, by asker: CodeAsker = CodeAsker(), of caller: Caller
    ) async throws -> UserProfile {
        let code = try SignInRules.code(code)
        let outcome: Result<(profile: UserProfile, left: PhoneNumber?), CommandError> =
            try await database.write(about: Subjects([caller.userID], names: [number.text])) {
                transaction in
                if let refusal = try codes.use(
                    code: code, for: number, by: asker, in: transaction)
                {
                    return .failure(refusal)
                }
                guard let user = try transaction.user(caller.userID) else {
                    throw CommandError.noSuchUser
                }
                if let holder = try transaction.user(phoneNumber: number), holder.id != user.id {
                    return .failure(.alreadyExists(RefusalWords.numberTaken.detail))
                }
                guard number != user.phoneNumber else {
                    return .success((try profiles.profile(of: user.id, in: transaction), nil))
                }
                try change(user, to: number, in: transaction)
                let profile = try profiles.profile(of: user.id, in: transaction)
                let isPaid =
                    try user.smsStoppedAt == nil
                    && transaction.spend(.alertBegin, on: .sms, by: user.id, options.budgets)
                return .success((profile, isPaid ? user.phoneNumber : nil))
            }
        let changed = try outcome.get()
        if let left = changed.left { sendText(left, NotificationText.numberLeft) }
        return changed.profile
    }

    /// Stores the new number, and tells the user's sessions and contacts.
    func change(_ user: UserRow, to number: PhoneNumber, in transaction: Transaction) throws {
        try transaction.updatePhoneNumber(number, of: user.id)
        try profiles.announceProfileChange(of: user.id, in: transaction)
        try notifyOfNewNumber(of: user, in: transaction)
    }

    private func notifyOfNewNumber(of user: UserRow, in transaction: Transaction) throws {
        try notifier.notify(
            Recipient(user).whateverIsMuted, Notice(text: .numberChanged), in: transaction
        )
        for row in try transaction.contacts(of: user.id) where row.relation.isConnected {
            guard let contact = try transaction.user(row.contact) else { continue }
            let news = Notice(text: .contactNumberChanged(name: user.displayName), about: user.id)
            try notifier.notify(Recipient(contact), news, in: transaction)
        }
    }
}

extension Recipient {
    /// Copy without muted types, for messages about the account itself.
    var whateverIsMuted: Recipient {
        var recipient = self
        recipient.preferences = .standard
        return recipient
    }
}
