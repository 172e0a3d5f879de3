/// Texts about alerts that screens, terminal and messages share.
public enum AlertWords {
    /// Returns "Alert ended. Ben and Cleo are being told."; nil without responders. The text
    /// doesn't say "were told", because no message has arrived at this moment.
    public static func ended(told names: [String]) -> String? {
        guard let last = names.last else { return nil }
        let others = names.dropLast().joined(separator: ", ")
        let people = others.isEmpty ? "\(last) is" : "\(others) and \(last) are"
        return "Alert ended. \(people) being told."
    }

    /// Returns the words of the button that lifts a report.
    public static func lift(alertsEveryone: Bool) -> String {
        alertsEveryone ? "Alert everyone again" : "The report is not true"
    }

    /// Returns "Ben reports that Ana is safe". The text names the responder, because the report may
    /// be wrong.
    /// - Parameters:
    ///   - responder: the responder's name; nil if the reader is the responder.
    ///   - person: the name of the person who needs help; nil if the reader is that person.
    public static func reported(
        _ report: AlertReport, by responder: String?, about person: String?
    ) -> String {
        switch report {
        case .withThem:
            let whom = person ?? "you"
            return responder.map { "\($0) says they are with \(whom)" }
                ?? "You said that you are with \(whom)"
        case .foundSafe:
            return "\(reports(responder)) that \(person.map { "\($0) is" } ?? "you are") safe"
        case .emergencyServicesCalled:
            return "\(reports(responder)) that emergency services were called"
        }
    }

    private static func reports(_ responder: String?) -> String {
        responder.map { "\($0) reports" } ?? "You reported"
    }

    /// Returns "Ana needs help".
    /// - Parameter journey: the name of the journey of such an alert, if known.
    public static func title(
        of kind: AlertKind, name: String, journey: String? = nil
    ) -> String {
        switch kind {
        case .manual: "\(name) needs help"
        case .missedCheckIn: "\(name) has not checked in"
        case .journey: "\(name) is not back from \(journey ?? "a journey")"
        }
    }

    /// Returns what ends the alert: "until Ana checks in".
    /// - Parameter name: the name of the alert's owner; nil if the reader is the owner.
    public static func untilEnd(of kind: AlertKind, name: String?) -> String {
        switch (kind, name) {
        case (.manual, let name?): "until \(name) ends it"
        case (.manual, nil): "until you end it"
        case (.missedCheckIn, let name?): "until \(name) checks in"
        case (.missedCheckIn, nil): "until you check in"
        case (.journey, let name?): "until \(name) says that they have arrived"
        case (.journey, nil): "until you say that you have arrived"
        }
    }

    /// Text for the responders of an alert that an outage delayed.
    public static let toldLate = "LifeSignal told you later than it should have."

    /// Text for a responder whose answer is beyond the limit of changes (`ActRules`).
    public static let answerIgnored =
        "You have changed your answer too often, so this one does not count."

    /// Returns "on “Firefox on Linux”", with the name that the device gave itself.
    public static func place(_ ending: AlertRecord.Ending) -> String {
        "on \(name(ending) ?? "another device")"
    }

    /// Returns “Firefox on Linux”; nil if the name may not be shown.
    public static func name(_ ending: AlertRecord.Ending) -> String? {
        NotificationText.quoted(ending.deviceName)
    }
}

extension AlertRecord.Acknowledgement.End {
    /// Follows "Ben took it on", or "Ben took it on after 40 seconds".
    public var words: String {
        switch self {
        case .withdrew: " and withdrew"
        case .lostRole: " and then stopped being a responder"
        case .lapsed: " and did not confirm"
        case .released: ""
        }
    }
}
