import Domain

/// The user's own alert, and the totals of the history.
extension AlertText {
    /// No one knows about it yet: the numbers of those who can be phoned, responders first.
    static func unsent(_ snapshot: Snapshot) -> [String] {
        let people =
            snapshot.contacts.filter(\.isResponder) + snapshot.contacts.filter { !$0.isResponder }
        let numbers = people.compactMap { contact in
            contact.phoneNumber.map { "  \(Plain.name(contact.name))  \($0.text)" }
        }
        return [
            "NOT SENT: your call for help waits until LifeSignal can be reached.",
            "No one knows about it yet: phone someone now.",
        ] + numbers
    }

    static func ended(_ snapshot: Snapshot) -> String {
        let names = snapshot.contacts.filter(\.isResponder).map { Plain.name($0.name) }
        return AlertWords.ended(told: names) ?? "Alert ended. You have no responders."
    }

    static func totals(_ alerts: [AlertRecord]) -> [String] {
        let summary = AlertSummary(alerts)
        let kinds = "\(summary.manual) by hand, \(summary.missedCheckIns) for a missed check-in"
        var parts = ["\(summary.total) in all: \(kinds)", "\(summary.acknowledged) taken on"]
        if let median = summary.medianResponse, let longest = summary.longestResponse {
            let words = [median, longest].map { TimeWords.span(Int($0.rounded())) }
            parts.append("half of them within \(words[0]), all within \(words[1])")
        }
        return [parts.joined(separator: "; ") + "."]
    }

    /// The text has no line break at its end: printing adds it.
    static func table(_ alerts: [AlertRecord], in snapshot: Snapshot) -> [String] {
        let text = AlertSummary.csv(alerts) { alert in
            snapshot.isOwn(alert)
                ? Plain.line(snapshot.profile?.name ?? "") : snapshot.name(of: alert.userId)
        }
        return [text.hasSuffix("\r\n") ? String(text.dropLast()) : text]
    }
}
