import Domain
import Features
import Foundation

extension AlertText {
    /// Returns the lines for an unsent alert: the phone numbers of all contacts, responders first.
    /// - Parameter isRateLimited: whether the server has answered, and asked to wait.
    static func unsent(_ snapshot: Snapshot, isRateLimited: Bool) -> [String] {
        let people =
            snapshot.contacts.filter(\.isResponder) + snapshot.contacts.filter { !$0.isResponder }
        let numbers = people.compactMap { contact in
            contact.phoneNumber.map { "  \(Plain.name(contact.name))  \($0.text)" }
        }
        let until = isRateLimited ? "takes it: it asks you to wait" : "can be reached"
        return [
            "NOT SENT: your call for help waits until LifeSignal \(until).",
            "\(doubt). Phone someone now.",
        ] + numbers + (numbers.isEmpty ? [] : ["Or text them: \(textMessage(isRateLimited))"])
    }

    /// Returns sentences about the user's alerts that were on when another device ended the
    /// session, with the numbers to call, and about a journey. Empty if none was on.
    static func openAtSignOut(_ snapshot: Snapshot, _ words: TimeWords) -> [String] {
        let journey = snapshot.unfinished.journeyAfterEnd { words.now }
        return alertsAtSignOut(snapshot, words) + [journey].compactMap(\.self)
    }

    private static func alertsAtSignOut(_ snapshot: Snapshot, _ words: TimeWords) -> [String] {
        let alerts = snapshot.openAlerts.filter { snapshot.isOwn($0) && !snapshot.isUnsent($0) }
        guard !alerts.isEmpty, let lastSync = snapshot.connectivity.lastSynced else { return [] }
        let time = OpenAtSignOut.newest(lastSync, alerts)
        let known = alerts.flatMap { alert -> [String] in
            let open = OpenAtSignOut.Alert(
                kind: alert.kind, helper: alert.acknowledgement.map { Plain.name($0.name) },
                isReported: alert.report != nil)
            return ["\(open.words) \(words.past(time))."] + [open.helperWords].compactMap(\.self)
        }
        let calls = snapshot.contacts.filter(\.isResponder)
            .sorted { $0.isCalledBefore($1) }
            .compactMap { contact in
                contact.phoneNumber.map { "Call \(Plain.name(contact.name)): \($0.text)." }
            }
        let emergency = snapshot.profile.flatMap { EmergencyNumber(for: $0.phoneNumber) }
        let services = [emergency.words(of: nil), emergency.advice(of: nil)].compactMap(\.self)
        return known + calls + services
    }

    /// Returns the failure of a call for help, and whether anyone was told. A request without an
    /// answer may have arrived.
    /// - Parameter wasTried: whether a request may have been sent.
    static func unraised(_ failure: CommandFailure, wasTried: Bool) -> CommandFailure {
        let isUnknown = wasTried && [.unreachable, .failed].contains(failure.status)
        let remark =
            isUnknown ? "\(doubt). Phone someone now." : "\(noOneKnows): phone someone now."
        // The failure of an ended session says it already.
        guard !failure.error.message.contains(doubt) else { return failure }
        var failure = failure
        failure.error.message += (failure.error.message.isEmpty ? "" : " ") + remark
        return failure
    }

    private static let noOneKnows = "No one knows about your alert"

    /// The server may have received an alert although its answer was lost.
    static let doubt = "We don't know whether anyone was told"

    /// What to do if the answer about an unsent alert was lost.
    static let notSent = "NOT SENT. \(doubt). Phone someone now."

    private static func textMessage(_ isRateLimited: Bool) -> String {
        let reason = isRateLimited ? "has not taken my alert" : "can't be reached"
        return "I need help. LifeSignal \(reason), so I'm texting you. Please call me."
    }

    /// Returns the lines for a sent alert. Omits responders until the contacts are known.
    /// - Parameter snapshot: nil if the contacts could not be loaded.
    static func raised(_ snapshot: Snapshot?) -> [String] {
        let end = "It is over when you run `lifesignal alert stop`."
        if snapshot?.audience?.isUnreachable == true {
            return [
                "ALERT, but no message reaches your responders. Phone someone now.",
                end,
            ]
        }
        return switch snapshot?.protection {
        case nil: ["ALERT: LifeSignal has it. \(end)"]
        case .nobody:
            [
                "ALERT, but no one is told: you have no responders. Phone someone now.",
                end,
            ]
        case .asked, .accepted: ["ALERT: your responders are being told. \(end)"]
        }
    }

    /// Returns the reply to the user's "I'm on it". Another responder may have acknowledged first,
    /// or the alert may have ended.
    static func acknowledged(_ alert: AlertRecord, in snapshot: Snapshot) -> String {
        guard alert.isActive else { return "This alert has ended: there was nothing to do." }
        guard let first = alert.acknowledgement, !snapshot.isMine(alert) else {
            return "You are on it. The others are being told."
        }
        return "\(Plain.name(first.name)) is already on it, so no one is told that you are, too."
    }

    /// Returns a line for each other open alert of the same person. Of another person's alerts,
    /// only those that the user, or no responder, is on.
    static func stillOpen(
        besides alert: AlertRecord, in snapshot: Snapshot, _ words: TimeWords
    ) -> [String] {
        guard let owner = UserID(alert.userId) else { return [] }
        return AlertRules.open(of: owner, among: snapshot.alerts)
            .filter { $0.id != alert.id }
            .compactMap { other -> String? in
                let text = line(other, in: snapshot, words)
                if snapshot.isMine(other) { return "Still open, and you are on it: \(text)" }
                let isListed = snapshot.isOwn(other) || other.acknowledgement == nil
                return isListed ? "Still open: \(text)" : nil
            }
    }

    /// Returns the line for an ended alert.
    /// - Parameter snapshot: nil if the contacts could not be loaded.
    static func ended(_ snapshot: Snapshot?) -> String {
        guard let snapshot else { return "Alert ended." }
        let names = snapshot.contacts.filter(\.isResponder).map { Plain.name($0.name) }
        return AlertWords.ended(told: names) ?? "Alert ended. You have no responders."
    }

    /// Returns a line for each of the user's alerts that a check-in doesn't end.
    /// - Parameter snapshot: nil if the alerts could not be loaded.
    static func afterCheckIn(_ snapshot: Snapshot?) -> [String] {
        guard let snapshot else { return [] }
        return snapshot.openAlerts.filter(snapshot.isOwn).compactMap { alert -> String? in
            switch alert.kind {
            case .manual: "Your alert is still on: lifesignal alert stop"
            case .journey:
                "The alert about your journey is still on: lifesignal journey arrive|extend"
            case .missedCheckIn: nil
            }
        }
    }

    /// - Parameter limit: the greatest number of alerts in the list. If it is reached, there may be
    ///   older ones.
    static func totals(_ alerts: [AlertRecord], limit: Int) -> [String] {
        let summary = AlertSummary(alerts)
        let journeys = summary.journeys == 0 ? "" : ", \(summary.journeys) for a journey"
        let kinds =
            """
            \(summary.manual) by hand, \(summary.missedCheckIns) for a missed check-in\(journeys)
            """
        let count =
            alerts.count < limit ? "\(summary.total) in all" : "The newest \(summary.total)"
        var parts = ["\(count): \(kinds)", "\(summary.acknowledged) taken on"]
        if let median = summary.medianResponse, let longest = summary.longestResponse {
            let words = [median, longest].map { TimeWords.span(Int($0.rounded())) }
            parts.append("half of them within \(words[0]), all within \(words[1])")
        }
        return [parts.joined(separator: "; ") + "."]
    }

    /// The length of the longest bar of a plot, in columns of the terminal.
    private static let plotWidth = 20

    /// Returns a bar with the response time of each alert, oldest first.
    static func plot(_ alerts: [AlertRecord], _ words: TimeWords) -> [String] {
        let summary = AlertSummary(alerts)
        guard summary.acknowledged > 0 else { return [] }
        let times = summary.responses.map { words.moment($0.startTime) }
        let width = times.map { TerminalRows.cells($0) }.max() ?? 0
        let bars = zip(times, summary.responses).map { time, response in
            let length =
                response.seconds == nil
                ? 0 : max(1, Int((response.share * Double(plotWidth)).rounded()))
            let bar = String(repeating: "█", count: length).padded(to: plotWidth)
            return "  \(time.padded(to: width))  \(bar)  \(response.words)"
        }
        return ["Time until someone took an alert on:"] + bars
    }

    /// Returns the alerts as CSV, without the last line break, because printing adds one.
    static func table(_ alerts: [AlertRecord], in snapshot: Snapshot) -> [String] {
        let text = AlertSummary.csv(alerts) { alert in
            snapshot.isOwn(alert)
                ? Plain.line(snapshot.profile?.name ?? "") : snapshot.name(of: alert.userId)
        }
        return [text.hasSuffix("\r\n") ? String(text.dropLast()) : text]
    }
}

extension ConnectivityText {
    /// Returns the line about an unsent alert of another account, which may be deleted.
    /// - Parameter date: when the alert was raised, by this device's clock.
    static func foreign(raisedAt date: Date) -> String {
        """
        An alert of \(ClientProcess.words.past(date)) belongs to another account. It was NOT sent. \
        If it is yours, phone someone now.
        """
    }

    /// Returns the failure of a sign-in with lines about an unsent alert below it. A failure that
    /// names the alert stays as it is.
    /// - Parameter date: when the alert was raised, by this device's clock.
    static func refused(_ failure: CommandFailure, unsent date: Date) -> CommandFailure {
        guard !failure.error.title.contains("NOT sent") else { return failure }
        var failure = failure
        let lines = [
            failure.error.recoverySuggestion,
            "\(notSent(raisedAt: date)) \(AlertText.doubt).",
            "Phone someone now: your local emergency number, or someone near you.",
        ]
        failure.error.recoverySuggestion = lines.filter { !$0.isEmpty }.joined(separator: "\n")
        return failure
    }
}
