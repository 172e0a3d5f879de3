import Foundation

/// Decides which channels carry which messages, and when a failed delivery is retried.
public enum DeliveryRules {
    /// Returns the channels for a message. Streams and endpoints carry everything. Only alerts
    /// justify an SMS, which costs money and wakes people. A reminder goes by SMS if the user has
    /// no endpoint, because without an open app they would never get it.
    /// - Parameter others: the channels among e-mail, SMS and calls that the server offers and the
    ///   person accepts. E-mail is included only if it carries this message (`goesByEmail`).
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

    /// Returns whether e-mail carries a message: all about alerts, contacts and the account, and
    /// what is urgent.
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

    /// Returns the time after which the message is useless.
    public static func usefulFor(_ type: NotificationType) -> Duration {
        type == .alert ? .hours(24) : .hours(6)
    }

    /// Returns the back-off before the next attempt: 2 s, doubled with each attempt, at most 10
    /// minutes. Up to half of it is removed at random, so that the endpoints of a failed provider
    /// aren't all retried at the same moment.
    /// - Parameter jitter: 0 to 1.
    public static func pause(afterAttempt attempt: Int, jitter: Double) -> Duration {
        let doubled = 2_000.0 * Double(1 << min(max(attempt - 1, 0), 20))
        let capped = min(doubled, 600_000)
        return .milliseconds(Int64(capped * (1 - 0.5 * min(max(jitter, 0), 1))))
    }

    /// The longest pause that a provider can request. After it, the message is retried anyway.
    public static let longestWish: Duration = .minutes(10)

    /// Returns the time of the next attempt; nil if the message expires before it.
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
