import Domain
import Foundation

/// A report on a person's card: who reported what and when, the end of the pause, and the request
/// that resumes repeats.
public struct ReportNotice: Equatable, Sendable {
    /// "Ben reports that Ana is safe"
    public var words: String
    public var time: Date
    public var end: Date
    public var request: DependentAlertFeature.Request
    /// The words of the button.
    public var requestWords: String

    public init(
        words: String, time: Date, end: Date, request: DependentAlertFeature.Request,
        alertsEveryone: Bool
    ) {
        self.words = words
        self.time = time
        self.end = end
        self.request = request
        requestWords = AlertWords.lift(alertsEveryone: alertsEveryone)
    }
}
