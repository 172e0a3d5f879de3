import Domain

extension CheckInFeature.State {
    public var isSheetOpen: Bool { scheduleSheet != nil }
    public var tone: Tone { Tone(status) }

    /// - Parameter isProtected: somebody would hear of a missed check-in; nothing is called well
    ///   before that is known.
    public func statusWords(isProtected: Bool) -> String {
        if isOverdue { return "You’re overdue: check in now" }
        guard nextCheckInTime != nil else { return "Not started" }
        return switch status {
        case .normal: isProtected ? "All is well" : "Checked in"
        case .warning: "Check in soon"
        case .critical: "Check in now"
        }
    }

    /// Words about actions that have not reached the server; nil when all have.
    public var waitingWords: String? {
        if isWaitingToBeSent {
            return
                """
                Your check-in will be sent as soon as LifeSignal can be reached. Until then your \
                responders don’t know about it, and your deadline stays.
                """
        }
        return areSettingsWaiting
            ? "Your new interval and reminders will be sent as soon as LifeSignal can be reached."
            : nil
    }

    /// "Every 24 hours · reminders 2 h and 30 min before".
    public var scheduleWords: String {
        let leads = settings.reminders.map(\.lead.shortWords)
        let reminders =
            leads.isEmpty ? "no reminders" : "reminders \(leads.joined(separator: " and ")) before"
        return "Every \(checkInInterval.words) · \(reminders)"
    }

    /// The words on the button.
    /// - Parameter hasMissed: the button says what it does.
    public func buttonWords(hasMissed: Bool) -> String {
        if isCheckingIn { return "Checking in …" }
        return hasMissed ? "Press to tell everyone you’re OK" : "Check in"
    }

    /// In place of an empty history.
    public var emptyHistoryWords: String { isLoadingHistory ? "Loading …" : "None yet." }
    public var saveWords: String { isSavingSettings ? "Saving …" : "Save" }
}
