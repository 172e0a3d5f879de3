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
    /// "5 minutes 12 seconds"; nil while it is open.
    public var openWords: String? {
        endTime.map { Duration.seconds(Int(max(0, $0.timeIntervalSince(startTime)))).words }
    }

    /// "Ben took it on after 40 seconds."; nil if no one has.
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
    /// The words while the alert is open.
    public func words(isMine: Bool) -> String {
        isMine ? "You are on it" : "\(ProfileRules.displayName(name)) is on it"
    }
}

/// A call for help is ended by the person, a missed check-in by checking in.
public func endWords(_ kind: AlertKind, _ name: String) -> String {
    kind == .manual ? "\(name) ended the alert" : "\(name) checked in"
}

extension AlertReport {
    /// The words on a button.
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
    ///   - name: the responder's; nil for the reader.
    ///   - dependent: the person who needs help.
    public func words(by name: String?, about dependent: String) -> String {
        let (person, are) = (name ?? "You", name == nil ? "are" : "is")
        return switch self {
        case .acknowledged: "\(person) took it on"
        case .confirmed: "\(person) \(are) still on it"
        case .withdrew: "\(person) \(are) no longer on it"
        case .lapsed: "\(person) did not confirm"
        case .withThem: "\(person) \(are) with \(dependent)"
        case .foundSafe: "\(person) found \(dependent) safe"
        case .emergencyServicesCalled: "\(person) called emergency services"
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

extension AlertRecord.Acknowledgement {
    /// The helper's number; nil if they are not among the contacts, or have none.
    public func number(among contacts: [ContactData]) -> PhoneNumber? {
        contacts.first { $0.id == UserID(responderId) }?.phoneNumber
    }
}

extension EmergencyNumber? {
    /// Where it is valid: it says no more than is known. nil without a number.
    /// - Parameter name: of the person in need; nil for the reader.
    public func words(of name: String?) -> String? {
        map { number in
            let phone = name.map { "\($0)’s phone" } ?? "your phone"
            return "Emergency number where \(phone) is registered: \(number.text)."
        }
    }

    /// Advice for elsewhere, or without a number.
    /// - Parameter name: of the person in need; nil for the reader.
    public func advice(of name: String?) -> String {
        let call =
            self == nil
            ? "Call your local emergency number" : "In another country, call the number used there"
        return "\(call)\(name.map { ", and say where \($0) is" } ?? "")."
    }
}
