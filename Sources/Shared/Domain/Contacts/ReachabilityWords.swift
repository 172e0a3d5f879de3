import Foundation

extension Reachability {
    /// A line about the responder; nil for a state that only newer servers know.
    public var words: String? {
        guard hasStoppedTexts == true else { return stateWords }
        let stopped = "they have stopped text messages"
        guard state != .unreachable, let words = stateWords else {
            return "Can’t be reached: \(stopped)"
        }
        return "\(words); \(stopped)"
    }

    private var stateWords: String? {
        switch state {
        case .proven:
            "Reached \(channel?.means ?? "by a message")" + (provenOn.map { " on \($0.day)" } ?? "")
        case .notProven: "Not yet proven that an alert reaches them"
        case .unreachable:
            if let failingSince {
                "Can’t be reached while LifeSignal is closed: messages have failed since "
                    + failingSince.day
            } else {
                "Can’t be reached while LifeSignal is closed: notifications are off"
            }
        case .unknown: nil
        }
    }
}

extension DeliveryChannel {
    fileprivate var means: String {
        switch self {
        case .webPush: "by a notification of their browser"
        case .apns, .fcm: "by a notification of their phone"
        case .webhook: "by their webhook"
        case .sms: "by text message"
        case .voice: "by a call"
        case .email: "by e-mail"
        case .stream, .console, .unknown: "by a message"
        }
    }
}

extension Date {
    /// "21 November", in UTC.
    fileprivate var day: String {
        let style = Date.FormatStyle(locale: Locale(identifier: "en_GB"), timeZone: .gmt)
        return formatted(style.day().month(.wide))
    }
}

/// Whether any responder would get the user's alert. Home shows it.
public enum Audience: Equatable, Sendable {
    /// At least one responder is proven reachable and none is unreachable, or a state is unknown.
    case proven
    /// At least one responder may be reachable. The responders with these names are unreachable.
    case partly(unreachable: [String])
    case unproven(names: [String])
    /// While their apps and pages are closed, no responder can be reached.
    case unreachable(names: [String])

    public init(of contacts: some Sequence<ContactData>) {
        let responders = contacts.filter(\.isResponder)
        let states = responders.compactMap(\.reachability?.state)
        let names = responders.map { ProfileRules.displayName($0.name) }
        let unreachable = responders.filter { $0.reachability?.state == .unreachable }
            .map { ProfileRules.displayName($0.name) }
        self =
            if states.isEmpty || states.count < responders.count
                || states.contains(where: { $0 == .proven || $0 == .unknown })
            {
                unreachable.isEmpty ? .proven : .partly(unreachable: unreachable)
            } else if states.contains(.notProven) {
                .unproven(names: names)
            } else {
                .unreachable(names: names)
            }
    }

    public var isUnreachable: Bool {
        if case .unreachable = self { true } else { false }
    }
}

extension Sequence<ContactData> {
    /// The ids of the responders whom nothing reaches, and who have stopped text messages.
    public var stopped: Set<String> {
        Set(filter { $0.reachability?.isStopped == true }.map(\.id.description))
    }
}

extension Reachability {
    /// True if the person has stopped text messages, and no other message reaches them.
    public var isStopped: Bool { state == .unreachable && hasStoppedTexts == true }
}
