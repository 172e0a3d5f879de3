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
        let told = JourneyFeature.Told(of: journey, among: snapshot.contacts)
        guard told.isAnyoneTold else { return [JourneyWords.noOneIsTold] }
        let chosen = told.names.map(Plain.line).joined(separator: ", ")
        var lines = [
            """
            Told at \(words.moment(journey.deadline, in: zone)) if you have not arrived: \
            \(chosen.isEmpty ? "all your responders" : chosen).
            """
        ]
        if let all = told.othersAt {
            let time = words.moment(all, in: zone)
            lines.append("All your responders, if no one is on it by \(time).")
        }
        if isSeen(journey, in: snapshot) {
            lines.append(
                """
                They see your journey in LifeSignal. People without LifeSignal hear of it by \
                e-mail, not by SMS.
                """)
        }
        return lines
    }

    /// "Dora is alerted, all others at 13:33 if nobody is on it"; nil if all are alerted.
    static func alone(
        in alert: AlertRecord, _ snapshot: Snapshot, _ words: TimeWords
    ) -> String? {
        let told = JourneyFeature.Told(of: snapshot.profile?.journey, among: snapshot.contacts)
        return told.alone(in: alert, at: words.now).map { alone in
            let names = alone.names.map(Plain.line).joined(separator: ", ")
            return """
                \(names) \(alone.names.count == 1 ? "is" : "are") alerted\(JourneyWords.othersAt) \
                \(words.moment(alone.othersAt)) \(JourneyWords.ifNobody)
                """
        }
    }

    /// True if responders know of the running journey. Chosen people who are no longer responders
    /// don't count.
    static func isSeen(_ journey: JourneyRecord, in snapshot: Snapshot) -> Bool {
        journey.tellsResponders
            && snapshot.contacts.contains {
                $0.isResponder && journey.responderIds?.contains($0.id) ?? true
            }
    }

    /// Returns what happens until a queued press is sent.
    static func untilSent(
        _ journey: JourneyRecord, in snapshot: Snapshot, _ words: TimeWords
    ) -> String {
        snapshot.protection == .nobody
            ? JourneyWords.noOneIsTold
            : "Until then your responders are told at \(words.moment(journey.deadline))."
    }

    /// Returns the answer to an arrival.
    static func arrived(_ journey: JourneyRecord, in snapshot: Snapshot) -> String {
        let told = " The people who knew of it are being told"
        let haveAlert = journey.alertId != nil && snapshot.protection != .nobody
        let news =
            haveAlert ? "\(told)." : isSeen(journey, in: snapshot) ? "\(told), but not by SMS." : ""
        return "You have arrived. Your journey has ended.\(news)"
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
