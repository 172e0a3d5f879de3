import Domain
import Foundation

extension AlertKind {
    public var words: String {
        switch self {
        case .manual: "Alert raised by hand"
        case .missedCheckIn: "Missed check-in"
        case .journey: "Overdue journey"
        }
    }
}

extension AlertRecord {
    /// "5 minutes 12 seconds"; nil while the alert is open.
    public var openWords: String? {
        endTime.map { Duration.seconds(Int(max(0, $0.timeIntervalSince(startTime)))).elapsedWords }
    }

    /// The time to show as the alert's begin: the missed deadline, if the alert began more than a
    /// minute later.
    public var shownStart: Date {
        AlertRules.lateDeadline(deadline, of: kind, startedAt: startTime) ?? startTime
    }

    /// The time of a responder's last answer. A new time causes a reload of the details.
    public var lastAnswerTime: Date? {
        [acknowledgement?.time, report?.time, refusals?.last?.time].compactMap(\.self).max()
    }

    /// "on “Firefox on Linux”": the device that ended the alert; nil if it is not known.
    public var endPlace: String? { ending.map(AlertWords.place) }

    /// "Ben took it on after 40 seconds and withdrew. Cleo says they are with you.": who took it on
    /// and, unless they stayed on it, the report. nil without either.
    public var helpWords: String? {
        let taken = acknowledgement.map { answer in
            """
            \(ProfileRules.displayName(answer.name)) took it on after \
            \(Duration.seconds(Int(max(0, answer.afterSeconds))).elapsedWords)\
            \(acknowledgementEnd?.words ?? "").
            """
        }
        guard acknowledgement == nil || acknowledgementEnd != nil, let report else { return taken }
        let reported = report.wordsWithMeans(
            by: ProfileRules.displayName(report.name), about: nil)
        return (taken.map { "\($0) " } ?? "") + "\(reported)."
    }

    /// The text in place of `helpWords`. It doesn't say "No one helped": a person may have helped
    /// without a press.
    public var noHelpWords: String {
        isActive ? "No one is on it yet." : "No one took it on."
    }
}

extension AlertRecord.Acknowledgement {
    public func words(isMine: Bool) -> String {
        isMine ? "You are on it" : "\(ProfileRules.displayName(name)) is on it"
    }

    /// The phone number of the responder who is on the alert; nil if the contacts don't have it.
    public func number(among contacts: [ContactData]) -> PhoneNumber? {
        contacts.first { $0.id == UserID(responderId) }?.phoneNumber
    }
}

/// Says how the alert ended: a manual alert by its owner, a missed check-in by checking in, and an
/// overdue journey by the arrival or a later return.
public func endWords(_ kind: AlertKind, _ name: String) -> String {
    switch kind {
    case .manual: "\(name) ended the alert"
    case .missedCheckIn: "\(name) checked in"
    case .journey: "\(name) has arrived, or comes back later"
    }
}

extension AlertReport {
    public var title: String {
        switch self {
        case .withThem: "I’m with them"
        case .foundSafe: "Found safe"
        case .emergencyServicesCalled: "Emergency services called"
        }
    }
}

extension AlertAction.Kind {
    /// - Parameters:
    ///   - name: the responder's name; nil if the responder is the reader.
    ///   - dependent: the person who needs help; nil if that is the reader.
    public func words(by name: String?, about dependent: String?) -> String {
        let (person, are) = (name ?? "You", name == nil ? "are" : "is")
        return switch self {
        case .acknowledged: "\(person) took it on"
        case .confirmed: "\(person) \(are) still on it"
        case .withdrew: "\(person) \(are) no longer on it"
        case .lapsed: "\(person) did not confirm"
        case .withThem: AlertWords.reported(.withThem, by: name, about: dependent)
        case .foundSafe: AlertWords.reported(.foundSafe, by: name, about: dependent)
        case .emergencyServicesCalled:
            AlertWords.reported(.emergencyServicesCalled, by: name, about: dependent)
        case .resumed: "\(person) lifted the report"
        case .declined: "\(person) can’t"
        }
    }
}

extension AlertAction {
    /// - Parameters: as in `Kind.words`.
    public func words(by name: String?, about dependent: String?) -> String {
        isLossOfRole == true
            ? "\(name ?? "You") stopped being a responder"
            : kind.words(by: name, about: dependent)
    }

    /// "Ben took it on, by text message".
    /// - Parameters: as in `Kind.words`.
    public func wordsWithMeans(by name: String?, about dependent: String?) -> String {
        let words = self.words(by: name, about: dependent)
        return means.map { "\(words), \($0)" } ?? words
    }
}

extension AlertSummary {
    /// "3 shown: 2 raised by hand, 1 for a missed check-in. 2 taken on, half of them within …".
    public var words: String {
        "\(total) shown: \(manual) raised by hand, \(missedCheckIns) for a missed check-in"
            + "\(journeyWords). \(acknowledged) taken on\(responseWords)."
    }

    private var journeyWords: String { journeys == 0 ? "" : ", \(journeys) for a journey" }

    /// The plot in words, for readers who don't see it.
    public var plotWords: String {
        let words = responses.count == 1 ? "1 alert" : "\(responses.count) alerts, oldest first"
        return "Time until someone took an alert on: \(words)\(responseWords)."
    }

    /// Explains the plot.
    public var plotHint: String {
        let longest = responses.compactMap(\.seconds).max() ?? 0
        return """
            Time until someone took the alert on, oldest left. The highest bar is \
            \(Duration.seconds(Int(longest.rounded())).elapsedWords).
            """
    }

    public static let tableTitle = "Response times as a table"
    public static let tableCaption = "Time until someone took the alert on, oldest alert first"

    private var responseWords: String {
        guard let median = medianResponse, let longest = longestResponse else { return "" }
        let words = [median, longest].map { Duration.seconds(Int($0.rounded())).elapsedWords }
        return ", half of them within \(words[0]), all within \(words[1])"
    }
}

extension AlertSummary.Response {
    /// "40 seconds".
    public var words: String {
        seconds.map { Duration.seconds(Int($0.rounded())).elapsedWords } ?? "not taken on"
    }
}
