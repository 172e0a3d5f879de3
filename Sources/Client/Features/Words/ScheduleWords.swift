import Domain

/// Texts of the schedule form and of pauses that the web app and the iPhone app share.
public enum ScheduleWords {
    // MARK: The form

    public static let kind = "What sets your deadlines"
    public static let deadline = "Check in by"
    public static let opening = "Check-ins count from"
    public static let addTime = "Add another time"
    public static let removeTime = "Remove this time"
    public static let timeZone = "Time zone"
    public static let noTimeZone = "Choose a time zone"
    public static let moreChoices = "More choices"
    public static let sleepHours = "Sleep hours"
    public static let sleepFrom = "Sleep from"
    public static let sleepUntil = "Sleep until"
    public static let sleepHint = """
        A deadline in your sleep hours, or soon after, moves to \(SleepHours.afterEnd.words) after \
        their end. They last 30 minutes to 10 hours.
        """
    public static let nextDeadlines = "Your next deadlines"
    /// Precedes the deadline of a person who has missed an earlier one.
    public static let nextDeadlineIs = "The next deadline is"
    /// Follows a time by the device's clock, beside the same time by the schedule's.
    public static let onThisDevice = "on this device"

    // MARK: The question before saving

    public static let question = "Save this schedule?"
    public static let save = "Save"
    public static let goBack = "Go back"

    // MARK: Pauses

    /// Precedes a time.
    public static let pausedUntil = "Paused until"
    public static let pause = "Pause check-ins"
    public static let changePause = "Change"
    public static let endPause = "End the pause"
    public static let pauseLength = "How long"
    public static let pauseEnd = "Until"
    public static let noDeadlines = "No deadlines"
}
