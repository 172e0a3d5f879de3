import ComposableArchitecture
import Domain

typealias ContactQuestion =
    ConfirmationAlertState<ContactDetailsSheetViewFeature.Action.Confirmation>

extension ContactQuestion {
    typealias Sheet = ContactDetailsSheetViewFeature.State

    static func responder(_ isOn: Bool, _ sheet: Sheet) -> Self {
        let name = sheet.displayName
        guard isOn || !sheet.ownRequests.contains(.responder) else {
            return withdrawal("be your responder", sheet, .responderConfirmed(false))
        }
        return question(
            isOn ? "Make \(name) your responder?" : "Remove \(name) as your responder?",
            isOn
                ? """
                \(name) will be told when you miss a check-in or raise an alert, can ping you, \
                and can read your emergency note and when you checked in. They have to accept \
                first.
                """
                : """
                \(sheet.lossOfProtection)\(name) will no longer be told when you need help, and \
                can’t ping you or read your emergency note. A ping that waits for your answer is \
                cleared.
                """,
            .responderConfirmed(isOn), isDestructive: !isOn
        )
    }

    static func dependent(_ isOn: Bool, _ sheet: Sheet) -> Self {
        let name = sheet.displayName
        guard isOn || !sheet.ownRequests.contains(.dependent) else {
            return withdrawal("let you watch over them", sheet, .dependentConfirmed(false))
        }
        return question(
            isOn ? "Watch over \(name)?" : "Stop watching over \(name)?",
            isOn
                ? """
                You will be told when \(name) misses a check-in or raises an alert, and you \
                can ping them. They have to accept first.
                """
                : """
                You will no longer be told when \(name) needs help. \(sheet.lossOfTheirs)A ping \
                that you sent is cleared. \(name) is told of this.
                """,
            .dependentConfirmed(isOn), isDestructive: !isOn
        )
    }

    static func remove(_ sheet: Sheet) -> Self {
        let name = sheet.displayName
        let ending = """
            \(sheet.lossOfProtection)You will no longer be contacts, and neither of you will be \
            told when the other needs help. \(sheet.lossOfTheirs)
            """
        guard sheet.canBeRemovedQuietly else {
            return question(
                "Remove \(name)?", "\(ending)\(name) is told of this.", .removeConfirmed,
                isDestructive: true)
        }
        return Self {
            TextState("Remove \(name)?")
        } actions: {
            ButtonState(role: .destructive, action: .removeConfirmed) {
                TextState("Remove and tell them")
            }
            ButtonState(role: .destructive, action: .removeQuietlyConfirmed) {
                TextState("Remove without a message")
            }
            ButtonState(role: .cancel) { TextState("Cancel") }
        } message: {
            TextState(
                """
                \(ending)If you remove \(name) without a message, they get no notice, but can see \
                that you are gone.
                """)
        }
    }

    static func block(_ sheet: Sheet) -> Self {
        let name = sheet.displayName
        return question(
            "Block \(name)?",
            """
            \(sheet.lossOfProtection)\(name) is removed from your contacts, and can’t add, ping or \
            see you. Neither of you will be told when the other needs help. \
            \(sheet.lossOfTheirs)They are told that you are no longer contacts, but not that you \
            blocked them. You can unblock them in the settings.
            """,
            .blockConfirmed, isDestructive: true, button: "Block"
        )
    }

    /// The question before a request is withdrawn. Without a warning, because a requested role
    /// doesn't protect yet.
    private static func withdrawal(
        _ request: String, _ sheet: Sheet,
        _ action: Action
    ) -> Self {
        let name = sheet.displayName
        return question(
            "Withdraw your request?",
            """
            You asked \(name) to \(request), and \(name) has not answered yet. Your request \
            will be withdrawn. \(name) is told of this.
            """,
            action, isDestructive: true, button: "Withdraw request"
        )
    }

    private static func question(
        _ title: String, _ message: String,
        _ action: Action, isDestructive: Bool,
        button: String = "Remove"
    ) -> Self {
        Self {
            TextState(title)
        } actions: {
            ButtonState(role: isDestructive ? .destructive : nil, action: action) {
                TextState(isDestructive ? button : "Confirm")
            }
            ButtonState(role: .cancel) { TextState("Cancel") }
        } message: {
            TextState(message)
        }
    }
}

extension ContactDetailsSheetViewFeature.State {
    /// False if the contact relies on the user as a responder. The contact must then be told of a
    /// removal.
    fileprivate var canBeRemovedQuietly: Bool { contact?.isDependent == false }

    /// The warning that the user would lose their protection; empty if an accepted responder
    /// remains.
    fileprivate var lossOfProtection: String {
        switch protectionWithout {
        case .nobody?: "\(displayName) is your last responder. No one will be alerted. "
        case .asked?:
            "\(displayName) is the last responder who has accepted. "
                + "Only people who have not accepted yet will be alerted, by push only. "
        case .accepted?, nil: ""
        }
    }

    /// The warning that the contact may lose their protection. It says "may", because the number of
    /// their responders is private.
    fileprivate var lossOfTheirs: String {
        contact?.isDependent == true ? "\(displayName) may have no other responder. " : ""
    }
}
