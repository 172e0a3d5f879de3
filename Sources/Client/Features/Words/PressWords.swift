import Domain

/// Why a press on a notification's button changed nothing, as the user reads it. The web app and
/// the iPhone app use the same texts.
public enum PressWords {
    fileprivate static let drillIsOver = "The drill is over."
    public static let journeyIsOver = "This journey is over."
    fileprivate static let alertHasEnded = "This alert has ended."
    fileprivate static let questionIsClosed = "This question is no longer open."
}

extension AlertRecord {
    /// Why "I'm on it" changed nothing; nil if the server has noted the user's answer.
    /// - Parameter user: the user who pressed the button.
    public func acknowledgementRefusal(by user: UserID) -> String? {
        guard isActive else { return PressWords.alertHasEnded }
        guard let helper = acknowledgement, UserID(helper.responderId) != user else { return nil }
        return "\(ProfileRules.displayName(helper.name)) is on it already."
    }

    /// Why "I can't" changed nothing; nil if the server has noted the user's answer.
    public var declineRefusal: String? { isActive ? nil : PressWords.alertHasEnded }
}

extension PingRecord {
    /// Why "I'm fine" changed nothing; nil if the ping is answered.
    public var answerRefusal: String? {
        state == .answered ? nil : PressWords.questionIsClosed
    }
}

extension DrillQuestion {
    /// Why "Got it" changed nothing; nil if the server has noted the user's answer.
    public var answerRefusal: String? {
        answeredAt == nil ? alertWords ?? PressWords.drillIsOver : nil
    }
}

extension DrillOverview {
    /// Why "Got it" changed nothing. The notification belongs to no running drill.
    public func refusal(of notification: NotificationID) -> String {
        let question = ended?.first { $0.notificationID == notification }
        return question?.answerRefusal ?? PressWords.drillIsOver
    }
}
