import Foundation

/// Decides which channels carry which messages, and when a failed delivery is retried.
public enum DeliveryRules {
    /// Returns the channels for a message. Streams and endpoints carry all messages. Only alerts go
    /// by SMS, because an SMS costs money and wakes people. Reminders also go by SMS to users
    /// without an endpoint.
    /// - Parameter others: which of e-mail, SMS and calls the server offers and the person accepts.
    ///   E-mail is included only if `goesByEmail` is true.
    public static func channels(
        for type: NotificationType, isReminder: Bool, endpoints: Set<PushEndpoint.Kind>,
        others: Set<DeliveryChannel>
    ) -> [DeliveryChannel] {
        let kinds = PushEndpoint.Kind.allCases.filter(endpoints.contains)
        let carries: [DeliveryChannel] =
            if type == .alert {
                [.email, .sms, .voice]
            } else if isReminder, kinds.isEmpty {
                [.email, .sms]
            } else { [.email] }
        return [.stream] + kinds.map(\.channel) + carries.filter(others.contains)
    }

    /// Returns true if e-mail carries a message: about alerts, contacts or the account, or urgent.
    public static func goesByEmail(
        _ type: NotificationType, isReminder: Bool, isUrgent: Bool
    ) -> Bool {
        switch type {
        case .alert: true
        case .ping, .checkIn: isUrgent
        case .contactAdded, .contactRemoved, .roleChanged: true
        case .system: isUrgent || !isReminder
        }
    }

    /// Returns how long after its creation a message expires.
    public static func usefulFor(_ type: NotificationType) -> Duration {
        type == .alert ? .hours(24) : .hours(6)
    }

    /// Returns the back-off before the next attempt: 2 s, doubled with each attempt, at most 10
    /// minutes. The jitter removes up to half of it. Messages to a failed provider are then retried
    /// at different times.
    /// - Parameter jitter: 0 to 1.
    public static func pause(afterAttempt attempt: Int, jitter: Double) -> Duration {
        let doubled = 2_000.0 * Double(1 << min(max(attempt - 1, 0), 20))
        let capped = min(doubled, 600_000)
        return .milliseconds(Int64(capped * (1 - 0.5 * min(max(jitter, 0), 1))))
    }

    /// The longest pause that a provider can request. Longer requests are shortened.
    public static let longestWish: Duration = .minutes(10)

    /// Returns when to retry; nil if the message expires before that.
    /// - Parameter wish: the pause that the provider requested.
    public static func nextTry(
        afterAttempt attempt: Int, usefulUntil: Date, wish: Duration = .zero, at now: Date,
        jitter: Double
    ) -> Date? {
        let wished = min(wish, longestWish)
        let next = now.adding(max(pause(afterAttempt: attempt, jitter: jitter), wished))
        return next < usefulUntil ? next : nil
    }
}
