import Domain
import Features
import Foundation

enum JourneyText {
    /// "On a journey, Zugspitze: back by 18:00, 2 hours left."
    static func line(_ journey: JourneyRecord, _ words: TimeWords) -> String {
        let isOver = journey.expectedReturn <= words.now
        let end =
            journey.alertId != nil
            ? " ALERT: lifesignal journey arrive|extend"
            : isOver ? " Say that you have arrived: lifesignal journey arrive" : ""
        return """
            On a journey, \(Plain.line(journey.name)): back by \
            \(words.deadline(journey.expectedReturn)).\(end)
            """
    }

    static func lines(
        _ journey: JourneyRecord, in snapshot: Snapshot, _ words: TimeWords
    ) -> [String] {
        [line(journey, words)] + told(journey, in: snapshot, words) + note(journey.note)
    }

    /// Returns the names of those who are told, and the time.
    static func told(
        _ journey: JourneyRecord, in snapshot: Snapshot, _ words: TimeWords
    ) -> [String] {
        let chosen = journey.responderIds.map { ids in
            ids.map { snapshot.name(of: $0) }.joined(separator: ", ")
        }
        var lines = [
            """
            Told at \(words.moment(journey.deadline)) if you have not arrived: \
            \(chosen ?? "all your responders").
            """
        ]
        if chosen != nil {
            let all = journey.deadline.adding(JourneyRules.chosenAlone)
            lines.append("All your responders, if no one is on it by \(words.moment(all)).")
        }
        if journey.tellsResponders { lines.append("They see your journey.") }
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
