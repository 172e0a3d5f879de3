/// A change of a relation.
public enum ContactNews: Sendable, CaseIterable {
    case added, asked, accepted, declined, withdrawn, rolesChanged
}

extension NotificationText {
    /// - Parameters:
    ///   - isMine: true if the reader made the change; false if the other person did.
    ///   - relation: the new relation, from the reader's side.
    ///   - old: the relation before the change. The text begins with the roles that ended.
    public static func contact(
        _ news: ContactNews, name: String, isMine: Bool, relation: Relation,
        old: Relation = Relation()
    ) -> Self {
        let title =
            switch news {
            case .added where relation.isConnected: "\(name) is now your contact"
            case .added where !isMine: "\(name) used your code"
            case .added, .asked: isMine ? "You asked \(name)" : "\(name) asks you"
            case .accepted:
                isMine ? "You accepted \(name)'s request" : "\(name) accepted your request"
            case .declined:
                isMine ? "You declined \(name)'s request" : "\(name) declined your request"
            case .withdrawn:
                isMine ? "You took back your request to \(name)" : "\(name) took back their request"
            case .rolesChanged: "Roles changed with \(name)"
            }
        var body = sentence(name, relation, after: old)
        if news == .added, !isMine { body += usedCode }
        let type: NotificationType =
            news == .added ? .contactAdded : relation.isEmpty ? .contactRemoved : .roleChanged
        return .init(type, title, TimedText(body))
    }

    /// The title has no name. Beyond the limit on news, the newest message with a title replaces
    /// the others that wait.
    public static func contactRenamed(from old: String, to new: String) -> Self {
        .init(
            .system, "A contact has another name",
            "\(old) is now called \(new). If this surprises you, ask in another way.")
    }

    public static func contactRemoved(name: String) -> Self {
        .init(
            .contactRemoved, "\(name) is no longer your contact",
            "You are no longer connected with \(name).")
    }

    /// Text for a person who has just lost a responder.
    public static func protectionLost(_ left: Protection) -> Self {
        .init(
            .system, "You have no responders now",
            left == .nobody
                ? "No one will be alerted if you miss a check-in."
                : "Only people who have not accepted yet will be alerted if you miss a check-in.")
    }

    /// The end of the message to a person whose code has been used.
    fileprivate static let usedCode =
        " They used your code. If this surprises you, remove or block them."

    fileprivate static func sentence(
        _ name: String, _ relation: Relation, after old: Relation = Relation()
    ) -> String {
        let roles = relation.roles
        var sentences: [String] = []
        if old.dependent.isInForce, !relation.dependent.isInForce {
            sentences.append("You are no longer told when \(name) needs help.")
        }
        if old.responder.isInForce, !relation.responder.isInForce {
            sentences.append("\(name) is no longer told when you need help.")
        }
        switch (roles.isResponder, roles.isDependent) {
        case (true, true): sentences.append("You and \(name) watch over each other.")
        case (true, false): sentences.append("\(name) is told when you need help.")
        case (false, true): sentences.append("You are told when \(name) needs help.")
        case (false, false): break
        }
        for request in relation.requests {
            switch (request.role, request.isMine) {
            case (.responder, true):
                sentences.append("\(name) has not accepted yet to be your responder.")
            case (.responder, false): sentences.append("\(name) asks to be your responder.")
            case (.dependent, true): sentences.append("You asked to be \(name)'s responder.")
            case (.dependent, false): sentences.append("\(name) asks you to be their responder.")
            }
        }
        return sentences.isEmpty
            ? "You are not connected with \(name)." : sentences.joined(separator: " ")
    }
}

extension NotificationItem {
    /// Returns the message that a person used the reader's code, with the present relation: a
    /// request may have been answered since. Returns nil after the person has left the contacts.
    /// Returns every other message unchanged.
    public func current(with contact: ContactData?) -> NotificationItem? {
        guard type == .contactAdded, body.hasSuffix(NotificationText.usedCode) else { return self }
        guard let contact else { return nil }
        var item = self
        let name = ProfileRules.displayName(contact.name)
        item.body =
            NotificationText.sentence(name, contact.relation) + NotificationText.usedCode
        return item
    }
}

/// News of the account, about what responders and other people see.
extension NotificationText {
    /// - Parameter wasEmpty: true for a first note. The onboarding asks for one, so the session's
    ///   own device doesn't show that news.
    public static func noteChanged(wasEmpty: Bool) -> Self {
        .init(
            .system, "Your emergency note was changed",
            TimedText(
                "A device changed it. Your profile shows what your responders read. \(ifNotYou)"),
            kind: wasEmpty ? .other : .lastingChange)
    }

    public static let responderOrderChanged = NotificationText(
        .system, "The order of calls was changed",
        TimedText("Another device changed which responder is called first. \(ifNotYou)"))

    public static let qrCodeRenewed = NotificationText(
        .system, "You have a new QR code",
        TimedText("Another device made it, and the old code no longer works. \(ifNotYou)"))
}

extension NotificationText {
    /// Text message to the number of an account that an administrator deleted; at most 160
    /// characters. The person may have another account at another server.
    /// - Parameter mode: nil if it isn't known.
    public static func accountDeletedText(signUp mode: SignUpMode?) -> String {
        "The people who run your LifeSignal server deleted your account. It alerts no one for you "
            + "any more. \(returning(mode))"
    }

    /// What the former owner of a deleted account can do.
    static func returning(_ mode: SignUpMode?) -> String {
        switch mode {
        case .open: "Tell your contacts, and sign up again if you need it."
        case .invited: "Tell your contacts. A new account needs an invitation."
        case .closed: "Tell your contacts. The server takes no new accounts."
        case nil: "Tell your contacts."
        }
    }
}
