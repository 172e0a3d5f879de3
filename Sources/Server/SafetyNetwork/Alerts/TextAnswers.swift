import Domain
import Foundation
import Persistence

/// Answers by text message. The number of its sender is all that is known of it, and can be forged
/// at some carriers (threats.md).
extension SafetyNetwork {
    /// An answer that is none gets the words about how to answer once in this time.
    private static let pauseBetweenHelp: Duration = .days(1)

    /// Does what a text message says. Returns the reply; nil for none. A number that is no user's
    /// gets none, so that nobody learns who is one.
    public func receiveText(_ text: String, from number: PhoneNumber) async throws -> String? {
        let answer = TextAnswer(text)
        if answer == .stops {
            try await stopTexts(to: number)
            return nil
        }
        guard let user = try await database.read({ try $0.user(phoneNumber: number) }) else {
            return nil
        }
        let reply: TextReply?
        switch answer {
        case .takesOn: reply = try await takeOnByText(user.id)
        case .declines: reply = try await declineByText(user.id)
        case .starts: reply = try await startTexts(to: user.id) ? .started : nil
        case .stops, .unclear: reply = user.smsStoppedAt == nil ? .help : nil
        }
        guard let reply, user.smsStoppedAt == nil || reply == .started else { return nil }
        return try await mayReply(reply, to: user.id) ? reply.text : nil
    }

    private func takeOnByText(_ user: UserID) async throws -> TextReply {
        guard let alert = try await textedAlert(of: user) else {
            return try await answerDrill(byText: user) ? .drillConfirmed : .nothingOpen
        }
        do {
            let record = try await acknowledgeAlert(alert.id, by: user, over: .sms)
            guard record.isActive, let helper = record.acknowledgement else { return .nothingOpen }
            guard UserID(helper.responderId) == user else {
                return .isTaken(responder: helper.name)
            }
            let owner = alert.owner
            let name = try await database.read { try $0.user(owner)?.displayName ?? "" }
            return .isYours(name: name)
        } catch CommandError.notFound {
            return .nothingOpen
        }
    }

    private func declineByText(_ user: UserID) async throws -> TextReply {
        guard let alert = try await textedAlert(of: user) else { return .nothingOpen }
        do {
            return try await declineAlert(alert.id, by: user, over: .sms).isActive
                ? .declined : .nothingOpen
        } catch CommandError.notFound {
            return .nothingOpen
        }
    }

    /// The alert that an answer means. The answer proves that text messages arrive.
    private func textedAlert(of user: UserID) async throws -> AlertKey? {
        let alert = try await database.read { connection in
            try connection.textedAlerts(of: user).first { key in
                try connection.alert(key.id, visibleTo: user)?.isOpen == true
            }
        }
        guard let alert else { return nil }
        try await database.write(about: Subjects([user], isRepeatable: true)) {
            try $0.proveTexts(to: user)
        }
        return alert
    }

    /// "Got it", to the drill about which the person was written to. Returns whether there is one.
    private func answerDrill(byText user: UserID) async throws -> Bool {
        let question = try await database.read { connection in
            try connection.drillQuestions(to: user).last { question in
                guard let notification = question.notificationID else { return false }
                return try connection.isTexted(notification, to: user)
            }
        }
        guard let question else { return false }
        _ = try await answerDrill(question.id, by: .sms, person: user)
        try await database.write(about: Subjects([user], isRepeatable: true)) {
            try $0.proveTexts(to: user)
        }
        return true
    }

    /// Whether the reply may go out: the words about how to answer once a day, all within the
    /// budgets.
    private func mayReply(_ reply: TextReply, to user: UserID) async throws -> Bool {
        try await database.write(about: Subjects([user])) { transaction in
            if reply == .help {
                let before = transaction.now.adding(.zero - Self.pauseBetweenHelp)
                guard try transaction.noteHelp(to: user, unlessAfter: before) else { return false }
            }
            return try transaction.spend(
                reply == .help ? .everyday : .alertNews, on: .sms, by: user, options.budgets)
        }
    }

    // MARK: STOP and START

    /// STOP: the number gets no text messages but the codes that its owner asks for, and without an
    /// account no calls. Those who rely on the person are told, and an invitation to the number
    /// counts as declined. Without START nothing is stored: the provider sends nothing until then.
    public func stopTexts(to number: PhoneNumber) async throws {
        guard options.takesTextAnswers else { return }
        try await database.write(
            about: Subjects(
                [], names: [number.text], isRepeatable: true,
                search: { connection in
                    let inviting = try connection.pendingInvitations(to: number).map(\.owner)
                    guard let user = try connection.user(phoneNumber: number) else {
                        return inviting
                    }
                    let contacts = try connection.contacts(of: user.id).map(\.contact)
                    return inviting + [user.id] + contacts
                })
        ) { transaction in
            for (owner, id) in try transaction.pendingInvitations(to: number) {
                guard let me = try transaction.user(owner),
                    let invitation = try transaction.invitation(id, of: owner)
                else { continue }
                try decline(invitation, for: me, in: transaction)
            }
            guard let user = try transaction.user(phoneNumber: number), user.smsStoppedAt == nil
            else { return }
            try transaction.stopTexts(to: user)
            let news = Notice(
                text: .textsStopped(name: user.displayName, isGuest: user.guestSince != nil),
                about: user.id, cannotBeMuted: true)
            for owner in try owners(relyingOn: user.id, in: transaction) {
                try notify(Recipient(owner), news, in: transaction)
            }
        }
    }

    /// The same for a user whose provider says that they have written STOP.
    public func stopTexts(to user: UserID) async throws {
        let number = try await database.read { try $0.user(user)?.phoneNumber }
        if let number { try await stopTexts(to: number) }
    }

    /// Returns whether text messages had been stopped.
    private func startTexts(to user: UserID) async throws -> Bool {
        try await database.write(
            about: Subjects([user]) { try $0.contacts(of: user).map(\.contact) }
        ) { transaction in
            guard try transaction.startTexts(to: user) else { return false }
            _ = try owners(relyingOn: user, in: transaction)
            return true
        }
    }

    /// The people whose responder the user is. Their lists of contacts change.
    private func owners(
        relyingOn user: UserID, in transaction: Transaction
    ) throws -> [UserRow] {
        try transaction.contacts(of: user).filter { $0.relation.dependent.isInForce }
            .compactMap { row in
                try transaction.append(.contactChanged(.init(contactID: user)), to: row.contact)
                return try transaction.user(row.contact)
            }
    }
}
