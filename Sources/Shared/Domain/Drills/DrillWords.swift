import Foundation

/// How each client says how a drill goes.
extension DrillRecord {
    /// "2 of 3 have answered."
    public var summary: String {
        let done = answers.count { $0.answeredAt != nil }
        let verb = done == 1 ? "has" : "have"
        return "\(done) of \(answers.count) \(verb) answered."
    }

    /// The reason for its end; nil while it goes on.
    public var endWords: String? {
        guard !isRunning else { return nil }
        return switch end {
        case .everyoneAnswered: "Everyone has answered. The test is over."
        case .timeIsUp: "The test has ended by itself."
        case .stopped: "You have stopped the test."
        case .alert: "The test has ended because of a real alert."
        case .unknown, nil: "The test is over."
        }
    }

    /// "by a notification of their browser, after 12 seconds"; nil without an answer.
    public func words(for answer: DrillAnswer) -> String? {
        answer.answeredAt.map { time in
            let seconds = max(0, time.since(startedAt).milliseconds / 1_000)
            let unit = seconds == 1 ? "second" : "seconds"
            return "\(answer.channel?.meansOfAnswer ?? "in LifeSignal"), after \(seconds) \(unit)"
        }
    }

    /// The words for somebody who has not answered.
    public var wordsForSilence: String { isRunning ? "not yet" : "no answer" }
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
    /// Every channel has to say that it is a test, also one that shows only the title.
    public static func drill(name: String) -> Self {
        .init(
            .system, "TEST: would you hear \(name)?",
            "This is only a test: \(name) does not need help. Please answer “Got it”.")
    }
}
