import Foundation

/// A change of a schedule that delays alarms, or the end of such a delay.
public enum ScheduleChange: Equatable, Sendable {
    /// The longest silences; nil without deadlines. `pausedUntil` is the end of a present pause.
    /// `first` is the first deadline if the longest silence doesn't cover it. `clockChange` is the
    /// greatest change of the new schedule's clocks, which adds to the longest silence.
    case longerSilence(
        Duration?, before: Duration?, pausedUntil: Date? = nil, first: Date? = nil,
        clockChange: Duration = .zero)
    /// Later deadlines without a longer silence. `silence` is the longest one.
    case laterCheckIns(
        CheckInSettings, silence: Duration, pausedUntil: Date? = nil, first: Date? = nil,
        clockChange: Duration = .zero)
    /// The undoing of one of these changes. `silence` is the longest one.
    case undone(silence: Duration, pausedUntil: Date? = nil, clockChange: Duration = .zero)
    case pauseBegan(until: Date)
    case pauseChanged(until: Date)
    case pauseEnded(hasDeadlines: Bool)

    /// Returns nil if the new schedule delays no alarm.
    public init?(from old: CheckInSchedule, to new: CheckInSchedule, at now: Date) {
        let pauseEnd = new.isPaused(at: now) ? new.pause?.until : nil
        self.init(
            from: old.settings, to: new.settings, pausedUntil: pauseEnd,
            first: pauseEnd == nil ? new.postponedDeadline(after: old) : nil,
            clockChange: new.settings.clockChange(after: now))
    }

    /// Returns nil if the new settings delay no alarm.
    /// - Parameters:
    ///   - pauseEnd: the end of a present pause; nil without one.
    ///   - first: see `longerSilence`.
    ///   - change: see `longerSilence`.
    init?(
        from old: CheckInSettings, to new: CheckInSettings, pausedUntil pauseEnd: Date? = nil,
        first: Date? = nil, clockChange change: Duration = .zero
    ) {
        if new.allowsLongerSilence(than: old) {
            self = .longerSilence(
                new.longestSilence, before: old.longestSilence, pausedUntil: pauseEnd,
                first: first, clockChange: change)
        } else if let silence = new.longestSilence,
            first != nil || new.allowsLaterCheckIns(than: old)
        {
            self = .laterCheckIns(
                new, silence: silence, pausedUntil: pauseEnd, first: first, clockChange: change)
        } else {
            return nil
        }
    }

    /// Returns the news for people who were told of a delay; nil if the new schedule undoes none.
    public static func undoing(
        _ old: CheckInSchedule, by new: CheckInSchedule, at now: Date
    ) -> Self? {
        guard let silence = new.settings.longestSilence,
            Self(from: new.settings, to: old.settings) != nil
        else { return nil }
        return .undone(
            silence: silence, pausedUntil: new.isPaused(at: now) ? new.pause?.until : nil,
            clockChange: new.settings.clockChange(after: now))
    }
}

extension CheckInSchedule {
    /// Returns the deadline if a change has moved it to a later time, and the longest silence since
    /// the last check-in ends before it.
    fileprivate func postponedDeadline(after old: CheckInSchedule) -> Date? {
        guard let deadline, let before = old.deadline, before < deadline, let lastCheckIn,
            let silence = settings.longestSilence, deadline.since(lastCheckIn) > silence
        else { return nil }
        return deadline
    }
}

extension CheckInSettings {
    /// "a check-in every 19 hours", "4 deadlines a week".
    fileprivate var scheduleWords: String {
        switch plan {
        case .interval: return "a check-in every \(interval.words)"
        case .intervalWithSleep:
            return "a check-in every \(interval.words), except in the sleep hours"
        case .times(let times):
            let count = times.deadlinesPerWeek
            return count == 1 ? "1 deadline a week" : "\(count) deadlines a week"
        case .none: return "no deadlines"
        }
    }
}

extension NotificationText {
    /// - Parameter missed: the missed deadline of the open alert; nil without one.
    public static func reminder(
        _ reminder: Reminder, deadline: Date, missed: Date? = nil
    ) -> Self {
        let lead =
            switch reminder {
            case .twoHours: "2 hours"
            case .thirtyMinutes: "30 minutes"
            }
        if let missed {
            return .init(
                .system, "Check in now",
                """
                \(alertIsOn(missed)) LifeSignal alerts again in less than \(lead), at \
                \(clock: deadline).
                """)
        }
        return .init(
            .system, "Check in soon",
            "Less than \(lead) left: check in before \(clock: deadline).")
    }

    /// Text for the responders of a person.
    public static func schedule(_ change: ScheduleChange, name: String) -> Self {
        switch change {
        case .longerSilence(nil, _, _, _, _):
            .init(
                .system, "\(name) has no deadlines any more",
                "LifeSignal no longer tells you if \(name) is silent. \(callThem(name))",
                kind: .scheduleDelay)
        case .longerSilence(let silence?, let before, let pauseEnd, let first, let change):
            longerSilence(
                silence.words(clockChange: change), before: before, pausedUntil: pauseEnd,
                first: first, name: name)
        case .laterCheckIns(let settings, let silence, let pauseEnd, let first, let change):
            .init(
                .system, "\(name) may check in later",
                """
                New schedule: \(settings.scheduleWords). \(teller(pausedUntil: pauseEnd)) after at \
                most \(silence.words(clockChange: change)) of silence. \
                \(later(first))\(callThem(name))
                """, kind: .scheduleDelay)
        case .undone(let silence, let pauseEnd, let change):
            .init(
                .system, "\(name) changed their schedule again",
                """
                \(teller(pausedUntil: pauseEnd)) after at most \
                \(silence.words(clockChange: change)) of silence. \(callThem(name))
                """, kind: .scheduleUndone)
        case .pauseBegan(let end):
            .init(
                .system, "\(name) has paused check-ins",
                """
                No one is told of a missed check-in until \(clock: end). Alerts still reach you. \
                \(callThem(name))
                """, kind: .pause)
        case .pauseChanged(let end):
            .init(
                .system, "\(name) has changed their pause",
                "It now ends at \(clock: end). \(callThem(name))", kind: .pause)
        case .pauseEnded(true):
            .init(
                .system, "\(name)'s pause has ended",
                "From now on you are told if \(name) misses a check-in.", kind: .pause)
        case .pauseEnded(false):
            .init(
                .system, "\(name)'s pause has ended",
                "\(name) has no deadlines. LifeSignal doesn't tell you if \(name) is silent.",
                kind: .pause)
        }
    }

    /// Text for the person's other devices. The person on the device that acted knows of it.
    public static func ownSchedule(_ change: ScheduleChange?) -> Self {
        switch change {
        case .longerSilence(nil, _, _, _, _):
            .init(
                .system, "You have no deadlines any more",
                """
                Another device changed your schedule. LifeSignal no longer tells your responders \
                if you are silent. \(ifNotYou)
                """, kind: .scheduleDelay)
        case .pauseBegan(let end):
            .init(
                .system, "Your check-ins were paused",
                """
                Another device paused them. No one is told of a missed check-in until \
                \(clock: end). \(ifNotYou)
                """, kind: .pause)
        case .pauseChanged(let end):
            .init(
                .system, "Your pause was changed",
                "Another device changed it. It now ends at \(clock: end). \(ifNotYou)",
                kind: .pause)
        case .pauseEnded(true):
            .init(
                .system, "Your pause was ended",
                """
                Another device ended it. From now on your responders are told if you miss a \
                check-in. \(ifNotYou)
                """, kind: .pause)
        case .pauseEnded(false):
            .init(
                .system, "Your pause was ended",
                """
                Another device ended it. You have no deadlines, so LifeSignal doesn't tell your \
                responders if you are silent. \(ifNotYou)
                """, kind: .pause)
        case .longerSilence, .laterCheckIns, .undone, nil: scheduleChanged
        }
    }

    private static func longerSilence(
        _ silence: String, before: Duration?, pausedUntil pauseEnd: Date?, first: Date?,
        name: String
    ) -> Self {
        let comparison = before.map { ", instead of \($0.words)" } ?? ""
        return .init(
            .system, "\(name) checks in less often",
            """
            \(teller(pausedUntil: pauseEnd)) after at most \(silence) of \
            silence\(comparison). \(later(first))\(callThem(name))
            """, kind: .scheduleDelay)
    }

    private static func later(_ first: Date?) -> TimedText {
        first.map { "Only the first deadline is later: \(clock: $0). " as TimedText } ?? ""
    }

    private static func teller(pausedUntil pauseEnd: Date?) -> TimedText {
        pauseEnd.map {
            "After the pause, which ends at \(clock: $0), LifeSignal tells you" as TimedText
        } ?? "LifeSignal now tells you"
    }

    /// Text for the person, shortly before the deadline.
    /// - Parameters:
    ///   - takesAnswers: true if the answer "1" to the SMS checks in.
    ///   - missed: the missed deadline of the open alert; nil without one.
    public static func lastCall(
        deadline: Date, responders: ToldResponders, takesAnswers: Bool, missed: Date? = nil
    ) -> Self {
        let consequence = responders.willBeTold("told at \(clock: deadline) unless you check in.")
        let body: TimedText =
            switch (missed, responders.told > 0) {
            case (let missed?, true):
                "\(alertIsOn(missed)) LifeSignal alerts again at \(clock: deadline)."
            case (let missed?, false): "\(alertIsOn(missed)) \(consequence)"
            case (nil, true): consequence
            case (nil, false): "Your deadline is \(clock: deadline). \(consequence)"
            }
        let text = Self(.system, "Last call: check in now", body)
        return takesAnswers ? text.adding("Answer the SMS with 1 to check in.") : text
    }

    /// Text for the person who is called five minutes before the deadline.
    /// - Parameter missed: the missed deadline of the open alert; nil without one.
    public static func lastCallByPhone(deadline: Date, missed: Date? = nil) -> Self {
        let words: TimedText =
            missed.map(alertIsOn) ?? "Check in before \(clock: deadline)."
        return .init(.system, "LifeSignal calls you", "\(words) On the phone, press 1.")
    }

    /// A new schedule leaves the alert about an earlier deadline open.
    static func alertIsOn(_ missed: Date) -> TimedText {
        "Your alert about the check-in before \(clock: missed) is on. Check in to end it."
    }

    /// Text for the person, before their pause ends by itself.
    /// - Parameter deadline: the first one after the pause.
    public static func pauseEnds(at end: Date, deadline: Date?) -> Self {
        guard let deadline else {
            return .init(.system, "Your pause ends soon", "It ends at \(clock: end).")
        }
        return .init(
            .system, "Your pause ends soon",
            "It ends at \(clock: end). After it, check in before \(clock: deadline).")
    }

    public static let lastCallTakesAnswers = NotificationText(
        .system, "An SMS can check in for you",
        "The answer 1 to the SMS of the last call now checks in. \(ifNotYou)", kind: .lastingChange)

    public static let lastCallTurnedOff = NotificationText(
        .system, "You get fewer last calls",
        "The message or the call before your deadline was turned off or limited. \(ifNotYou)",
        kind: .lastingChange)

    /// Text for the person's devices.
    public static func sourceAdded(name: String) -> Self {
        .init(
            .system, "A source can check in for you",
            """
            \(shownSource(name)) was added. Look at your sources in the settings. \
            \(NotificationText.ifNotYou)
            """, kind: .lastingChange)
    }

    /// Text for the person's devices.
    public static func sourceReplaced(name: String) -> Self {
        .init(
            .system, "A source has a new address",
            """
            \(shownSource(name)) now checks in by a new address only. Look at your sources in the \
            settings. \(NotificationText.ifNotYou)
            """, kind: .lastingChange)
    }

    public static func sourceRemoved(name: String) -> Self {
        .init(
            .system, "A source was removed",
            "\(shownSource(name)) can't check in for you any more. \(NotificationText.ifNotYou)")
    }

    /// Text for the owner of a source that was used daily.
    public static func sourceIsSilent(name: String) -> Self {
        .init(
            .system,
            "\(shownSource(name)) has not checked in for \(SourceRules.silentDays) days",
            "If you still use it, check its battery and its connection.")
    }

    private static func shownSource(_ name: String) -> String {
        quoted(name) ?? "A source"
    }

    private static func callThem(_ name: String) -> String {
        "Call \(name) if this surprises you."
    }
}

extension ToldResponders {
    /// Returns "Your 2 responders are" with this ending. If no message can reach any of them, says
    /// that instead.
    func willBeTold(_ ending: TimedText) -> TimedText {
        switch (told, all) {
        case (1..., _): "\(words) \(ending)"
        case (_, 0): "You have no responders who would be told."
        default: "\(silence)"
        }
    }
}
