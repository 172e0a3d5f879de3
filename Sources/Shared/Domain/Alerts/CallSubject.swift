/// The state of an alert or a drill, as a phone call announces it.
public enum CallSubject: Equatable, Sendable {
    /// - Parameters:
    ///   - name: the name of the person who needs help.
    ///   - since: how long ago the alert began.
    ///   - received: how long ago the server received an alert that came late; nil for others.
    ///   - deadline: how long ago the missed deadline was (`AlertRules.lateDeadline`).
    ///   - toldLate: true if an outage delayed the alert.
    case needsHelp(
        name: String, AlertKind, since: Duration, received: Duration? = nil,
        deadline: Duration? = nil, toldLate: Bool = false)
    /// The recipient has acknowledged the alert.
    case isYours(name: String)
    /// Another responder has acknowledged the alert.
    case isTaken(name: String)
    /// The alert has ended or was deleted.
    case isOver
    /// The recipient may not see the alert any more. It may be on or not.
    case noLongerAsked
    /// The recipient has declined the alert.
    case isDeclined(Asked)
    /// The recipient has changed the answer too often, so the refusal doesn't count.
    case isNotCounted
    /// This person's drill asks the recipient to answer.
    case drill(name: String)
    case isConfirmed
    case drillIsOver
    /// No stored drill asks the recipient: they left it, or its owner has started another.
    case drillNoLongerAsks
    /// The drill's owner has an open alert that the recipient is told of. This call can't answer
    /// it.
    case alertAfterDrill(name: String, AlertKind)
    /// The alert has ended, and the recipient is told of another open one of the same person. This
    /// call can't answer it.
    case otherAlert(name: String, AlertKind)
    /// The recipient's own deadline is near, or has passed.
    case lastCall(minutes: Int)
    /// The alert about the recipient's missed check-in is open. A later schedule doesn't close it.
    case missedCheckIn(ToldResponders)
    /// - Parameters:
    ///   - isAlertOn: true if an alert of the recipient is still open, such as one about a journey.
    ///   - areRespondersTold: true if the check-in has ended the alert about the missed one.
    case isCheckedIn(isAlertOn: Bool, areRespondersTold: Bool = false)
    /// The check-in came before a window, and moved no deadline.
    /// - Parameters:
    ///   - words: when the window opens (`SourceRules.answer`).
    ///   - isAlertOn: the same as for `isCheckedIn`.
    case isRecorded(_ words: String, isAlertOn: Bool)
    /// The deadline has moved without a check-in.
    case nothingIsDue
    /// The recipient's number has changed since the call was made, so it can't check in.
    case numberHasChanged
    /// The recipient's own alert is open.
    case ownAlert(ToldResponders)

    /// Who is asked after the recipient has declined.
    public enum Asked: Equatable, Sendable {
        case others
        /// Everyone who is asked has refused.
        case noOneIsLeft
        /// A report pauses the alarms.
        case noOneNow
    }

    /// True if key 2 is an answer. In a last call it asks for help, even if a check-in or a change
    /// of the schedule has arrived during the call. Drills use only key 1.
    public var takesKeyTwo: Bool {
        switch self {
        case .drill, .isConfirmed, .drillIsOver, .drillNoLongerAsks, .alertAfterDrill, .ownAlert:
            false
        case .needsHelp, .isYours, .isTaken, .isOver, .otherAlert, .noLongerAsked, .isDeclined,
            .isNotCounted, .lastCall, .missedCheckIn, .isCheckedIn, .isRecorded, .nothingIsDue,
            .numberHasChanged:
            true
        }
    }
}
