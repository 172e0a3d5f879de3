import Domain
import Features
import Foundation

enum JourneyText {
    /// "On a journey, Zugspitze: back by 18:00, 2 hours left."
    /// - Parameter zone: the zone of a time that the person has typed; nil for the reader's.
    static func line(
        _ journey: JourneyRecord, _ words: TimeWords, typedIn zone: String? = nil
    ) -> String {
        let isOver = journey.expectedReturn <= words.now
        let end =
            journey.alertId != nil
            ? " ALERT: lifesignal journey arrive|extend"
            : isOver ? " Say that you have arrived: lifesignal journey arrive" : ""
        return """
            On a journey, \(Plain.line(journey.name)): back by \
            \(words.deadline(journey.expectedReturn, in: zone)).\(end)
            """
    }

    /// - Parameter zone: see `line`.
    static func lines(
        _ journey: JourneyRecord, in snapshot: Snapshot, _ words: TimeWords,
        typedIn zone: String? = nil
    ) -> [String] {
        [line(journey, words, typedIn: zone)]
            + told(journey, in: snapshot, words, typedIn: zone) + note(journey.note)
    }

    /// Returns the names of those who are told, and the time.
    private static func told(
        _ journey: JourneyRecord, in snapshot: Snapshot, _ words: TimeWords, typedIn zone: String?
    ) -> [String] {
        let chosen = journey.responderIds.map { ids in
            ids.map { snapshot.name(of: $0) }.joined(separator: ", ")
        }
        var lines = [
            """
            Told at \(words.moment(journey.deadline, in: zone)) if you have not arrived: \
            \(chosen ?? "all your responders").
            """
        ]
        if chosen != nil {
            let all = journey.deadline.adding(JourneyRules.chosenAlone)
            let time = words.moment(all, in: zone)
            lines.append("All your responders, if no one is on it by \(time).")
        }
        if journey.tellsResponders {
            lines.append(
                """
                They see your journey in LifeSignal. People without LifeSignal hear of it by \
                e-mail, not by SMS.
                """)
        }
        return lines
    }

    static func note(_ text: String) -> [String] {
        text.isEmpty
            ? []
            : ["Note:"] + Plain.text(text).components(separatedBy: "\n").map { "  \($0)" }
    }

    /// Returns "Ana is not back from Zugspitze".
    /// - Parameter name: the owner's name; nil for the user.
    static func overdue(_ alert: AlertRecord, name: String?) -> String {
        let journey = alert.journey.map(Plain.line)
        return name.map { JourneyWords.notBack($0, from: journey) }
            ?? JourneyWords.notBack(from: journey)
    }
}
