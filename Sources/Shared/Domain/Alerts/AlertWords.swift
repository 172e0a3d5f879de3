/// The texts about alerts that the screens, the terminal and the messages share.
public enum AlertWords {
    /// Returns "Alert ended. Ben and Cleo are being told."; nil if there are no responders. The
    /// text doesn't say "have been told", because no message has arrived yet when the person
    /// presses the button.
    public static func ended(told names: [String]) -> String? {
        guard let last = names.last else { return nil }
        let others = names.dropLast().joined(separator: ", ")
        let people = others.isEmpty ? "\(last) is" : "\(others) and \(last) are"
        return "Alert ended. \(people) being told."
    }

    /// Returns "Ben reports that Ana is safe". A report can be wrong, so the text never states it
    /// as a fact.
    /// - Parameters:
    ///   - responder: the responder's name; nil if the reader is the responder.
    ///   - person: the name of the person who needs help; nil if it is the reader.
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

    /// Returns "until Ana checks in", the only way to end the alert.
    /// - Parameter name: the name of the alert's owner; nil if it is the reader.
    public static func untilEnd(of kind: AlertKind, name: String?) -> String {
        switch (kind, name) {
        case (.manual, let name?): "until \(name) ends it"
        case (.manual, nil): "until you end it"
        case (.missedCheckIn, let name?): "until \(name) checks in"
        case (.missedCheckIn, nil): "until you check in"
        }
    }

    /// Returns "on “Firefox on Linux”", with the name that the device gave itself.
    public static func place(_ ending: AlertRecord.Ending) -> String {
        "on \(name(ending) ?? "another device")"
    }

    /// Returns “Firefox on Linux”; nil for a name that can't be shown.
    public static func name(_ ending: AlertRecord.Ending) -> String? {
        NotificationText.quoted(ending.deviceName)
    }
}
