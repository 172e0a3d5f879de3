import Clients
import ComposableArchitecture
import Domain
import Foundation

/// The form for a person's schedule: by a time of day, by an interval, or not at all, with the
/// reminders. It shows what the schedule means before it is saved (product.md, "Schedules").
@Reducer
public struct ScheduleFeature: Sendable {
    @ObservableState
    public struct State: Equatable, Sendable {
        public var kind: CheckInPlan.Kind
        public var interval: Duration
        /// The typed number of hours; nil if the person has chosen a preset.
        public var typedHours: Int?
        public var hasSleepHours: Bool
        /// "22:00", or unfinished text.
        public var sleepFrom: String
        public var sleepUntil: String
        /// Sorted by the order in which the person added them.
        public var windows: [Window]
        /// An IANA name; empty if no device has reported a time zone.
        public var timeZone: String
        public var twoHoursBefore: Bool
        public var thirtyMinutesBefore: Bool
        public var lastCall: LastCall
        /// The question before saving; nil while none is asked.
        public var question: Question?
        /// The present schedule, for the deadlines after a change.
        public private(set) var present: CheckInSchedule
        /// The server's time when the form was opened, last updated or last saved; nil before.
        public private(set) var now: Date?
        /// The person's time zone, for new times; nil if unknown.
        fileprivate var zoneForNewTimes: String?

        /// - Parameters:
        ///   - present: the schedule that is in force.
        ///   - timeZone: the person's time zone, for new times; nil if unknown.
        public init(_ present: CheckInSchedule, timeZone: String?, at now: Date?) {
            self.present = present
            self.now = now
            zoneForNewTimes = timeZone
            let settings = present.settings
            kind = settings.plan.kind
            interval = settings.interval
            twoHoursBefore = settings.remindTwoHoursBefore
            thirtyMinutesBefore = settings.remindThirtyMinutesBefore
            lastCall = settings.lastCall
            hasSleepHours = settings.plan.sleep != nil
            sleepFrom = settings.plan.sleep?.from.text ?? "22:00"
            sleepUntil = settings.plan.sleep?.until.text ?? "07:00"
            self.timeZone = settings.plan.timeZone ?? timeZone ?? ""
            windows = (settings.plan.times?.windows ?? []).enumerated().map {
                Window(id: $0.offset, $0.element)
            }
            if windows.isEmpty { windows = [.standard(id: 0)] }
        }

        /// The form with the present schedule in another time zone, and the question before saving
        /// if one is needed.
        init(_ present: CheckInSchedule, movedTo timeZone: String, at now: Date) {
            var moved = present
            moved.settings.plan = present.settings.plan.moved(to: timeZone)
            self.init(moved, timeZone: timeZone, at: now)
            self.present = present
            question = questionBeforeSaving
        }

        /// The form of the onboarding, which suggests a check-in every day by a time.
        public static let ofNewUser: State = {
            var state = State(
                CheckInSchedule(settings: .standard, lastCheckIn: nil), timeZone: nil, at: nil)
            state.kind = .times
            return state
        }()

        /// Sets the time. A new user's first deadline counts from it, and the question before
        /// saving compares the deadlines with it.
        mutating func begin(at now: Date) { self.now = now }

        /// Updates the schedule in force, which may change while the form is open. Keeps fields
        /// that the person has changed. Saving old values of other fields would undo another
        /// device's change.
        mutating func follow(_ present: CheckInSchedule, at now: Date) {
            let old = self.present
            self.present = present
            self.now = now
            guard present.settings != old.settings else { return }
            takeOver(
                Self(present, timeZone: zoneForNewTimes, at: now),
                replacing: Self(old, timeZone: zoneForNewTimes, at: now))
            if question != nil { question = questionBeforeSaving }
        }

        /// Takes over settings from an interrupted onboarding, unless the person has chosen others
        /// since.
        mutating func fill(from settings: CheckInSettings, timeZone: String?) {
            let isUntouched = self.settings == Self.ofNewUser.settings
            if self.timeZone.isEmpty { self.timeZone = timeZone ?? "" }
            guard isUntouched else { return }
            guard settings != .standard else {
                // Some browsers hide the time zone. An interval needs none.
                if timeZone == nil { kind = .interval }
                return
            }
            let filled = State(
                CheckInSchedule(settings: settings, lastCheckIn: present.lastCheckIn),
                timeZone: timeZone, at: now)
            self = filled
        }

        /// What the person has changed in the form. Another device may change the rest.
        public var changes: Set<CheckInSettings.Part> {
            settings.parts(changedFrom: present.settings)
        }
    }

    /// A window as it is typed.
    public struct Window: Equatable, Sendable, Identifiable {
        public let id: Int
        public var days: Set<Weekday>
        /// "10:00", or unfinished text.
        public var deadline: String
        /// Minutes from the opening to the deadline; nil for the default.
        public var lead: Int?

        public static func standard(id: Int) -> Window {
            Window(id: id, days: .everyDay, deadline: "10:00", lead: nil)
        }
    }

    public enum Question: Equatable, Sendable {
        /// The new deadline has passed, so responders would be told now.
        case overdueAtOnce
        /// More than two days could pass before somebody is told.
        case longSilence(Duration)
        /// No one would be told at all.
        case noDeadlines
    }

    public enum Action: Equatable, Sendable {
        case kindChosen(CheckInPlan.Kind)
        case intervalPresetTapped(Duration)
        /// The person has typed an interval in whole hours. A value that is not accepted can't be
        /// saved.
        case customIntervalChanged(hours: Int)
        case sleepHoursToggled
        case sleepFromChanged(String)
        case sleepUntilChanged(String)
        case addWindowTapped
        case removeWindowTapped(Int)
        case deadlineChanged(Int, String)
        case dayToggled(Int, Weekday)
        case leadChosen(Int, minutes: Int?)
        case timeZoneChanged(String)
        case twoHoursReminderToggled
        case thirtyMinutesReminderToggled
        case lastCallToggled
        /// nil for the default.
        case lastCallByPhoneChosen(Bool?)
        case lastCallAnswersToggled
        /// Saves, or asks first.
        case saveTapped
        case questionAnswered(yes: Bool)
        case delegate(Delegate)

        @CasePathable
        public enum Delegate: Equatable, Sendable { case save(CheckInSettings) }
    }

    @Dependency(\.date) private var date
    @Dependency(\.serverClock) private var serverClock

    public init() {}

    public var body: some ReducerOf<Self> {
        Reduce { state, action in
            switch action {
            case .kindChosen(let kind): state.kind = kind
            case .intervalPresetTapped(let interval):
                state.interval = interval
                state.typedHours = nil
            case .customIntervalChanged(let hours):
                state.interval = CheckInSettings.interval(typedHours: hours)
                state.typedHours = hours
            case .sleepHoursToggled: state.hasSleepHours.toggle()
            case .sleepFromChanged(let text): state.sleepFrom = text
            case .sleepUntilChanged(let text): state.sleepUntil = text
            case .addWindowTapped: state.addWindow()
            case .removeWindowTapped(let id):
                if state.windows.count > 1 { state.windows.removeAll { $0.id == id } }
            case .deadlineChanged(let id, let text): state.change(id) { $0.deadline = text }
            case .dayToggled(let id, let day):
                state.change(id) { $0.days.formSymmetricDifference([day]) }
            case .leadChosen(let id, let minutes): state.change(id) { $0.lead = minutes }
            case .timeZoneChanged(let name): state.timeZone = name
            case .twoHoursReminderToggled: state.twoHoursBefore.toggle()
            case .thirtyMinutesReminderToggled: state.thirtyMinutesBefore.toggle()
            case .lastCallToggled: state.lastCall.sendsMessage.toggle()
            case .lastCallByPhoneChosen(let calls): state.lastCall.calls = calls
            case .lastCallAnswersToggled: state.lastCall.takesAnswers.toggle()
            case .saveTapped:
                guard state.canSave else { return .none }
                // A deadline may have passed since the form was opened.
                state.begin(at: serverClock.time(at: date.now))
                state.question = state.questionBeforeSaving
                guard state.question == nil else { return .none }
                return .send(.delegate(.save(state.settings)))
            case .questionAnswered(let yes):
                guard state.question != nil else { return .none }
                state.question = nil
                return yes && state.canSave ? .send(.delegate(.save(state.settings))) : .none
            case .delegate: break
            }
            return .none
        }
    }
}

extension ScheduleFeature.State {
    public static let leadChoices = [nil, 30, 60, 120, 240, 720, 1440]
    public var presets: [Duration] { CheckInSettings.presets }

    public var settings: CheckInSettings {
        CheckInSettings(
            plan: plan, intervalSeconds: Int(savedInterval.components.seconds),
            remindTwoHoursBefore: twoHoursBefore, remindThirtyMinutesBefore: thirtyMinutesBefore,
            lastCall: lastCall)
    }

    /// The present interval replaces one that isn't accepted and that the form hides. The server
    /// would refuse it under any plan.
    private var savedInterval: Duration {
        kind == .interval || intervalRefusalWords == nil ? interval : present.settings.interval
    }

    /// The field keeps the text as it was typed.
    private var zoneName: String { ClockZone.name(typed: timeZone) }

    private var plan: CheckInPlan {
        switch kind {
        case .interval: CheckInPlan(intervalWith: sleep)
        case .none: .none
        case .times: .times(CheckInTimes(timeZone: zoneName, windows: windows.compactMap(\.window)))
        }
    }

    private var sleep: SleepHours? {
        guard hasSleepHours, let from = TimeOfDay(sleepFrom), let until = TimeOfDay(sleepUntil)
        else { return nil }
        return SleepHours(from: from, until: until, timeZone: zoneName)
    }

    /// Why the form can't be saved, in words; nil for an accepted form.
    public var refusalWords: String? {
        switch kind {
        case .none: nil
        case .interval: intervalRefusalWords ?? sleepRefusalWords
        case .times:
            windows.lazy.compactMap { Self.timeError($0.deadline) }.first
                ?? settings.plan.refusal?.detail
        }
    }

    /// Why the interval can't be saved. The present interval is always accepted, because the
    /// server's limits may differ.
    public var intervalRefusalWords: String? {
        let seconds = Int(interval.components.seconds)
        let isPresent = interval == present.settings.interval
        return isPresent || IntervalLimits.standard.seconds.contains(seconds) ? nil : hoursError
    }

    /// Why the sleep hours can't be saved; nil without sleep hours.
    public var sleepRefusalWords: String? {
        guard hasSleepHours else { return nil }
        return Self.timeError(sleepFrom) ?? Self.timeError(sleepUntil)
            ?? sleep?.refusal?.detail
    }

    private static func timeError(_ text: String) -> String? {
        guard TimeOfDay(text) == nil else { return nil }
        return text.isEmpty
            ? "Enter a time like 10:00." : "“\(text)” is not a time. Enter it like 10:00."
    }

    public var canSave: Bool { refusalWords == nil }

    fileprivate mutating func change(
        _ id: Int, _ change: (inout ScheduleFeature.Window) -> Void
    ) {
        guard let index = windows.firstIndex(where: { $0.id == id }) else { return }
        change(&windows[index])
    }

    /// True for one time in a known time zone. A small form can then hide the zone and the opening.
    public var hasUsualTimes: Bool { windows.count == 1 && ClockZone(zoneName) != nil }

    public var canAddWindow: Bool { windows.count < CheckInTimes.windowsPerDay }

    /// Adds a window on the same days, half a day from the last one.
    fileprivate mutating func addWindow() {
        guard canAddWindow, let last = windows.last else { return }
        let id = (windows.map(\.id).max() ?? 0) + 1
        // Half a day from the last one, or the next time that is far enough from all others.
        let choices = [720, 480, 960, 240, 1200, 120].compactMap {
            TimeOfDay(last.deadline)?.earlier(byMinutes: $0).text
        }
        let deadline =
            choices.first { choice in
                let new = ScheduleFeature.Window(
                    id: id, days: last.days, deadline: choice, lead: nil)
                let all = (windows + [new]).compactMap(\.window)
                return CheckInTimes(timeZone: zoneName, windows: all).refusal == nil
            } ?? choices.first ?? "21:00"
        windows.append(
            ScheduleFeature.Window(id: id, days: last.days, deadline: deadline, lead: nil))
    }

    // MARK: Changes on another device

    /// Takes over each field of a newer form that the person hasn't changed since the older one.
    fileprivate mutating func takeOver(_ new: Self, replacing old: Self) {
        // Fields that the person has changed stay with the choice that shows them.
        if showsPlan(of: old) || kind == new.kind { takeOverPlan(of: new, replacing: old) }
        if twoHoursBefore == old.twoHoursBefore { twoHoursBefore = new.twoHoursBefore }
        if thirtyMinutesBefore == old.thirtyMinutesBefore {
            thirtyMinutesBefore = new.thirtyMinutesBefore
        }
        if lastCall.sendsMessage == old.lastCall.sendsMessage {
            lastCall.sendsMessage = new.lastCall.sendsMessage
        }
        if lastCall.calls == old.lastCall.calls { lastCall.calls = new.lastCall.calls }
        if lastCall.takesAnswers == old.lastCall.takesAnswers {
            lastCall.takesAnswers = new.lastCall.takesAnswers
        }
    }

    private mutating func takeOverPlan(of new: Self, replacing old: Self) {
        kind = new.kind
        if hasInterval(of: old) { interval = new.interval }
        if hasSleep(of: old) {
            hasSleepHours = new.hasSleepHours
            (sleepFrom, sleepUntil) = (new.sleepFrom, new.sleepUntil)
        }
        if windows == old.windows { windows = new.windows }
        // Only a plan with local times names a zone.
        if timeZone == old.timeZone, let zone = new.present.settings.plan.timeZone {
            timeZone = zone
        }
    }

    /// True if the choice and the fields that it shows are those of the other form.
    private func showsPlan(of other: Self) -> Bool {
        guard kind == other.kind else { return false }
        switch kind {
        case .interval:
            return hasInterval(of: other) && hasSleep(of: other)
                && (!hasSleepHours || timeZone == other.timeZone)
        case .times: return windows == other.windows && timeZone == other.timeZone
        case .none: return true
        }
    }

    private func hasInterval(of other: Self) -> Bool {
        interval == other.interval && typedHours == nil
    }

    private func hasSleep(of other: Self) -> Bool {
        hasSleepHours == other.hasSleepHours && sleepFrom == other.sleepFrom
            && sleepUntil == other.sleepUntil
    }

    // MARK: What the schedule means

    private var preview: CheckInSchedule? {
        now.map { now in
            guard present.lastCheckIn != nil else {
                // A new user's first check-in follows the form.
                return CheckInSchedule(settings: settings, lastCheckIn: now)
            }
            var preview = present
            preview.apply(settings, at: now)
            return preview
        }
    }

    /// The next three deadlines, if the person checks in just before each; empty for a form that
    /// can't be saved.
    public var nextDeadlines: [Date] {
        canSave ? preview?.nextDeadlines(3) ?? [] : []
    }

    /// The next deadlines on the clock of the schedule's time zone: "10:00 CET on Friday".
    public var nextDeadlineWords: [String] {
        guard let now else { return [] }
        let zone = ClockZone(zoneName)
        return nextDeadlines.map { Timestamp.clockTime($0, in: zone, at: now) }
    }

    /// "Longest time until we tell someone: 30 hours"; nil for a form that can't be saved.
    public var longestSilenceWords: String? {
        canSave ? settings.longestSilenceWords(at: now) : nil
    }

    var questionBeforeSaving: ScheduleFeature.Question? {
        ScheduleFeature.Question(changing: present, to: settings, at: now)
    }
}

extension ScheduleFeature.Window {
    fileprivate init(id: Int, _ window: CheckInWindow) {
        self.init(
            id: id, days: window.days, deadline: window.deadline.text,
            lead: window.opens.map { window.deadline.minutes(since: $0) })
    }

    fileprivate var window: CheckInWindow? {
        TimeOfDay(deadline).map { time in
            CheckInWindow(
                days: days, opens: lead.map { time.earlier(byMinutes: $0) }, deadline: time)
        }
    }

    public static func leadWords(_ lead: Int?) -> String {
        lead.map { "\(Duration.minutes($0).words) before" }
            ?? "\(CheckInWindow.standardLead.words) before (usual)"
    }
}

extension LastCall {
    public static let title = "The last call"
    public static let messageWords = "10 minutes before, on every channel, also by SMS"
    public static let callTitle = "A call 5 minutes before"
    /// The choices for calls, in the form's order.
    public static let callChoices: [Bool?] = [nil, true, false]
    public static let answerWords = "My answer 1 to the SMS checks me in"
    public static let hint = """
        SMS, calls and answers work only if this server offers them. Somebody who can forge your \
        number could answer for you.
        """

    public static func words(ofCalls calls: Bool?) -> String {
        switch calls {
        case nil: "Only if none of my devices gets messages (usual)"
        case true?: "Always"
        case false?: "Never"
        }
    }
}

extension ScheduleFeature.Question {
    /// A longer silence is asked about (product.md, "Schedules").
    private static let longestUnasked: Duration = .hours(48)

    /// Returns nil if the change needs no question.
    /// - Parameter now: the server's time; nil if unknown.
    public init?(changing present: CheckInSchedule, to settings: CheckInSettings, at now: Date?) {
        guard !settings.hasSameDeadlines(as: present.settings) else { return nil }
        if let now, !present.isMissed(at: now) {
            var changed = present
            changed.apply(settings, at: now)
            if changed.isMissed(at: now) {
                self = .overdueAtOnce
                return
            }
        }
        guard let longest = settings.longestSilence else {
            self = .noDeadlines
            return
        }
        guard longest > Self.longestUnasked else { return nil }
        self = .longSilence(longest)
    }

    public var words: String {
        switch self {
        case .overdueAtOnce:
            "With this schedule you are overdue, and your responders are told at once."
        case .longSilence(let longest):
            "If something happens to you, it can take \(longest.words) until we tell someone."
        case .noDeadlines: "If something happens to you, we tell no one unless you raise an alert."
        }
    }
}

extension CheckInPlan.Kind {
    /// The choices of the form, in its order.
    public static let choices: [CheckInPlan.Kind] = [.times, .interval, .none]

    public var words: String {
        switch self {
        case .times: "By a time of day"
        case .interval: "Within hours of the last check-in"
        case .none: "Not at all: I only watch over others"
        }
    }
}
