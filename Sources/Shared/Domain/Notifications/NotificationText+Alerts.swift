import Foundation

extension NotificationText {
    /// - Parameter receivedAt: when the server received the alert. The text gives this time if it
    ///   is more than a minute after `time`.
    public static func alertRaised(
        name: String, at time: Date, receivedAt: Date? = nil
    ) -> Self {
        .init(
            .alert, "\(name) needs help",
            "\(name) raised an alert at \(beginning(time, receivedAt: receivedAt)).")
    }

    /// Returns the alert's start and, if the alert came late, the time of its receipt.
    static func beginning(_ time: Date, receivedAt: Date?) -> TimedText {
        guard let receivedAt, AlertRules.cameLate(startedAt: time, receivedAt: receivedAt) else {
            return "\(clock: time)"
        }
        return "\(clock: time), received at \(clock: receivedAt)"
    }

    /// Text for a second missed deadline during an open alert.
    public static func missedAgain(name: String, deadline: Date) -> Self {
        .init(
            .alert, "\(name) missed another check-in",
            "\(name) should have checked in again by \(clock: deadline). Please find out if "
                + "they are fine.")
    }

    public static func alertConfirmed(responder: String, name: String) -> Self {
        .init(
            .alert, "\(responder) is still on it", "\(responder) is still helping \(name).")
    }

    /// Text for the other responders after one has withdrawn, or whose report has ended.
    /// - Parameter wasOnIt: false if the responder had only reported.
    public static func alertReleased(
        responder: String, name: String, wasOnIt: Bool = true
    ) -> Self {
        .init(
            .alert, "\(name) still needs help",
            "\(ended(by: responder, wasOnIt: wasOnIt)) Please find out if you can help.")
    }

    private static func ended(by responder: String, wasOnIt: Bool) -> String {
        wasOnIt
            ? "\(responder) is no longer on it." : "What \(responder) reported no longer counts."
    }

    /// - Parameter end: the end of the pause, for a reader who hears of an earlier report; nil for
    ///   a new report.
    public static func alertReported(
        _ report: AlertReport, responder: String, name: String, kind: AlertKind,
        pausedUntil end: Date? = nil
    ) -> Self {
        let pause: TimedText = end.map { "until \(clock: $0)" as TimedText } ?? "for 12 hours"
        return .init(
            .alert, AlertWords.reported(report, by: responder, about: name),
            """
            No one is alerted again \(pause), unless you ask for it. The alert stays open \
            \(AlertWords.untilEnd(of: kind, name: name)).
            """, kind: .report)
    }

    /// Text after a responder has withdrawn while another's report pauses the repeats.
    /// - Parameters:
    ///   - name: the person in need; nil for the text that this person reads.
    ///   - responder: the responder who has withdrawn.
    public static func reportStillHolds(
        _ report: AlertReport, reporter: String, name: String?, withdrawn responder: String,
        pausedUntil end: Date
    ) -> Self {
        .init(
            .alert, AlertWords.reported(report, by: reporter, about: name),
            """
            \(responder) is no longer on it. No one is alerted again until \(clock: end), unless \
            you ask for it.
            """, kind: .report)
    }

    /// Text after the end of a report while another responder than its author is on it. The person
    /// in need or a responder has lifted it, or its author has stopped being a responder.
    public static func helpStillComes(responder: String, reporter: String) -> Self {
        .init(.alert, "\(responder) is on it", "What \(reporter) reported no longer counts.")
    }

    /// The same for the responder who is on it.
    public static func youStillHelp(name: String, reporter: String) -> Self {
        .init(
            .alert, "You are still helping \(name)", "What \(reporter) reported no longer counts.")
    }

    /// Text after the 12 hours of a report while a responder is on it.
    /// - Parameter incompleteSince: since when a restore may have lost news; nil after 12 hours.
    public static func helpOutlastsReport(
        responder: String, reporter: String, incompleteSince: Date? = nil
    ) -> Self {
        let reason: TimedText =
            incompleteSince.map { mayHaveLostNews(since: $0) } ?? "12 hours have passed"
        return .init(
            .alert, "\(responder) is on it",
            "What \(reporter) reported no longer counts, because \(reason).")
    }

    /// - Parameter learnedAt: when the server learned of the end, if that was only after a restore.
    public static func alertEnded(name: String, at time: Date, learnedAt: Date? = nil) -> Self {
        .init(
            .alert, "\(name) ended the alert",
            "The alert ended at \(clock: time)\(learnedAfterRestore(learnedAt)).")
    }

    /// Returns the sentence for an end that the server learned only after a restore; empty for nil.
    static func learnedAfterRestore(_ time: Date?) -> TimedText {
        guard let time else { return "" }
        return ". LifeSignal was restored from a backup, and learned of the end at \(clock: time)"
    }

    private static func mayHaveLostNews(since time: Date) -> TimedText {
        "LifeSignal restored a backup and may have lost news since \(clock: time)"
    }

    private static func endOfPause(incompleteSince: Date?) -> TimedText {
        incompleteSince.map { mayHaveLostNews(since: $0) } ?? "It was paused for 12 hours"
    }

    /// Text for the responders after the person in need has denied a report.
    public static func alertContradicted(responder: String, name: String) -> Self {
        .init(
            .alert, "\(name) still needs help",
            """
            \(name) says that what \(responder) reported is not true. Please find out if you can \
            help.
            """)
    }

    /// Text after a responder hasn't confirmed in time.
    /// - Parameter responder: the responder's name; nil in the text to that responder.
    public static func alertLapsed(name: String, responder: String?) -> Self {
        let title = "\(name) may still need help"
        guard let responder else {
            return .init(
                .alert, title,
                "You have not confirmed, so you are no longer on it. Please find out.")
        }
        return .init(.alert, title, "\(responder) has not confirmed. Please find out.")
    }

    public static func everyoneRefused(name: String) -> Self {
        .init(
            .alert, "\(name) still needs help",
            "Everyone who can be reached has said that they can't. Please find a way to help.")
    }

    public static func alertResumed(responder: String, name: String) -> Self {
        .init(
            .alert, "\(name) may still need help",
            "\(responder) asked that everyone be alerted again. Please find out.")
    }

    /// Text after a report has ended, for people who haven't accepted the role of responder. They
    /// don't learn who reported.
    public static func alertedAgain(name: String) -> Self {
        .init(
            .alert, "\(name) may still need help",
            "Everyone is alerted again. Please find out.")
    }

    /// Text for the responders.
    /// - Parameter incompleteSince: since when a restore may have lost news; nil after 12 hours.
    public static func pauseIsOver(name: String, incompleteSince: Date? = nil) -> Self {
        .init(
            .alert, "\(name)’s alert is still on",
            "\(endOfPause(incompleteSince: incompleteSince)). Please find out.")
    }
}

extension NotificationText {
    /// Who is on an alert.
    public enum Helper: Equatable, Sendable {
        case noOne, reader
        case another(String)
    }

    /// Returns the text with a sentence about another open alert of the same person.
    /// - Parameters:
    ///   - kind: the kind of the other alert.
    ///   - name: the person in need; nil if the reader is that person.
    ///   - helper: who is on the other alert; nil to leave that out.
    public func besides(_ kind: AlertKind, of name: String?, helper: Helper?) -> Self {
        let subject =
            switch kind {
            case .manual: "which \(name ?? "you") raised"
            case .missedCheckIn: "about \(name.map { "\($0)'s" } ?? "your") missed check-in"
            case .journey: "about \(name.map { "\($0)'s" } ?? "your") journey"
            }
        let end =
            switch helper {
            case .noOne: ", and no one is on it"
            case .reader: ", and you are on it"
            case .another(let responder): ", and \(responder) is on it"
            case nil: ""
            }
        return adding("Another alert, \(subject), is still on\(end).")
    }
}

/// Texts for the person in need.
extension NotificationText {
    /// - Parameter wasOnIt: false if the responder had only reported.
    public static func helpIsNotComing(responder: String, wasOnIt: Bool = true) -> Self {
        let again =
            "LifeSignal is alerting your responders again. "
            + "Call for help directly if you need it now."
        guard !wasOnIt else { return .init(.alert, "\(responder) is no longer on it", "\(again)") }
        return .init(
            .alert, "Your alert is still on",
            "\(ended(by: responder, wasOnIt: false)) \(again)")
    }

    public static func everyoneRefusedToOwner(areAlertedAgain: Bool) -> Self {
        let again = areAlertedAgain ? " LifeSignal is alerting them again." : ""
        return .init(
            .alert, "Your responders can't come",
            "Everyone who can be reached has said that they can't.\(again) Call for help directly.")
    }

    public static func helpIsNotConfirmed(responder: String) -> Self {
        .init(
            .alert, "\(responder) has not confirmed",
            "LifeSignal is alerting everyone again. Call for help directly if you need it now.")
    }

    /// Text for the person in need after 15 minutes without an acknowledgement. Says whether any
    /// message can reach the responders.
    /// - Parameters:
    ///   - time: the alert's start.
    ///   - receivedAt: when the server received the alert and began to tell the responders.
    ///   - wasForChosen: true if the alert reaches all responders only now.
    public static func nobodyHasTakenItOn(
        _ responders: ToldResponders, since time: Date, receivedAt: Date? = nil,
        wasForChosen: Bool = false
    ) -> Self {
        let alert = beginning(time, receivedAt: receivedAt)
        let late = receivedAt.flatMap {
            AlertRules.cameLate(startedAt: time, receivedAt: $0) ? $0 : nil
        }
        let people = responders.all == 1 ? "your responder" : "your responders"
        let state: TimedText =
            if responders.told == 0 {
                "No message about your alert (\(alert)) reaches \(people)."
            } else if wasForChosen {
                "No responder you chose is on it. LifeSignal is now alerting all your responders."
            } else if late == nil {
                "LifeSignal has been alerting your responders since \(clock: time)."
            } else {
                "You raised an alert at \(alert). LifeSignal has been alerting your responders."
            }
        return .init(
            .alert, "No one is on it yet",
            "\(state) Call for help directly if you need it now.")
    }

    /// Text after another missed deadline, while one responder is on it or has reported.
    /// - Parameters:
    ///   - isReached: false if no message can reach the responder.
    ///   - end: the end of the pause after the responder's report; nil if the responder is on it.
    public static func onlyOneWasTold(
        deadline: Date, responder: String, isReached: Bool, pausedUntil end: Date?
    ) -> Self {
        let told =
            isReached ? "\(responder) is being told." : "No message reaches \(responder)."
        let others: TimedText =
            end.map { "alerted again until \(clock: $0), unless you ask for it" as TimedText }
            ?? "told while \(responder) is on it"
        return .init(
            .alert, "You missed your check-in",
            """
            You should have checked in by \(clock: deadline). \(told) No one else is \(others). \
            Check in if you are fine.
            """)
    }

    /// - Parameter incompleteSince: see `pauseIsOver(name:incompleteSince:)`.
    public static func pauseIsOver(incompleteSince: Date?) -> Self {
        .init(
            .alert, "Your alert is still on",
            """
            \(endOfPause(incompleteSince: incompleteSince)). LifeSignal is alerting your \
            responders again.
            """)
    }

    /// Text for the person after a responder has lifted a report.
    public static func repeatsGoOn(responder: String) -> Self {
        .init(
            .alert, "Your alert is still on",
            "\(responder) asked that everyone be alerted again. Call for help directly if you "
                + "need it now.")
    }

    /// Text for an owner without responders, sent at each repeat. Former responders may have been
    /// told.
    public static func nobodyIsThere(since time: Date, receivedAt: Date? = nil) -> Self {
        .init(
            .alert, "Your alert is still on",
            """
            It began at \(beginning(time, receivedAt: receivedAt)). You have no responders now. \
            Call for help directly.
            """)
    }

    /// Text for an owner whose last responder has just left.
    /// - Parameters:
    ///   - responder: the responder who was on the alert or had reported; nil if none was.
    ///   - wasOnIt: false if the responder had only reported.
    public static func noResponderIsLeft(responder: String?, wasOnIt: Bool = true) -> Self {
        let body =
            responder.map {
                "\(ended(by: $0, wasOnIt: wasOnIt)) You have no other responders."
            }
            ?? "You have no responders any more."
        return .init(.alert, "Your alert is still on", "\(body) Call for help directly.")
    }

    public static func reportedToOwner(
        _ report: AlertReport, responder: String, kind: AlertKind
    ) -> Self {
        let end =
            switch (report, kind) {
            case (.foundSafe, .manual): "End the alert if that is true."
            case (.foundSafe, .missedCheckIn): "Check in if that is true."
            case (.foundSafe, .journey): "Say that you have arrived if that is true."
            case (.withThem, _), (.emergencyServicesCalled, _):
                "No one else is alerted for 12 hours."
            }
        return .init(
            .alert, AlertWords.reported(report, by: responder, about: nil),
            "\(end) If that is not true, open LifeSignal and alert everyone again.",
            kind: .report)
    }
}
