/// A button on a push notification. Messages name it by its raw value (Docs/web-push.md).
public enum PushAction: String, Codable, CaseIterable, Sendable {
    /// To an alert.
    case acknowledgeAlert
    /// To an alert. It comes second, because browsers show only two buttons.
    case declineAlert
    /// To a ping.
    case respondToPing
    /// To a drill.
    case confirmDrill
    /// To a reminder.
    case checkIn
    /// To a journey's reminder.
    case arrived, later

    /// The button's text.
    public var button: String {
        switch self {
        case .acknowledgeAlert: "I’m on it"
        case .declineAlert: "I can’t"
        case .respondToPing, .checkIn: "I’m fine"
        case .confirmDrill: "Got it"
        case .arrived: "I have arrived"
        case .later: "\(JourneyRules.oneExtension.words) more"
        }
    }

    /// The title of the result, once the server has confirmed the press.
    public var done: String {
        switch self {
        case .acknowledgeAlert: "You are on it"
        case .declineAlert: "You have said that you can’t"
        case .respondToPing, .confirmDrill: "Your answer is sent"
        case .checkIn: "You are checked in"
        case .arrived: "Your journey has ended"
        case .later: "Your return is set"
        }
    }

    /// The text of the result. Empty for a check-in and a later return, because only the server
    /// knows the next deadline.
    public var then: String {
        switch self {
        case .acknowledgeAlert: "Tap to open the alert and call."
        case .declineAlert: "Tap to open the alert. You can still take it on."
        case .respondToPing, .confirmDrill, .checkIn, .arrived, .later: ""
        }
    }
}
