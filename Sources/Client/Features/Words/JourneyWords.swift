import Domain
import Foundation

/// Texts about journeys that the web app and the iPhone app share.
public enum JourneyWords {
    // MARK: The form

    /// The title of the form, and of the button that opens it.
    public static let title = "Start a journey"
    /// What a journey does, before it begins.
    public static let explanation = """
        If you are not back in time, your responders get an alert. LifeSignal reminds you \
        \(JourneyRules.reminderLead.words) before, and when you should be back.
        """
    public static let name = "Where you go"
    public static let nameHint = "Such as “Zugspitze”. Your responders see it."
    public static let expectedReturn = "When you are back"
    public static let ownReturn = "Or at another time"
    public static let unfinishedReturn = "Enter a date and a time."
    public static let grace = "Time after that, before anyone is told"
    public static let note = "Note"
    public static let noteHint = """
        The route, your company, the car. Responders see it only on the page of an alert. It is \
        deleted \(JourneyRules.noteKept.words) after your journey.
        """
    public static let responders = "Who is told"
    public static let allResponders = "All my responders"
    public static let chosenResponders =
        "These first, and all others \(JourneyRules.chosenAlone.words) later if nobody is on it"
    public static let nobodyChosen = "Choose at least one person."
    public static let tellStart = "Tell them now that I am on my way (not by SMS)"
    public static let start = "Start the journey"

    /// "1 hour", "None"
    public static func graceWords(_ minutes: Int) -> String {
        minutes == 0 ? "None" : Duration.minutes(minutes).words
    }

    /// "In 2 hours"
    public static func hoursWords(_ hours: Int) -> String { "In \(Duration.hours(hours).words)" }

    // MARK: The running journey

    public static let arrived = PushAction.arrived.button
    /// "30 minutes more"
    public static let extend = PushAction.later.button
    /// Opens the form for another return.
    public static let anotherReturn = "Choose another return"
    public static let changeReturn = "Change the return"
    /// Precedes a time.
    public static let back = "Back by"
    /// Stands before the time when all others are told.
    public static let othersAt = ", all others at"
    /// Follows the time when all others are alerted.
    public static let ifNobody = "if nobody is on it"
    /// Shown until the device has the alert itself.
    public static let alertOpen = "Your time is over. LifeSignal has opened an alert."

    /// "Ben is told at", before the time of the deadline.
    /// - Parameter names: the people who are told first; empty for all responders.
    public static func toldAt(_ names: [String] = []) -> String {
        names.isEmpty
            ? "Your responders are told at"
            : "\(listed(names)) \(names.count == 1 ? "is" : "are") told at"
    }

    /// Follows the last of these times.
    /// - Parameter others: when all others are told; nil if all are told at once.
    public static func unless(_ others: Date?) -> String {
        let end = "unless you say that you have arrived, or choose a later return."
        return others == nil ? end : "\(ifNobody), \(end)"
    }

    /// Shown in place of the times to a person without responders.
    public static let noOneIsTold = "No one is told: you have no responders."

    /// Shown while the device doesn't know of the alert.
    /// - Parameter names: as in `toldAt`.
    public static func overdue(_ names: [String] = [], isAnyoneTold: Bool = true) -> String {
        guard isAnyoneTold else { return "Your time is over. \(noOneIsTold)" }
        return """
            Your time is over. If LifeSignal doesn’t know that you have arrived, it tells \
            \(names.isEmpty ? "your responders" : listed(names)).
            """
    }

    // MARK: The alert

    /// "You are not back from Zugspitze": the title of the person's own alert.
    public static func notBack(from journey: String?) -> String {
        "You are not back from \(journey ?? "your journey")"
    }

    /// "Ana is not back from Zugspitze"
    /// - Parameters:
    ///   - name: the person's name.
    ///   - journey: the journey's name; nil if unknown.
    public static func notBack(_ name: String, from journey: String?) -> String {
        "\(name) is not back from \(journey ?? "a journey")"
    }

    /// Precedes the time of the return.
    public static let expectedAt = "Expected at"

    /// "Ana’s note"
    public static func noteTitle(_ name: String) -> String { "\(name)’s note" }

    // MARK: Someone else's journey

    /// Names the value of `watched` and the time of the return.
    public static let onAJourney = "On a journey"

    /// "Zugspitze, back by", before the time of the return.
    public static func watched(_ journey: WatchedJourney) -> String {
        "\(journey.name), \(back.loweringFirst)"
    }
}
