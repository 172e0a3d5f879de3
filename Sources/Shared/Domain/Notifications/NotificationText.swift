import Foundation

/// The text of a notification. It never contains the emergency note (product.md, "Notifications").
public struct NotificationText: Equatable, Sendable {
    public var type: NotificationType
    public let kind: NotificationKind
    public var title: String
    private var timedBody: TimedText

    init(
        _ type: NotificationType, _ title: String, _ body: TimedText,
        kind: NotificationKind = .other
    ) {
        self.type = type
        self.kind = kind
        self.title = title
        timedBody = body
    }

    /// - Parameters:
    ///   - zone: the reader's time zone; nil if unknown.
    ///   - now: when the reader gets the message.
    public func body(in zone: ClockZone?, at now: Date) -> String {
        timedBody.text(in: zone, at: now)
    }

    func adding(_ sentence: TimedText) -> Self {
        var text = self
        text.timedBody = timedBody + " " + sentence
        return text
    }
}

extension NotificationText {
    /// Text that a device shows its own user while a check-in waits to be sent.
    public static func checkInWaits(deadline: Date) -> Self {
        .init(
            .system, "Your check-in has not been sent",
            """
            LifeSignal could not be reached. Open it where there is a connection, before \
            \(clock: deadline).
            """)
    }

    /// Text that a device shows its own user. The device doesn't know whether the responders were
    /// told.
    public static func deadlinePassed(deadline: Date) -> Self {
        .init(
            .alert, "You missed your check-in",
            """
            You should have checked in by \(clock: deadline). Check in to let your responders \
            know that you are fine.
            """)
    }

    public static func missedCheckIn(name: String, deadline: Date, at now: Date, late: Bool) -> Self
    {
        let lateness =
            late
            ? " This is late: LifeSignal could not tell you for \(span(now.since(deadline)))."
            : ""
        return .init(
            .alert, "\(name) missed a check-in",
            """
            \(name) should have checked in by \(clock: deadline). Please find out if they are \
            fine.\(lateness)
            """
        )
    }

    /// Text for a user without responders.
    public static func nobodyWasTold(deadline: Date) -> Self {
        .init(
            .alert, "You missed your check-in",
            """
            You should have checked in by \(clock: deadline). You have no responders, so no one \
            was told. If you need help, call for help directly.
            """
        )
    }

    /// Text for the user after the responders were notified. Says whether any message can reach
    /// them.
    public static func respondersWereTold(deadline: Date, _ responders: ToldResponders) -> Self {
        let rest: TimedText =
            responders.told > 0
            ? "\(responders.words) being told. Check in to let them know you are fine."
            : "\(responders.silence) Check in if you are fine. If not, call for help directly."
        return .init(
            .alert, "You missed your check-in",
            "You should have checked in by \(clock: deadline). " + rest)
    }

    /// Text for a user who raised an alert and has no responders.
    public static let alertReachedNobody = NotificationText(
        .alert, "No one was told",
        "You have no responders, so no one was told. Call for help directly."
    )

    /// Text for a user who raised an alert that no message can bring to the responders.
    public static func alertReachedNobody(_ responders: ToldResponders) -> Self {
        .init(
            .alert, "Your alert may reach no one",
            TimedText("\(responders.silence) Call for help directly."))
    }

    /// Text for the responders of an alert without an acknowledgement. Some may have declined,
    /// withdrawn or not confirmed.
    public static func alertRepeated(
        name: String, kind: AlertKind, since time: Date, receivedAt: Date? = nil
    ) -> Self {
        let title =
            switch kind {
            case .manual: "\(name) still needs help"
            case .missedCheckIn: "\(name) still hasn't checked in"
            case .journey: "\(name) is still not back"
            }
        let start = beginning(time, receivedAt: receivedAt)
        return .init(.alert, title, "No one is on it yet. The alert began at \(start).")
    }

    public static func alertAcknowledged(responder: String, name: String) -> Self {
        .init(.alert, "\(responder) is on it", "\(responder) is helping \(name).")
    }

    /// Text for the person in need.
    public static func helpIsComing(responder: String) -> Self {
        .init(.alert, "\(responder) is on it", "\(responder) is helping you.")
    }

    /// Text for the responder who is on it. The question fits `TextAnswer`: "yes" confirms the
    /// acknowledgement, and "no" withdraws it.
    public static func doesItGoOn(name: String) -> Self {
        .init(
            .alert, "Are you still helping \(name)?",
            "Confirm that you are still on it, or everyone will be told again.",
            kind: .helpQuestion)
    }

    /// Text for the responders who were told of the missed check-in.
    public static func checkedIn(name: String, occurredAt: Date, receivedAt: Date) -> Self {
        let delay: TimedText =
            receivedAt.since(occurredAt).isLate
            ? ", received \(clock: receivedAt)" : ""
        return .init(
            .checkIn, "\(name) checked in",
            "\(name) checked in at \(clock: occurredAt)\(delay).")
    }

    public static func ping(name: String) -> Self {
        .init(.ping, "\(name) asks if you are fine", "Answer with one tap.")
    }

    /// An answer that arrives late gives both times, because the person may not be fine any more.
    public static func pingAnswered(name: String, at answered: Date, receivedAt: Date) -> Self {
        guard receivedAt.since(answered).isLate else {
            return .init(.ping, "\(name) is fine", "\(name) answered your ping.")
        }
        return .init(
            .ping, "\(name) answered your ping",
            "\(name) was fine at \(clock: answered), received \(clock: receivedAt).")
    }

    public static func pingCleared(name: String) -> Self {
        .init(.ping, "No answer needed", "\(name) has taken the ping back.")
    }

    public static func pingEndedByRoles(name: String) -> Self {
        .init(
            .ping, "Ping cleared",
            "Your roles with \(name) changed, so the ping was cleared.")
    }

    /// - Parameters:
    ///   - byAdministrator: true if the person did not delete the account.
    ///   - duringAlert: true if the contact was told of an alert that ends with the account.
    ///   - expected: the return from a running journey that the contact knows of.
    public static func accountDeleted(
        name: String, byAdministrator: Bool = false, duringAlert: Bool = false,
        expected: Date? = nil
    ) -> Self {
        let alert = duringAlert ? " The alert has ended with it." : ""
        let text =
            byAdministrator
            ? Self(
                .contactRemoved, "\(name) is no longer on LifeSignal",
                """
                The people who run this server deleted the account. \(name) is no longer your \
                contact.\(alert)
                """)
            : Self(
                .contactRemoved, "\(name) has left LifeSignal",
                "\(name) deleted the account and is no longer your contact.\(alert)")
        guard let expected else { return text }
        return text.adding(
            """
            They wanted to be back at \(clock: expected). LifeSignal no longer tells you if they \
            are late.
            """)
    }

    private static func span(_ duration: Duration) -> String {
        let minutes = max(1, duration.milliseconds / 60_000)
        return minutes < 120
            ? "\(minutes) minute\(minutes == 1 ? "" : "s")"
            : Duration.hours(Int(minutes / 60)).elapsedWords
    }
}

/// News of the account. The session's own device shows it only if the change outlasts the session.
/// It can't be muted.
extension NotificationText {
    static let ifNotYou = "If that was not you, end its session."
    /// The end of the session leaves a passkey and recovery codes.
    private static let unlessAdded = "If you did not add it, remove it in Settings."
    private static let unlessUsed = "If you did not use it, make new codes in Settings."
    /// Replaces `ifNotYou` on the session's own device.
    static let ifNotYouHere =
        "If that was not you, someone else may have used this device: check your settings."

    /// - Parameter device: the name that the app or browser reported at sign-in.
    public static func signedIn(device: String, at time: Date) -> Self {
        .init(
            .system, "New sign-in to your account",
            "\(quoted(device) ?? "A device") signed in at \(clock: time). \(ifNotYou)")
    }

    public static let sessionReused = NotificationText(
        .system, "A session was ended",
        """
        Its key was used twice, so somebody may have copied it. Sign in there again, and end \
        the sessions that are not yours.
        """)

    public static let deviceSignedOut = NotificationText(
        .system, "A device was signed out",
        """
        Another device signed it out. It and the webhooks added there get no more messages. If \
        that was not you, end the sessions that are not yours.
        """)

    public static let deviceSignedOutByLink = NotificationText(
        .system, deviceSignedOut.title,
        """
        The link in an e-mail signed it out. It and the webhooks added there get no more messages. \
        If that was not you, somebody may read your e-mail.
        """)

    /// - Parameters:
    ///   - device: the name that the app or browser reported at sign-in.
    ///   - learnedAt: see `alertEnded`.
    public static func alertEndedElsewhere(
        device: String, at time: Date, learnedAt: Date? = nil
    ) -> Self {
        .init(
            .system, "Your alert was ended on another device",
            """
            It was ended on \(quoted(device) ?? "another device") at \(clock: time)\
            \(learnedAfterRestore(learnedAt)). If that was not you, call for help again and end \
            its session.
            """)
    }

    public static let scheduleChanged = NotificationText(
        .system, "Your check-in schedule was changed",
        "Another device changed how often you check in, or the reminders. \(ifNotYou)")

    /// Returns “Firefox on Linux”; nil if the name may not be shown.
    public static func quoted(_ device: String) -> String? {
        isShown(device) ? "“\(device)”" : nil
    }

    /// Returns true if the name of a device or a source may be shown. The person who signs in
    /// chooses the name. It must not contain a link or a message, nor be a subject of LifeSignal's.
    static func isShown(_ device: String) -> Bool {
        let isPlain = device.unicodeScalars.allSatisfy {
            $0.properties.isAlphabetic || " -'’".unicodeScalars.contains($0)
                || ("0"..."9").contains($0)
        }
        return isPlain && !device.isEmpty && device.count <= 40 && !ProfileRules.isSubject(device)
    }

    public static let lockTurnedOn = NotificationText(
        .system, "The sign-in lock was turned on",
        "A code alone now waits 7 days before it signs in. \(ifNotYou)", kind: .lastingChange)

    public static func lockEnds(at time: Date) -> Self {
        .init(
            .system, "The sign-in lock was turned off",
            """
            It stays on until \(clock: time). If that was not you, keep it on in Settings, and end \
            the sessions that are not yours.
            """, kind: .lastingChange)
    }

    public static let lockStaysOn = NotificationText(
        .system, "The sign-in lock stays on", "The session that turned it off was ended.")

    public static let lockTurnedOff = NotificationText(
        .system, "The sign-in lock was turned off",
        "A recovery code turned it off at once. \(ifNotYou)", kind: .lastingChange)

    public static func signInWaits(device: String, until time: Date) -> Self {
        .init(
            .system, "Somebody has a code for your account",
            """
            \(quoted(device) ?? "A device") can sign in from \(clock: time). If that is not you, \
            stop it in Settings.
            """)
    }

    public static let signInWaitStopped = NotificationText(
        .system, "The waiting sign-in was stopped",
        "No other sign-in by a code alone can begin for 7 days. \(ifNotYou)",
        kind: .lastingChange)

    public static let newRecoveryCodes = NotificationText(
        .system, "You have new recovery codes",
        """
        The old ones no longer work. If you did not make them, make others in Settings. \(ifNotYou)
        """, kind: .lastingChange)

    public static func recoveryCodeUsed(left: Int) -> Self {
        let rest = "\(left) of \(RecoveryCodeRules.count) are left. \(unlessUsed) \(ifNotYou)"
        return .init(
            .system, "A recovery code was used", TimedText(rest), kind: .lastingChange)
    }

    public static func passkeyAdded(name: String) -> Self {
        let words = "\(quoted(name) ?? "It") signs in without a code. \(unlessAdded) \(ifNotYou)"
        return .init(.system, "A passkey was added", TimedText(words), kind: .lastingChange)
    }

    public static func passkeyRenamed(from old: String, to new: String) -> Self {
        let words = "\(quoted(old) ?? "It") is now called \(quoted(new) ?? "something else")."
        return .init(
            .system, "A passkey was renamed", TimedText("\(words) \(ifNotYou)"),
            kind: .lastingChange)
    }

    public static func passkeyRemoved(name: String) -> Self {
        let words = "\(quoted(name) ?? "It") no longer signs you in. \(ifNotYou)"
        return .init(.system, "A passkey was removed", TimedText(words), kind: .lastingChange)
    }

    public static func personUnblocked(name: String) -> Self {
        .init(
            .system, "A person was unblocked", "\(name) can add you again. \(ifNotYou)",
            kind: .lastingChange)
    }

    public static let passkeyCopied = NotificationText(
        .system, "A passkey may have been copied",
        "A sign-in with it was refused. Remove the passkey in Settings, and add a new one.")

    /// Text message to the account's number; at most 160 characters.
    public static let signInLockIsOn =
        "Your LifeSignal sign-in lock was turned on. From now on, a code by SMS waits 7 days "
        + "before it signs in. If that was not you, turn it off in Settings."

    /// Text message to the number for which a code was entered; at most 160 characters.
    public static let signInWaitBegan =
        "Somebody entered a LifeSignal code for this number. They can sign in after 7 days. If "
        + "that is not you, open LifeSignal and stop it in Settings."

    public static func deletionCode(_ code: String) -> String {
        """
        \(code) deletes your LifeSignal account. It is valid for \
        \(SignInRules.codeLifetime.words). If you did not ask for it, end the sessions that are \
        not yours.
        """
    }
}

/// News from the administrators of the server. They can't be muted.
extension NotificationText {
    public static func accountLocked(reason: String) -> Self {
        .init(
            .system, "Your account was locked",
            """
            You can’t invite or ask people, or change your profile. Check-ins and alerts work as \
            before. The reason: \(reason)
            """)
    }

    public static func accountUnlocked(reason: String) -> Self {
        .init(.system, "Your account was unlocked", "The reason: \(reason)")
    }

    public static func announcement(_ text: String, maintenance: Maintenance?) -> Self {
        guard let maintenance else { return announcement(TimedText(text)) }
        let end = text.last.map { $0.isLetter || $0.isNumber } ?? false ? "." : ""
        let (from, until) = (maintenance.from, maintenance.until)
        return announcement("\(text)\(end) Maintenance: from \(clock: from) to \(clock: until).")
    }

    public static func announcement(_ text: TimedText) -> Self {
        .init(.system, "From the people who run this server", text)
    }

    public static func numberMoves(to number: PhoneNumber, at time: Date) -> Self {
        .init(
            .system, titleOfNumberChange,
            """
            An administrator moves your account to \(number) at \(clock: time). If you did not \
            ask for that, stop it in Settings.
            """)
    }

    public static func signInLinkMade(reason: String) -> Self {
        .init(
            .system, "A link signs in to your account",
            """
            An administrator made a link that signs in your number once, without a code. If you \
            did not ask for that, ask them to revoke it. The reason: \(reason)
            """)
    }

    public static func accountExported(reason: String) -> Self {
        .init(
            .system, "Your data was exported",
            """
            An administrator made a file with everything about you, to move you to another server. \
            The reason: \(reason)
            """)
    }

    public static let numberMoveStopped = NotificationText(
        .system, "Your phone number stays", "The change was stopped.")

    public static let newNumberTaken = NotificationText(
        .system, "Your phone number stays",
        "It was not changed, because another person on LifeSignal has the new number.")

    /// Text message to the present number of an account; at most 300 characters.
    /// - Parameter isLocked: whether the sign-in lock holds a code longer than the change waits.
    public static func numberWillLeave(at address: String, isLocked: Bool) -> String {
        let way = isLocked ? " Your sign-in lock is on: use a passkey or a recovery code." : ""
        return """
            LifeSignal moves your account to another number in 24 hours. To stop it, sign in at \
            \(address) with this number and open Settings.\(way)
            """
    }
}

extension NotificationText {
    public static let emailRemoved = NotificationText(
        .system, "An e-mail address was removed",
        "A device removed it, so messages no longer come by e-mail. \(NotificationText.ifNotYou)",
        kind: .lastingChange)

    /// Last e-mail to the address of a deleted account.
    /// - Parameter reason: an administrator's; nil if a device of the user deleted the account.
    public static func lastMail(
        deletedFor reason: String?, signUp mode: SignUpMode?
    ) -> (subject: String, paragraphs: [String]) {
        let act =
            reason.map {
                "The people who run your LifeSignal server deleted your account. Reason: \($0)"
            } ?? "Your LifeSignal account was deleted on a device that was signed in to it."
        let advice =
            reason == nil
            ? """
            If that was not you, somebody else may use your phone or read its messages. \
            \(returning(mode))
            """ : returning(mode)
        return (
            "Your LifeSignal account was deleted",
            [
                act, "LifeSignal alerts no one for you any more. Your contacts were told.", advice,
                "This is the last message to this address.",
            ]
        )
    }

    public static let emailStopped = NotificationText(
        .system, "You get no more e-mail",
        "Somebody used the link in an e-mail to stop them. You can add the address again.")

    public static let emailIsGone = NotificationText(
        .system, "E-mail does not reach you",
        """
        Your mail provider says that there is no such mailbox. LifeSignal keeps trying for \
        \(EndpointRules.daysUntilGivenUp) days.
        """)

    public static let emailGivenUp = NotificationText(
        .system, "Your e-mail address was removed",
        "No message has reached it for \(EndpointRules.daysUntilGivenUp) days. Add it again.")
}

extension NotificationText {
    /// Text message to the account's previous number; at most 160 characters.
    public static let numberLeft =
        "Your LifeSignal account moved to another number. If this was not you, open LifeSignal "
        + "where you are still signed in and change the number back."

    private static let titleOfNumberChange = "Your phone number will change"

    public static func numberWillChange(to number: PhoneNumber, at time: Date) -> Self {
        .init(
            .system, titleOfNumberChange,
            """
            The sign-in lock is on, so the change to \(number) waits until \(clock: time). If that \
            was not you, stop it in Settings, and end the sessions that are not yours.
            """, kind: .lastingChange)
    }

    /// Text message to the present number of a locked account; at most 300 characters.
    public static func numberWaits(at address: String) -> String {
        """
        Your LifeSignal account moves to another number in 7 days. To stop it, open Settings where \
        you are still signed in, or sign in at \(address) with a recovery code.
        """
    }

    public static func numberChanged(to number: PhoneNumber) -> Self {
        .init(
            .system, "Your phone number was changed",
            """
            Your account moved to \(number), which you now need to sign in by a code or a recovery \
            code. If this was not you, end the sessions that are not yours and change it back.
            """, kind: .lastingChange)
    }

    /// Text for a user whose number belongs, in another form, to another account.
    public static let numberTaken = NotificationText(
        .system, "Another account has your phone number",
        """
        It is the same number, written in another way. You stay signed in here. To sign in again \
        later, enter another number in your profile, or use the other account.
        """)

    public static func contactNumberChanged(name: String) -> Self {
        .init(
            .system, "\(name) has a new phone number",
            """
            \(name)'s account moved to another phone number. If this surprises you, ask \(name) in \
            another way.
            """)
    }
}

extension NotificationText {
    /// Text for the person after a restore, before the responders are told.
    public static func areYouOK(
        deadline: Date, incompleteSince: Date, responders: ToldResponders
    ) -> Self {
        let threat = responders.willBeTold("told in 15 minutes.")
        return .init(
            .alert, "Are you OK? Please check in",
            """
            We restored a backup and may have lost a check-in that you made after \
            \(clock: incompleteSince). By our records, you should have checked in by \
            \(clock: deadline). \(threat)
            """)
    }

    /// Text for the responders after a restore, if the person hasn't answered.
    public static func mayHaveMissed(
        name: String, deadline: Date, incompleteSince: Date, askedAt: Date
    ) -> Self {
        .init(
            .alert, "\(name) may have missed a check-in",
            """
            \(name) should have checked in by \(clock: deadline). LifeSignal restored a backup \
            and may have lost a check-in made after \(clock: incompleteSince). \(name) \
            was asked at \(clock: askedAt) and has not answered. Please find out if \(name) is fine.
            """)
    }
}
