/// A property that must hold after each step.
public struct Invariant: Sendable {
    public var name: String
    public var rule: String
    /// Returns nil if the invariant holds. The closure is nil for an invariant that is checked
    /// during events (`Incident`).
    var check: (@Sendable (Observation) -> String?)?

    init(_ name: String, _ rule: String, _ check: (@Sendable (Observation) -> String?)? = nil) {
        self.name = name
        self.rule = rule
        self.check = check
    }

    public static let all: [Invariant] = [
        // The deadline monitor
        Invariant(
            "missed", "A missed deadline has an open alert within a second of running time.", missed
        ),
        Invariant(
            "early", "No alert without a cause: no deadline is missed early.", early),
        Invariant(
            "repeats", "An alert nobody has taken on is repeated at the moments of product.md.",
            repeats),
        Invariant("silent", "An open alert always has a next repeat.", silent),
        Invariant("pause", "A report pauses the repeats for 12 hours, not longer.", pause),
        Invariant(
            "question",
            "Who took it on is asked after 30 minutes; 5 more, and all are told.", question),
        Invariant(
            "again", "A new missed deadline restarts the escalation of the open alert.", again),
        Invariant("status", "An open missed-check-in alert means non-responsive.", status),
        Invariant("watch", "The deadline monitor never stops, whatever one row does."),
        Invariant(
            "prompt", "Each loop is awake within a second of the due time of its first row."),
        Invariant(
            "grace", "After an outage, missed deadlines wait for a grace of 60 seconds.", grace),
        Invariant(
            "restore", "After a restore, the person is asked 15 minutes before the responders.",
            restore),
        Invariant("window", "Deadlines, in rows and in answers, are those of the schedule."),
        Invariant("paused", "A paused person has no missed check-in.", paused),
        Invariant(
            "scheduleNews",
            "Responders are told of each change of a pause or journey, and of later deadlines.",
            scheduleNews),
        Invariant(
            "silence", "Nobody is silent for longer than the form showed, without an alert.",
            silence),
        Invariant(
            "overdue", "An overdue journey has an alert within a second after its grace.", overdue),
        Invariant(
            "awaited", "No alert about a journey opens early, or stays after the arrival.",
            awaited),
        Invariant(
            "chosen", "Until all responders are told, nobody hears of a journey but the chosen."),
        Invariant(
            "return",
            "A person is reminded 15 minutes before the return and at it, not after the arrival.",
            returns),
        Invariant("journey", "A journey starts, moves and ends as its person asks."),
        Invariant(
            "source",
            "A source checks in at most once a minute, by its name, and not after its removal."),
        Invariant("downtime", "\"We could not tell you\" is only said when a server was down."),
        Invariant(
            "clock",
            "The server's time errs by 5 % of the wrong clock's time, and is right a minute later.",
            clock),
        Invariant(
            "wrongStart",
            "A start with a fast clock, corrected within a minute, alarms nobody early or late.",
            wrongStart),
        // Alerts
        Invariant("cause", "A manual alert was raised by its owner."),
        Invariant("end", "An alert ends by its owner's doing: a check-in, an end, leaving."),
        Invariant(
            "acknowledgement", "The answer to an acknowledgement names its person and its time."),
        // Notifications
        Invariant(
            "alarm", "The limits of SMS delay no alarm: within 2 minutes all have one.", alarm),
        Invariant(
            "ladder", "Whatever other channels do, each that works tells within its time.", ladder),
        Invariant("rounds", "The ladder holds for every round of an alert.", rounds),
        Invariant("calls", "Nobody is called after the end, or while somebody is on it."),
        Invariant(
            "callPause",
            "After half an hour, six hours pass between two calls, or 30 minutes after an answer."),
        Invariant(
            "latest", "The last message on each channel is true, or a true one follows.", latest),
        Invariant(
            "acts", "Each act on an alert reaches the owner and the other responders.", acts),
        Invariant("twice", "Nobody is alarmed twice for one moment of an alert."),
        Invariant(
            "unanswered", "The owner is told after 15 minutes without an answer.", unanswered),
        Invariant("told", "\"Told\" names nobody whom nothing can reach."),
        Invariant("budget", "SMS and calls cost their owner what the budget allows."),
        Invariant("waiting", "No row waits longer than its rule allows."),
        Invariant(
            "reminder", "Each reminder that is on comes once, and none after the check-in.",
            reminder),
        Invariant(
            "lastCall",
            "Each part of a last call comes once, before the alert, and not after a check-in.",
            lastCall),
        Invariant(
            "texts",
            "An answer by SMS or by a link takes effect, and after a STOP no SMS comes."),
        Invariant(
            "drill",
            "A drill is at most daily, beside no alert, and asks only those who have agreed."),
        Invariant("mail", "Only the code that was sent there confirms an e-mail address."),
        Invariant("allClear", "Everyone told of a beginning is told of the end.", allClear),
        Invariant("order", "Nobody reads \"needs help\" after \"is fine\"."),
        Invariant("stranger", "Nobody is told who is not a responder."),
        Invariant("storm", "SMS about one person to another stay below eleven in ten minutes."),
        Invariant("words", "The observer understands every message about an alert."),
        // Consent
        Invariant("consent", "Nobody has a role without the consent of the one it concerns."),
        Invariant(
            "oldCode",
            "A code is worthless after a renewal, a removal or the end of a responder's role."),
        Invariant("blocked", "Nothing passes between two people of whom one blocked the other."),
        Invariant(
            "invitation",
            "A link brings the role to which its reader has said yes, and signing up keeps it."),
        Invariant("leaving", "Only the right code deletes an account."),
        Invariant(
            "copy",
            "The copy equals the rows once nobody waits, and has nothing of a deleted account."),
        Invariant("forgotten", "Guests are forgotten some time after their last relation ends."),
        // Sign-in and administrators
        Invariant(
            "lock", "A lock stops invitations, requests and changes, but no check-in or alert."),
        Invariant(
            "move",
            "A moved number changes after 24 hours, and never once a device has stopped it.", move),
        Invariant(
            "announcement",
            "Each account hears an announcement once, without SMS, and by mail only of a restore.",
            announcement),
        Invariant("acts", "Each person reads what administrators did with the account."),
        Invariant("administration", "Administrators' commands do what they say."),
        Invariant(
            "search", "Administrators find exactly the people they look for, and read no notes."),
        Invariant("log", "The log has each act of an administrator, once, and nothing else."),
        Invariant(
            "transfer", "An export has all but secrets, and an import brings back what it says."),
        Invariant(
            "accountNews", "People are told at once what happens to their account.", accountNews),
        Invariant("devices", "News of an account reaches each working device.", devices),
        Invariant(
            "signInWait", "With the sign-in lock, a code waits 7 days, and nothing shortens it."),
        Invariant("recovery", "Each recovery code works once."),
        Invariant("token", "A token for a number signs in once."),
        Invariant("code", "A code signs in once, for 5 minutes and 5 attempts."),
        Invariant(
            "codes",
            "A number gets the codes of an hour and a day, and its own devices 3 an hour more."),
        Invariant(
            "number",
            "A number changes by a code that was sent there. Then only the new one counts."),
        Invariant(
            "session", "Old access tokens, ended sessions and copied refresh tokens are refused."),
        Invariant(
            "passkey", "Only its device signs in by a passkey, once for each challenge."),
        Invariant("signUp", "Only numbers that may sign up or have an account get a code."),
        Invariant("pass", "A pass raises one alert of its person, for 7 days."),
        Invariant("numbers", "Numbers are converted once, unless another account has the form."),
        Invariant("gone", "A deleted person gets nothing more."),
        // Refusals
        Invariant("refused", "An invalid call is refused with the error that names it."),
        Invariant("unchanged", "A refused call changes nothing and sends nothing."),
        // What people read
        Invariant("shelf", "Each list in the app shows what is known, once and in order."),
        Invariant("privacy", "Nobody reads what isn't theirs."),
        // Nothing is lost
        Invariant("durable", "What was answered stays, through kills and restarts."),
        Invariant("sameAnswer", "The same check-in again gets the same answer."),
        Invariant("signedIn", "A lost answer signs nobody out."),
        Invariant(
            "updates", "iPhones learn of a check-in elsewhere, once in twenty minutes.", updates),
        Invariant("endpoint", "No endpoint is forgotten without a word to its owner."),
        Invariant("report", "A provider's report is kept, however early it comes."),
        Invariant("reason", "Every settled row of the ledger that did not arrive has a reason."),
        Invariant("unexpected", "Nothing fails while nothing is wrong."),
    ]
}
