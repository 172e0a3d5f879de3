import Domain

extension AlertFeature.State {
    public var isOnOrBeingRaised: Bool { isAlertActive || isActivatingAlert }

    /// A hold, of a finger or after the question, is under way.
    public var isEnding: Bool {
        canDeactivateAlert && deactivationProgress > 0 && !isFullyDeactivated
    }

    /// The hint on the button that calls for help, and how often it has been pressed.
    public var pressWords: String {
        let presses = Int((activationProgress / AlertRules.tap).rounded())
        return presses == 0 ? AlertFeature.pressHint : "\(presses) of \(AlertFeature.presses)"
    }

    /// The title of the screen of an alert that is on.
    public var title: String { isActivatingAlert ? "Calling for help …" : "Alert is on" }

    /// The words on the button that is held.
    public var holdWords: String { isDeactivatingAlert ? "Ending …" : "I am safe: hold to end" }

    /// In place of an empty list of those who were told.
    public var nobodyToldWords: String {
        hasResponders == false || isSendingStart ? "No one." : "Your responders are being told."
    }

    /// While no one has taken the alert on.
    public var noAnswerWords: String {
        if hasResponders == false {
            "No one was told: you have no responders. Call for help directly."
        } else if isSendingStart {
            "No one has been told yet."
        } else {
            "No one has answered yet. Your responders are alerted again until someone does."
        }
    }

    /// In place of an empty history.
    public var emptyHistoryWords: String {
        if isLoadingHistory { return "Loading …" }
        return nextHistoryPage == nil ? "None yet." : "None among the latest."
    }
}

extension AlertFeature {
    fileprivate static let presses = Int((1 / AlertRules.tap).rounded())

    /// The hint on the button that calls for help, while nobody presses it.
    public static let pressHint = "Call for help: press \(presses) times"

    /// The hint beside the button that is held.
    public static let holdHint =
        """
        Hold it for \(AlertRules.hold.words), with a finger, the space bar or the enter \
        key.
        """

    /// The name of the file with the table of alerts.
    public static let tableName = "alerts.csv"
}
