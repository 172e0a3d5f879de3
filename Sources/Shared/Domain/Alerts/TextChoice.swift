/// What an SMS says about how to answer it.
public enum TextChoice {
    public static let byApp = "Open LifeSignal to answer."

    /// Returns the words about how to answer by SMS; nil if no answer is expected.
    /// - Parameters:
    ///   - isOwn: true unless the message is about another person's alert.
    ///   - isAnswerAboutAlert: whether "1" would be about an open alert instead of the drill.
    public static func words(
        for item: NotificationItem, _ purpose: DeliveryPurpose, isOwn: Bool,
        isAnswerAboutAlert: Bool = false
    ) -> String? {
        switch purpose {
        case .alertBegin, .alertRepeat, .alertUntaken:
            isOwn ? nil : "Answer 1 if you take it on, 2 if you can't."
        case .alertNews where !isOwn && item.isOf(.helpQuestion):
            "Answer 1 if you are still on it, 2 if you can't."
        case .drill: isAnswerAboutAlert ? nil : "Answer 1 to say that you got it."
        case .alertNews, .alertEnd, .reminder, .lastCall, .journey, .ping, .test, .other: nil
        }
    }
}
