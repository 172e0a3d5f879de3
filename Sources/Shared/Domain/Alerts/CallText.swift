/// What a phone call says.
public struct CallText: Equatable, Sendable {
    public var words: String
    /// Which keys answer; nil if the call ends after the words.
    public var choice: String?

    private init(_ words: String, choice: String? = nil) {
        self.words = words
        self.choice = choice
    }

    public init(_ subject: CallSubject) {
        self =
            switch subject {
            case .needsHelp(let name, let kind, let since, let received, let deadline, let late):
                CallText(
                    Self.needsHelp(name, kind, since, received, deadline, toldLate: late),
                    choice: "Press 1 if you take it on. Press 2 if you can't.")
            case .isYours(let name): CallText("You have taken on the alert of \(name). Goodbye.")
            case .isTaken(let name):
                CallText("Somebody else has taken on the alert of \(name). Goodbye.")
            case .drill(let name):
                CallText(Self.drill(name), choice: "Press 1 to say: got it.")
            case .isConfirmed: CallText("Thank you. The drill has reached you. Goodbye.")
            case .drillIsOver: CallText("This is LifeSignal. The drill is over. Goodbye.")
            case .drillNoLongerAsks:
                CallText(
                    "This is LifeSignal. This was only a drill. You are no longer asked. Goodbye.")
            case .alertAfterDrill(let name, let kind):
                CallText(Self.alertAfterDrill(name, kind))
            case .lastCall(let minutes):
                CallText(Self.lastCall(minutes), choice: Self.lastCallChoice)
            case .missedCheckIn(let responders):
                CallText(
                    "This is LifeSignal. You missed your check-in. \(Self.told(responders))",
                    choice: Self.lastCallChoice)
            case .isCheckedIn(let isAlertOn, let areRespondersTold):
                CallText(
                    "This is LifeSignal. You have checked in. Thank you."
                        + (areRespondersTold ? " Your responders are told that you are fine." : "")
                        + Self.goodbye(isAlertOn: isAlertOn))
            case .isRecorded(let words, let isAlertOn):
                CallText(
                    "This is LifeSignal. \(words) Check in again then."
                        + Self.goodbye(isAlertOn: isAlertOn))
            case .nothingIsDue:
                CallText("This is LifeSignal. Your deadline has changed. Goodbye.")
            case .numberHasChanged:
                CallText(
                    """
                    This is LifeSignal. The number of this account has changed, so this call can't \
                    check in. Open LifeSignal to check in. Goodbye.
                    """)
            case .ownAlert(let responders): CallText(Self.ownAlert(responders))
            case .isOver: CallText("This is LifeSignal. This alert has ended. Goodbye.")
            case .otherAlert(let name, let kind):
                CallText(
                    """
                    This is LifeSignal. This alert has ended, but another one is on: \
                    \(AlertWords.title(of: kind, name: name)). Please call \(name). Goodbye.
                    """)
            case .noLongerAsked:
                CallText(
                    """
                    This is LifeSignal. You are no longer asked to help. If you know that someone \
                    is in danger, call them. Goodbye.
                    """)
            case .isDeclined(.others): CallText("Thank you. We are asking someone else. Goodbye.")
            case .isDeclined(.noOneIsLeft):
                CallText("Thank you. No one else is left to ask. Goodbye.")
            case .isDeclined(.noOneNow): CallText("Thank you. Goodbye.")
            case .isNotCounted: CallText("\(AlertWords.answerIgnored) Goodbye.")
            }
    }

    /// The answer to the key that takes on the alert.
    public static func takenOn(name: String) -> CallText {
        CallText("Thank you. You have taken it on. \(name) will be told. Goodbye.")
    }

    public static let noKeyPressed = CallText("No key was pressed. Goodbye.")

    private static func needsHelp(
        _ name: String, _ kind: AlertKind, _ since: Duration, _ received: Duration?,
        _ deadline: Duration?, toldLate: Bool
    ) -> String {
        let time = ago(since) + (received.map { ", received \(ago($0))" } ?? "")
        let missed = deadline.map { " \(name) should have checked in \(ago($0))." } ?? ""
        let late = toldLate ? " \(AlertWords.toldLate)" : ""
        return switch kind {
        case .manual:
            "This is LifeSignal. \(name) needs help. \(name) raised an alert \(time)."
        case .missedCheckIn:
            """
            This is LifeSignal. \(name) has not checked in.\(missed) We raised an alert \
            \(time).\(late) Please find out if \(name) is fine.
            """
        case .journey:
            """
            This is LifeSignal. \(name) is not back from a journey. We raised an alert \
            \(time).\(late) Please find out if \(name) is fine.
            """
        }
    }

    private static func ago(_ duration: Duration) -> String {
        let minutes = duration.milliseconds / 60_000
        return switch minutes {
        case ..<1: "just now"
        case 1: "one minute ago"
        case 2..<120: "\(minutes) minutes ago"
        default: "\(Duration.hours(Int(minutes / 60)).elapsedWords) ago"
        }
    }

    private static func drill(_ name: String) -> String {
        """
        This is LifeSignal. This is only a drill: \(name) does not need help, and wants to know \
        whether a call would reach you.
        """
    }

    private static func alertAfterDrill(_ name: String, _ kind: AlertKind) -> String {
        """
        This is LifeSignal. This is not a drill: \(AlertWords.title(of: kind, name: name)). Please \
        call \(name). Goodbye.
        """
    }

    /// - Parameter minutes: whole minutes before the deadline; 0 afterwards, too.
    private static func lastCall(_ minutes: Int) -> String {
        let time =
            switch minutes {
            case ..<1: "Your deadline is now."
            case 1: "Your deadline is in one minute."
            default: "Your deadline is in \(minutes) minutes."
            }
        return "This is LifeSignal. You have not checked in. \(time)"
    }

    private static func goodbye(isAlertOn: Bool) -> String {
        (isAlertOn ? " Your alert is still on. Open LifeSignal to end it." : "") + " Goodbye."
    }

    private static let lastCallChoice = "Press 1 to check in. Press 2 to call for help."

    private static func ownAlert(_ responders: ToldResponders) -> String {
        "This is LifeSignal. Your alert is on. \(told(responders)) Goodbye."
    }

    private static func told(_ responders: ToldResponders) -> String {
        switch (responders.told, responders.all) {
        case (1..., _): "Your responders are being told."
        case (_, 1...): "No message reaches your responders. If you need help, call someone."
        default: "You have no responders who could be told. If you need help, call someone."
        }
    }
}
