import Domain

extension DependentAlertFeature.State {
    public var title: String {
        guard let alert else { return "Alert of \(displayName)" }
        if isOver { return "\(displayName)’s alert has ended" }
        return alert.kind == .manual
            ? "\(displayName) needs help" : "\(displayName) has not checked in"
    }

    /// The name of the moment at which it began.
    public var startTitle: String { alert?.kind == .manual ? "Raised" : "Deadline passed" }

    /// How it ended.
    public var endText: String? { alert.map { endWords($0.kind, displayName) } }

    public var helpersTitle: String { isOver ? "Who helped" : "Who’s helping" }

    /// The person who has taken it on, or that no one has.
    public var helperWords: String {
        guard let acknowledgement = alert?.acknowledgement else {
            return isOver
                ? "No one helped." : "No one yet. If you say you’re on it, the others are told."
        }
        guard isOver else { return acknowledgement.words(isMine: isMine) }
        return isMine
            ? "You helped" : "\(ProfileRules.displayName(acknowledgement.name)) helped"
    }

    public var showsAcknowledge: Bool { isOpen && (alert?.acknowledgement == nil || isMine) }
    public var showsRefusal: Bool { isOpen && alert?.acknowledgement == nil }
    public var showsWithdrawal: Bool { isMine && !isOver }

    public var acknowledgeWords: String {
        if isAcknowledging { return "Telling the others …" }
        return isMine ? "I’m still on it" : "I’m on it"
    }
    public var declineWords: String { response == .decline ? "Saying so …" : "I can’t" }
    public var withdrawWords: String {
        response == .withdraw ? "Telling everyone …" : "I can’t after all"
    }
    public var resumeWords: String {
        response == .resume ? "Alerting everyone …" : "Alert everyone again"
    }

    /// After the person has said that they can't.
    public var declinedWords: String {
        let next =
            othersTold.isEmpty
            ? "No one else was told: call \(displayName), or the emergency number."
            : "\(displayName)’s other responders are asked."
        return "You have said that you can’t. \(next)"
    }

    public var reportHint: String {
        "Everyone sees your report. The alert stays open until \(displayName) ends it."
    }
    public func words(for report: AlertReport) -> String {
        response == .report(report) ? "Telling everyone …" : report.title
    }

    /// A line of what happened.
    public func words(for action: AlertAction) -> String {
        let words = action.kind.words(
            by: isOwn(action) ? nil : ProfileRules.displayName(action.name), about: displayName)
        return action.means.map { "\(words), \($0)" } ?? words
    }

    /// The details have not loaded: a person can be called before that.
    public var unknownWords: String {
        "The alert’s details have not loaded yet. You can still call \(displayName)."
    }
}
