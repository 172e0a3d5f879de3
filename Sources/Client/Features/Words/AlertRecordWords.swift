import Domain
import Foundation

extension AlertKind {
    public var words: String {
        switch self {
        case .manual: "Alert raised by hand"
        case .missedCheckIn: "Missed check-in"
        }
    }
}

extension AlertRecord {
    /// "5 minutes 12 seconds"; nil while the alert is open.
    public var openWords: String? {
        endTime.map { Duration.seconds(Int(max(0, $0.timeIntervalSince(startTime)))).words }
    }

    /// The time of a responder's last answer. A new time causes a reload of the details.
    public var lastAnswerTime: Date? {
        [acknowledgement?.time, report?.time, refusals?.last?.time].compactMap(\.self).max()
    }

    /// "on “Firefox on Linux”": the device that ended the alert; nil if it is not known.
    public var endPlace: String? { ending.map(AlertWords.place) }

    /// "Ben took it on after 40 seconds."; nil without an acknowledgement.
    public var helpWords: String? {
        acknowledgement.map { answer in
            """
            \(ProfileRules.displayName(answer.name)) took it on after \
            \(Duration.seconds(Int(max(0, answer.afterSeconds))).words).
            """
        }
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

/// Says how the alert ended: a manual alert by its owner, a missed check-in by checking in.
public func endWords(_ kind: AlertKind, _ name: String) -> String {
    kind == .manual ? "\(name) ended the alert" : "\(name) checked in"
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
    ///   - dependent: the person who needs help.
    public func words(by name: String?, about dependent: String) -> String {
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
        case .resumed: "\(person) had everyone alerted again"
        case .declined: "\(person) can’t"
        }
    }
}

extension AlertSummary {
    /// "3 shown: 2 raised by hand, 1 for a missed check-in. 2 taken on, half of them within …".
    public var words: String {
        "\(total) shown: \(manual) raised by hand, \(missedCheckIns) for a missed check-in. "
            + "\(acknowledged) taken on\(responseWords)."
    }

    private var responseWords: String {
        guard let median = medianResponse, let longest = longestResponse else { return "" }
        let words = [median, longest].map { Duration.seconds(Int($0.rounded())).words }
        return ", half of them within \(words[0]), all within \(words[1])"
    }
}
