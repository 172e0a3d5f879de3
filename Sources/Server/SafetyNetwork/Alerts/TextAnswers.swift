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
        let alert: AlertKey
        switch try await textedSubject(of: user) {
        case .alert(let key): alert = key
        case .drill(let id):
            let question = try await answerDrill(id, by: .sms, person: user)
            return question.answeredAt == nil ? .nothingOpen : .drillConfirmed
        case nil: return .nothingOpen
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
        guard case .alert(let alert) = try await textedSubject(of: user) else {
            return .nothingOpen
        }
        do {
            return try await declineAlert(alert.id, by: user, over: .sms).isActive
                ? .declined : .nothingOpen
        } catch CommandError.notFound {
            return .nothingOpen
        }
    }

    /// An alert or a drill that waits for an answer.
    private enum TextedSubject {
        case alert(AlertKey)
        case drill(DrillID)
    }

    /// The subject that an answer means: that of the newest SMS. The answer proves that text
    /// messages arrive.
    private func textedSubject(of user: UserID) async throws -> TextedSubject? {
        let newest = try await database.read { connection in
            let alert = try connection.textedAlerts(of: user).first { alert, _ in
                try connection.alert(alert.id, visibleTo: user)?.isOpen == true
            }
            var subjects = try Self.textedDrills(of: user, in: connection)
            if let alert { subjects.append((.alert(alert.alert), alert.newest)) }
            return subjects.max { $0.newest < $1.newest }?.subject
        }
        guard let newest else { return nil }
        try await database.write(about: Subjects([user], isRepeatable: true)) {
            try $0.proveTexts(to: user)
        }
        return newest
    }

    /// Those that wait for an answer, or have it and might go on: a gateway may bring the same
    /// answer twice, and the second one must not mean somebody's alert.
    private static func textedDrills(
        of user: UserID, in connection: any SQLConnection
    ) throws -> [(subject: TextedSubject, newest: Date)] {
        let now = connection.now
        return try connection.allDrillQuestions(to: user).compactMap { question in
            let isCurrent =
                question.isOpen(at: now)
                || question.answeredAt != nil && now < question.startedAt.adding(DrillRules.length)
            guard isCurrent, let notification = question.notificationID,
                let newest = try connection.textTime(of: notification, to: user)
            else { return nil }
            return (.drill(question.id), newest)
        }
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
