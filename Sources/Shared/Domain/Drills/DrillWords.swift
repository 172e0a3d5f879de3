import Foundation

extension DrillRecord {
    /// "2 of 3 have answered."
    public var summary: String {
        let all = counted.count
        guard all > 0 else { return "No responder was asked." }
        let done = answers.count { $0.answeredAt != nil }
        let verb = done == 1 ? "has" : "have"
        return "\(done) of \(all) \(verb) answered."
    }

    public var endWords: String? {
        guard !isRunning else { return nil }
        return switch end {
        case .everyoneAnswered: "Everyone has answered. The drill is over."
        case .timeIsUp: "The drill has ended by itself."
        case .stopped: "You have stopped the drill."
        case .alert: "The drill has ended because of a real alert."
        case .unknown, nil: "The drill is over."
        }
    }

    /// Returns "by a notification of their browser, after 12 seconds"; nil without an answer.
    public func words(for answer: DrillAnswer) -> String? {
        answer.answeredAt.map { time in
            let seconds = max(0, time.since(startedAt).milliseconds / 1_000)
            let unit = seconds == 1 ? "second" : "seconds"
            return "\(answer.channel?.meansOfAnswer ?? "in LifeSignal"), after \(seconds) \(unit)"
        }
    }

    /// Returns the words for a responder without an answer.
    public func silence(of answer: DrillAnswer) -> String {
        guard answer.isAsked != false else {
            return "not asked: they have muted such messages, but not alerts"
        }
        return isRunning ? "not yet" : "no answer"
    }
}

extension DrillQuestion {
    /// Nil unless a real alert ended the drill.
    public var alertWords: String? {
        guard isEndedByAlert == true else { return nil }
        return "A real alert ended the drill by \(ProfileRules.displayName(name))."
    }
}

extension DeliveryChannel {
    fileprivate var meansOfAnswer: String {
        switch self {
        case .webPush: "by a notification of their browser"
        case .apns, .fcm: "by a notification of their phone"
        case .voice: "by a key in a call"
        case .sms: "by text message"
        case .email: "by e-mail"
        case .webhook: "by their webhook"
        case .stream, .console, .unknown: "in LifeSignal"
        }
    }
}

extension NotificationText {
    /// Returns the message to a responder. Some channels show only the title, so the title says
    /// that it is a drill.
    public static func drill(name: String) -> Self {
        .init(
            .system, "DRILL: would you hear \(name)?",
            """
            This is a drill: \(name) does not need help. \
            Please let \(name) know that this reached you.
            """)
    }
}
