/// The text of a refusal, the same in the server's answer and in the clients.
public struct RefusalWords: Equatable, Sendable {
    public let message: String
    public let suggestion: String

    /// Used for the `detail` of a problem document.
    public var detail: String { "\(message) \(suggestion)" }

    init(_ message: String, _ suggestion: String) {
        self.message = message
        self.suggestion = suggestion
    }

    /// "4,000": with commas between thousands.
    private static func number(_ value: Int) -> String {
        guard value >= 1_000 else { return "\(value)" }
        let rest = String(value % 1_000)
        return number(value / 1_000) + "," + String(repeating: "0", count: 3 - rest.count) + rest
    }

    /// - Parameter limits: in minutes.
    private static func minutes(_ limits: ClosedRange<Int>) -> String {
        "\(Duration.minutes(limits.lowerBound).words) to "
            + Duration.minutes(limits.upperBound).words
    }
}

/// Refusals that every operation shares.
extension RefusalWords {
    public static let sessionOver = Self(
        "Your session has ended. Another device may have ended it, or deleted the account.",
        "Sign in with your phone number.")
    public static let internalError = Self(
        "Something went wrong at LifeSignal. It was noted and will be looked at.",
        "Try again. If it keeps happening, wait a little.")
}

/// Refusals about the user's own account.
extension RefusalWords {
    public static let codeLength = Self(
        "The code has 6 digits.", "Type it as it is in the message.")
    public static let deviceName = Self(
        "A device name has 1 to 100 characters on one line.",
        "Correct the device’s name and try again.")
    public static let nameMarks = Self(
        "A letter of this name has too many accents or parts.", "Use fewer of them.")
    public static let nameLink = Self(
        "A name can’t contain a link.", "Use the name that people know.")
    public static let nameReserved = Self(
        "In a message, this name would read like LifeSignal’s own words.",
        "Use the name that people know, not one such as “No one”, “You” or “No responder”.")
    public static let nameSentence = Self(
        "A name can’t contain a sentence.",
        "Use dots between words only for initials and titles, such as J. R. or Dr.")
    public static let nameDuringAlert = Self(
        "Your name stays the same while the alert of somebody you help is open.",
        "Change it after the alert has ended.")
    public static let nameOfAnother = Self(
        "A contact of yours, or another responder of theirs, has this name.",
        "Choose a name that tells you apart.")
    public static let namesRefused = Self(
        "Too many names that you chose today belong to contacts of yours or their responders.",
        "Choose a name tomorrow.")
    public static let namesTold = Self(
        "Your name has changed \(ProfileRules.announcedNamesPerDay) times in 24 hours.",
        "Your contacts are told of each new name.")
    /// - Parameter time: when the name can change again: "14:10 CET on Sunday".
    public static func nameWaits(until time: String) -> String {
        "\(namesTold.message) It can change again at \(time)."
    }
    /// The refusals of a name that is well-formed.
    public static let names = [
        nameMarks, nameLink, nameReserved, nameSentence, nameDuringAlert, nameOfAnother,
        namesRefused, namesTold,
    ]
    public static let emergencyNote = Self(
        "An emergency note has at most \(number(ProfileRules.emergencyNoteLength.upperBound)) "
            + "characters.",
        "Shorten the note and try again.")
    public static let emailAddress = Self(
        "Enter an e-mail address like ana@example.org.", "Check it and try again.")
    public static let noEmail = Self(
        "This server sends no e-mail.", "Ask the people who run it.")
    public static let numberTaken = Self(
        "Another account has this phone number.",
        "Sign in with that number, or choose another one.")
    public static let guestNumber = Self(
        "This phone number has accepted an invitation to help somebody.",
        "End that with the link in its messages, then try again with a new code.")
    public static let accountLocked = Self(
        "The people who run this server have locked your account.",
        "Check-ins and alerts work as before. Settings says why it is locked.")
    public static let muted = Self("Alerts can’t be muted.", "Choose other types to mute.")
}

/// Refusals about new accounts.
extension RefusalWords {
    public static let noCodes = Self(
        "This server sends no text messages, so no code was sent.",
        "Ask the people who run it for a link that signs you in.")
    public static let tokenNeeded = Self(
        "A new account on this server needs an invitation.",
        "Ask somebody who has an account, or the people who run the server.")
    public static let signUpClosed = Self(
        "This server takes no new accounts.", "Ask the people who run it.")
    public static let tokenUnknown = Self(
        "This sign-up link is not valid.", "Check that you have copied all of it.")
    public static let tokenUsedUp = Self(
        "This sign-up link has been used up.", "Ask the people who run the server for another.")
    public static let tokenExpired = Self(
        "This sign-up link has expired.", "Ask the people who run the server for another.")
    public static let tokenRevoked = Self(
        "This sign-up link was withdrawn.", "Ask the people who run the server for another.")
    public static let tokenOtherNumber = Self(
        "This sign-up link is for another phone number.", "Enter the number that it was made for.")

    /// The refusals about new accounts, by the reason that the server sends.
    public static let signUp: [InvalidInputReason: Self] = [
        .noCodes: noCodes, .tokenNeeded: tokenNeeded, .signUpClosed: signUpClosed,
        .tokenUnknown: tokenUnknown, .tokenUsedUp: tokenUsedUp, .tokenExpired: tokenExpired,
        .tokenRevoked: tokenRevoked, .tokenOtherNumber: tokenOtherNumber,
    ]
}

/// Refusals about the sign-in lock, recovery codes and passkeys.
extension RefusalWords {
    public static let signInWaits = Self(
        "The sign-in lock is on. Devices that are signed in were told, and can stop this sign-in.",
        "Sign in with a new code or link 7 days after the first, or with a recovery code now.")
    public static let signInStopped = Self(
        "The sign-in lock is on, and another device has stopped this sign-in.",
        "Use a recovery code, or try again in 7 days.")
    /// Returns the text of a sign-in that the lock holds back.
    /// - Parameter time: from when a code signs in: "14:10 UTC on 5 December".
    public static func heldBack(_ reason: InvalidInputReason, until time: String) -> Self {
        reason == .signInStopped
            ? Self(signInStopped.message, "Use a recovery code, or try again from \(time).")
            : Self(
                signInWaits.message,
                "Sign in with a new code or link from \(time), or with a recovery code now.")
    }

    public static let deletionWaits = Self(
        "The phone number of this account was changed in the last 7 days.",
        "Delete the account 7 days after the change.")
    /// Returns the text of a deletion that comes too soon after a change of the number.
    /// - Parameter time: from when a code deletes the account: "14:10 UTC on 5 December".
    public static func deletionHeld(until time: String) -> Self {
        Self(deletionWaits.message, "Delete the account from \(time).")
    }

    public static let recoveryCodeWrong = Self(
        "This recovery code is wrong, was used, or was replaced.",
        "Check the phone number and the code, or use another code.")
    public static let recoveryCodeLength = Self(
        "A recovery code has 16 letters and digits.", "Type it as you have noted it.")
    public static let recoveryCodeNeeded = Self(
        "While the sign-in lock is on, new recovery codes need one of the old ones.",
        "Enter an unused code, or turn the lock off first.")
    public static let recoveryCodesGone = Self(
        "These recovery codes were used or replaced.", "Make new ones.")
    public static let recoveryCodeTooNew = Self(
        "Your recovery codes were made less than 7 days ago. They can’t turn the sign-in lock off "
            + "yet.",
        "Turn it off without a code, which takes 7 days. If you did not make the codes, make new "
            + "ones.")

    public static let passkeyName = Self(
        "A passkey’s name has 1 to 40 characters on one line.", "Choose another name.")
    public static let passkeyInvalid = Self(
        "This device’s answer was not a valid passkey.", "Try again, or use a code.")
    public static let passkeyUnknown = Self(
        "LifeSignal doesn’t know this passkey. It may have been removed.",
        "Use another passkey, or a code.")
    public static let passkeyOtherSite = Self(
        "This passkey was used for another site.", "Open LifeSignal at its own address.")
    public static let passkeyTooLate = Self(
        "That took too long, or was sent twice.", "Try again.")
    public static let passkeyUnverified = Self(
        "The device did not check that it is you.",
        "Set up a screen lock, a fingerprint or a PIN, and try again.")
    public static let passkeyCopied = Self(
        "This passkey may have been copied, so it was not accepted.",
        "Use a code, and remove the passkey in Settings.")
    public static let passkeysFull = Self(
        "You have reached the limit of \(PasskeyRules.limit) passkeys.",
        "Remove one before you add another.")

    /// These refusals, by the reason that the server sends.
    public static let signInSecurity: [InvalidInputReason: Self] = [
        .signInWaits: signInWaits, .signInStopped: signInStopped,
        .recoveryCodeWrong: recoveryCodeWrong, .recoveryCodeNeeded: recoveryCodeNeeded,
        .recoveryCodeTooNew: recoveryCodeTooNew,
        .passkeyInvalid: passkeyInvalid, .passkeyUnknown: passkeyUnknown,
        .passkeyOtherSite: passkeyOtherSite, .passkeyTooLate: passkeyTooLate,
        .passkeyUnverified: passkeyUnverified, .passkeyCopied: passkeyCopied,
        .passkeysFull: passkeysFull,
    ]
}

/// Refusals about check-ins.
extension RefusalWords {
    public static let checkInTime = Self(
        "The time of this check-in can’t be right.",
        "Check the date and time of this device, then check in again.")

    /// - Parameter limits: the shortest and the longest interval, such as "1 hour" and "7 days".
    static func interval(_ limits: (String, String)) -> Self {
        Self(
            "The time between check-ins is \(limits.0) to \(limits.1).", "Choose another time.")
    }
}

/// Refusals about times for check-ins.
extension RefusalWords {
    /// For a client that doesn't know which rule the server means.
    public static let times = Self(
        "These times can’t be used.", "Check the times, the days and the time zone.")
    public static let timeZone = Self(
        "LifeSignal doesn’t know this time zone.", "Choose another one, such as Europe/Berlin.")
    public static let noTimeZone = Self(
        "Enter your time zone.", "It is a place, such as Europe/Berlin.")
    /// - Parameter timeZone: the unknown name.
    static func unknown(_ timeZone: String) -> Self {
        timeZone.allSatisfy(\.isWhitespace) ? noTimeZone : Self.timeZone
    }
    public static let noTimes = Self(
        "A check-in needs a time and at least one day.", "Choose both.")
    public static let windowLength = Self(
        "Check-ins can open \(minutes(CheckInWindow.leads)) before their deadline.",
        "Choose another opening.")
    public static let windowsPerDay = Self(
        "A day has at most \(CheckInTimes.windowsPerDay) deadlines.", "Remove one.")
    public static let deadlinesTooClose = Self(
        "Two deadlines are at least "
            + "\(Duration.minutes(CheckInTimes.minutesBetweenDeadlines).words) apart.",
        "Change or remove one of them.")
    public static let windowsOverlap = Self(
        "A check-in opens before the deadline of the one before it.", "Let it open later.")
    public static let sleepLength = Self(
        "Sleep hours last \(minutes(SleepHours.lengths)).", "Choose another begin or end.")
    public static let pauseEnd = Self(
        "A pause ends in the next \(CheckInPause.longest.components.seconds / 86_400) days.",
        "Choose another end.")
    public static let pauseEndPassed = Self(
        "The end of this pause has passed.", "Choose a later end.")
    public static let pauseDuringAlert = Self(
        "You can’t pause check-ins while an alert of yours is open.",
        "End the alert, or check in, first.")
    public static let pauseChangedSince = Self(
        "You have since changed your pause on another device, and that counts.",
        "Change it again if you need to.")
}

/// Refusals about journeys.
extension RefusalWords {
    public static let journeyName = Self(
        "A journey needs a name of at most \(JourneyRules.nameLength.upperBound) characters, on "
            + "one line and without a link.",
        "Enter a shorter name, such as the place.")
    public static let journeyNote = Self(
        "A note has at most \(number(JourneyRules.noteLength.upperBound)) characters.",
        "Shorten the note.")
    public static let journeyGrace = Self(
        "The time after the return is \(JourneyRules.graceMinutes.lowerBound) to "
            + "\(JourneyRules.graceMinutes.upperBound) minutes.", "Choose another time.")
    public static let journeyReturn = Self(
        "A return is at least \(JourneyRules.shortest.words) and at most "
            + "\(JourneyRules.longest.words) ahead.",
        "Choose another time.")
    public static let journeyRuns = Self(
        "You are already on a journey.", "Say that you have arrived, or extend it.")
    public static let journeyResponders = Self(
        "A journey needs a responder who has accepted.",
        "Choose people who have accepted, or invite somebody first.")
    public static let endOfJourney = Self(
        "Only your arrival or a later return ends this alert.",
        "Say that you have arrived, or choose a later return.")
}

/// Refusals about sources of check-ins.
extension RefusalWords {
    public static let sourceName = Self(
        "A source’s name has 1 to 40 characters on one line.", "Choose another name.")
    public static let sourcesFull = Self(
        "You have reached the limit of \(SourceRules.limit) sources.",
        "Remove one before you add another.")
}

/// Refusals about webhooks.
extension RefusalWords {
    public static let webhookTemplate = Self(
        "There is no such template.", "Choose lifesignal, ntfy, matrix, telegram or text.")
    public static let ntfyAddress = Self(
        "An ntfy address is like https://ntfy.sh/topic.",
        "A topic has 1 to 64 letters, digits, hyphens and underscores.")
    public static let webhookServer = Self(
        "Give the address of the server only, like https://matrix.example.org.",
        "LifeSignal adds the path.")
    public static let matrixRoom = Self(
        "A Matrix room has an id like !abc:example.org.",
        "It is in the room’s settings; an alias with # does not work.")
    public static let telegramChat = Self(
        "A Telegram chat is a number, or the @name of a channel.",
        "Write to the bot first, and then look the number up.")
    public static let noWebhookChat = Self(
        "This template has no room or chat.", "Leave it out.")
    public static let telegramToken = Self(
        "A Telegram bot has a long token that begins like 123456:ABC-DEF.",
        "Copy it from BotFather.")
    public static let webhookToken = Self(
        "An access token has 1 to 1,000 letters, digits and signs, without spaces.",
        "Copy it from the service’s settings.")
    public static let noWebhookToken = Self("This template has no token.", "Leave it out.")
}

/// Refusals about contacts and pings.
extension RefusalWords {
    public static let notACode = Self(
        "This is not a LifeSignal code.",
        "Scan the code in the other person’s app, or type the id below it.")
    public static let ownCode = Self(
        "This is your own code.", "Scan the code of the other person.")
    public static let unknownCode = Self(
        "No one has this code. It may have been renewed.", "Ask for their current code.")
    public static let alreadyConnected = Self(
        "You are connected to this person already.",
        "Change their roles in your contacts if you want to.")
    public static let blocked = Self(
        "You blocked this person.", "Unblock them first, then scan their code again.")
    public static let contactsFull = Self(
        "You have reached the limit of \(ContactRules.limit) contacts.",
        "Remove one before you add another.")
    public static let otherContactsFull = Self(
        "This person has reached the limit of \(ContactRules.limit) contacts.",
        "Ask them to remove one, then scan again.")
    public static let codeHeld = Self(
        "This person can’t be added now.", "Scan their code again later.")
    public static let openRequests = Self(
        "You have \(ContactRules.openRequests) unanswered requests.",
        "Take one back first.")
    public static let noRole = Self(
        "A contact is your responder, or you watch over them, or both.",
        "Choose at least one role, or remove the contact.")
    /// - Parameter role: the role that a guest can't be asked for.
    public static func guestContact(_ role: ContactRole) -> Self {
        Self(
            "This contact has no account, and can’t accept a request.",
            role == .responder
                ? """
                To ask them to be your responder, invite them again under “Someone without \
                LifeSignal”.
                """
                : "You can watch over them once they have an account.")
    }
    public static let ownRequest = Self(
        "Only the other person can answer your request.", "Wait, or take it back.")
    public static let requestAccepted = Self(
        "This request was already accepted.", "To end the role, open the contact’s details.")
    public static let quietRemoval = Self(
        "They must be told, because your alert is on or they rely on you as a responder.",
        "End your alert first, or remove them with a message.")
    public static let ping = Self(
        "You can ping only people who have made you their responder.",
        "Ask them to change your role.")
}

/// Refusals about invitations.
extension RefusalWords {
    public static let alreadyContact = Self(
        "This person is your contact already.",
        "In your contacts, ask them to be your responder.")
    public static let invitationAccepted = Self(
        "This person said yes, and is your contact.", "Remove the contact instead.")
    public static let invitedName = Self(
        "This name can’t be used in a message.",
        "Use at most 40 letters, without digits, links or symbols.")
    public static let senderName = Self(
        "Your name can’t be used in a message.",
        "Use at most 40 letters, without digits, links or symbols, in your profile.")
}

/// Refusals about alerts.
extension RefusalWords {
    public static let endOfOthersAlert = Self(
        "Only the person who raised an alert can end it.", "You can take it on, or call them.")
    public static let endOfMissedCheckIn = Self(
        "An alert about a missed check-in ends with a check-in.", "Check in.")
    public static let ownAlert = Self(
        "Only a responder can take on an alert, not the person who needs help.",
        "End it when you are safe.")
    public static let notAccepted = Self(
        "Only a responder who has accepted can do this.",
        "Accept the request under Contacts first.")
}

/// Refusals about drills.
extension RefusalWords {
    public static let drillToday = Self(
        "You held a drill in the last 24 hours.", "Start the next one tomorrow.")
    public static let drillOverBudget = Self(
        "The server’s text messages and calls left for today don’t suffice for a drill.",
        "Start it tomorrow.")
    public static let noResponders = Self(
        "No one has agreed to be your responder yet.", "Add a responder first.")
    public static let alertOpen = Self(
        "You can’t hold a drill while your alert is open.", "Start it after your alert has ended.")
}
