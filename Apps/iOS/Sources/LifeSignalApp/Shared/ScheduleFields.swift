import ComposableArchitecture
import Domain
import Features
import Foundation
import SwiftUI
import UIKit

/// The form for the schedule: what sets the deadlines, its values, and what it means.
struct ScheduleFields: View {
    @Bindable var store: StoreOf<ScheduleFeature>
    /// True to fit on one screen: rarely changed choices are folded.
    var isCompact = false
    /// False until the user has tried to continue.
    var showsError = true

    var body: some View {
        VStack(alignment: .leading, spacing: isCompact ? 8 : 16) {
            kinds
            switch store.kind {
            case .interval: interval
            case .times: times
            case .none: EmptyView()
            }
            if showsError, store.kind != .interval { FieldError(store.refusalWords) }
            ScheduleMeaning(store: store)
        }
        .onAppear { suggestTimeZone() }
        .alert(
            ScheduleWords.question, isPresented: $store.isAsked, presenting: store.question
        ) { _ in
            Button(ScheduleWords.save) { store.send(.questionAnswered(yes: true)) }
            Button(ScheduleWords.goBack, role: .cancel) {
                store.send(.questionAnswered(yes: false))
            }
        } message: { question in
            Text(question.words)
        }
    }

    private var kinds: some View {
        VStack(alignment: .leading, spacing: 0) {
            if !isCompact { Heading(ScheduleWords.kind) }
            ForEach(CheckInPlan.Kind.choices, id: \.self) { kind in
                ChoiceRow(kind.words, isOn: kind == store.kind) { store.send(.kindChosen(kind)) }
            }
        }
    }

    @ViewBuilder private var interval: some View {
        IntervalFields(
            interval: store.interval, typedHours: store.typedHours, presets: store.presets,
            error: store.intervalRefusalWords,
            preset: { store.send(.intervalPresetTapped($0)) },
            hours: { store.send(.customIntervalChanged(hours: $0)) })
        if isCompact, !store.hasSleepHours {
            DisclosureGroup(ScheduleWords.moreChoices) {
                VStack(alignment: .leading, spacing: 8) { sleepHours }
            }
        } else {
            sleepHours
        }
    }

    @ViewBuilder private var sleepHours: some View {
        Toggle(
            ScheduleWords.sleepHours,
            isOn: $store[value: \.hasSleepHours, toggle: \.sleepHoursToggled])
        Quiet(ScheduleWords.sleepHint)
        if store.hasSleepHours {
            DatePicker(
                ScheduleWords.sleepFrom, selection: $store.sleepFromDate,
                displayedComponents: .hourAndMinute)
            DatePicker(
                ScheduleWords.sleepUntil, selection: $store.sleepUntilDate,
                displayedComponents: .hourAndMinute)
            FieldError(store.sleepRefusalWords)
            timeZone
        }
    }

    // MARK: Times

    @ViewBuilder private var times: some View {
        // With several times, each keeps its opening beside it.
        let isFolded = isCompact && store.state.hasUsualTimes
        ForEach(store.windows) { window in
            WindowFields(
                store: store, window: window, showsOpening: !isFolded,
                isRemovable: store.windows.count > 1)
        }
        if isFolded {
            DisclosureGroup(ScheduleWords.moreChoices) {
                VStack(alignment: .leading, spacing: 8) {
                    ForEach(store.windows) { OpeningPicker(store: store, window: $0) }
                    addition
                    timeZone
                }
                .frame(maxWidth: .infinity, alignment: .leading)
            }
        } else {
            addition
            timeZone
        }
    }

    @ViewBuilder private var addition: some View {
        if store.canAddWindow {
            WideButton(ScheduleWords.addTime) { store.send(.addWindowTapped) }
        }
    }

    private var timeZone: some View {
        LabeledContent(ScheduleWords.timeZone) {
            Picker(
                ScheduleWords.timeZone,
                selection: $store[value: \.timeZone, send: \.timeZoneChanged]
            ) {
                if store.timeZone.isEmpty { Text(ScheduleWords.noTimeZone).tag("") }
                ForEach(TimeZones.names(with: store.timeZone), id: \.self) { name in
                    Text(name.replacing("_", with: " ")).tag(name)
                }
            }
            .pickerStyle(.menu)
            .labelsHidden()
        }
    }

    /// A new user's device may not have reported its zone yet.
    private func suggestTimeZone() {
        if store.timeZone.isEmpty, let zone = ClockZone.ofThisDevice {
            store.send(.timeZoneChanged(zone))
        }
    }
}

/// The time zones of the form.
private enum TimeZones {
    private static let known = TimeZone.knownTimeZoneIdentifiers.filter { ClockZone($0) != nil }

    /// - Parameter chosen: the present choice, which may be an older name of a zone.
    static func names(with chosen: String) -> [String] {
        chosen.isEmpty || known.contains(chosen) ? known : [chosen] + known
    }
}

// MARK: A time

/// A deadline with its days and its opening.
private struct WindowFields: View {
    @Bindable var store: StoreOf<ScheduleFeature>
    let window: ScheduleFeature.Window
    let showsOpening: Bool
    let isRemovable: Bool
    @Environment(\.dynamicTypeSize) private var size

    var body: some View {
        Card {
            DatePicker(
                ScheduleWords.deadline, selection: $store[deadlineOf: window.id],
                displayedComponents: .hourAndMinute)
            days
            if showsOpening { OpeningPicker(store: store, window: window) }
            if isRemovable {
                WideButton(ScheduleWords.removeTime, .close, kind: .plain) {
                    store.send(.removeWindowTapped(window.id))
                }
                .accessibilityLabel("\(ScheduleWords.removeTime): \(window.deadline)")
            }
        }
    }

    /// Seven buttons in a row. Accessibility text sizes need a row for each day.
    private var days: some View {
        let layout =
            size.isAccessibilitySize
            ? AnyLayout(VStackLayout(alignment: .leading, spacing: 4))
            : AnyLayout(HStackLayout(spacing: 4))
        return layout {
            ForEach(Weekday.allCases, id: \.self) { day in
                DayButton(
                    day: day, time: isRemovable ? window.deadline : nil,
                    isOn: window.days.contains(day)
                ) {
                    store.send(.dayToggled(window.id, day))
                }
            }
        }
    }
}

private struct DayButton: View {
    let day: Weekday
    /// The deadline, to tell several times apart; nil if there is only one.
    let time: String?
    let isOn: Bool
    let toggle: @MainActor () -> Void

    var body: some View {
        Button(action: toggle) {
            Text(day.shortWord)
                .font(.subheadline)
                .lineLimit(1)
                .minimumScaleFactor(0.7)
                .frame(maxWidth: .infinity, minHeight: 44)
                .foregroundStyle(isOn ? Color.onBrand : Color.words)
                .background(isOn ? Color.brand : Color.sunken, in: .rect(cornerRadius: 8))
                .contentShape(.rect)
        }
        .buttonStyle(.plain)
        .accessibilityLabel(time.map { "\(day.word), \($0)" } ?? day.word)
        .accessibilityAddTraits(isOn ? [.isButton, .isSelected] : .isButton)
    }
}

/// How long before the deadline a check-in begins to count.
private struct OpeningPicker: View {
    @Bindable var store: StoreOf<ScheduleFeature>
    let window: ScheduleFeature.Window

    var body: some View {
        LabeledContent(ScheduleWords.opening) {
            Picker(ScheduleWords.opening, selection: $store[leadOf: window.id]) {
                ForEach(choices, id: \.self) { lead in
                    Text(ScheduleFeature.Window.leadWords(lead)).tag(lead)
                }
            }
            .pickerStyle(.menu)
            .labelsHidden()
        }
    }

    /// A schedule from another client may have an opening that isn't among the usual choices.
    private var choices: [Int?] {
        let usual = ScheduleFeature.State.leadChoices
        return usual.contains(window.lead) ? usual : usual + [window.lead]
    }
}

// MARK: The meaning

/// The next deadlines, and the longest time until somebody is told.
private struct ScheduleMeaning: View {
    let store: StoreOf<ScheduleFeature>

    var body: some View {
        VStack(alignment: .leading, spacing: 4) {
            if !store.nextDeadlines.isEmpty {
                Heading(ScheduleWords.nextDeadlines)
                ForEach(store.nextDeadlines, id: \.self) { words($0) }
            }
            if let words = store.longestSilenceWords { Quiet(words) }
        }
    }

    /// The time by the schedule's clock, and by the device's if it differs.
    private func words(_ deadline: Date) -> Text {
        guard let name = store.state.settings.plan.timeZone,
            let zone = TimeZone(identifier: name),
            zone.secondsFromGMT(for: deadline) != TimeZone.current.secondsFromGMT(for: deadline)
        else { return .day(deadline) }
        return Text.day(deadline, in: zone) + Text(verbatim: " (") + .day(deadline)
            + Text(verbatim: " \(ScheduleWords.onThisDevice))")
    }
}

// MARK: Bindings

extension Store where State == ScheduleFeature.State, Action == ScheduleFeature.Action {
    /// True while a question is asked. Setting this does nothing, because SwiftUI may close the
    /// alert before it calls the action of a button.
    @MainActor
    fileprivate var isAsked: Bool {
        get { state.question != nil }
        set {}
    }

    /// The deadline of a window, as the time of day of a date.
    @MainActor
    fileprivate subscript(deadlineOf id: Int) -> Date {
        get { PickedTime.date(window(id)?.deadline ?? "") }
        set {
            let text = PickedTime.text(newValue)
            if text != window(id)?.deadline { send(.deadlineChanged(id, text)) }
        }
    }

    @MainActor
    fileprivate var sleepFromDate: Date {
        get { PickedTime.date(state.sleepFrom) }
        set {
            let text = PickedTime.text(newValue)
            if text != state.sleepFrom { send(.sleepFromChanged(text)) }
        }
    }

    @MainActor
    fileprivate var sleepUntilDate: Date {
        get { PickedTime.date(state.sleepUntil) }
        set {
            let text = PickedTime.text(newValue)
            if text != state.sleepUntil { send(.sleepUntilChanged(text)) }
        }
    }

    @MainActor
    fileprivate subscript(leadOf id: Int) -> Int? {
        get { window(id)?.lead }
        set { if newValue != window(id)?.lead { send(.leadChosen(id, minutes: newValue)) } }
    }

    @MainActor
    private func window(_ id: Int) -> ScheduleFeature.Window? {
        state.windows.first { $0.id == id }
    }
}

/// Converts between "HH:MM" and the dates of a picker.
private enum PickedTime {
    private static var calendar: Calendar { Calendar(identifier: .gregorian) }

    /// Returns the time on a day in January 2001, when no clock changed; midnight for other text.
    static func date(_ text: String) -> Date {
        let minutes = TimeOfDay(text)?.minutes ?? 0
        let parts = DateComponents(
            year: 2001, month: 1, day: 15, hour: minutes / 60, minute: minutes % 60)
        return calendar.date(from: parts) ?? .now
    }

    static func text(_ date: Date) -> String {
        let parts = calendar.dateComponents([.hour, .minute], from: date)
        return TimeOfDay(minutes: (parts.hour ?? 0) * 60 + (parts.minute ?? 0))?.text ?? ""
    }
}

// MARK: An interval

struct IntervalFields: View {
    let interval: Duration
    /// The last typed number; nil if a preset was chosen afterwards.
    let typedHours: Int?
    let presets: [Duration]
    let error: String?
    let preset: @MainActor (Duration) -> Void
    let hours: @MainActor (Int) -> Void
    @State private var text = ""

    var body: some View {
        VStack(alignment: .leading, spacing: 12) {
            Heading("How often")
            ForEach(presets, id: \.self) { choice in
                ChoiceRow("Every \(choice.words)", isOn: choice == interval) { preset(choice) }
            }
            Field(
                "Or another number of hours", text: $text, hint: hoursHint, error: error
            )
            .keyboardType(.numberPad)
            .onChange(of: text) { _, text in
                if text != hoursText { hours(wholeHours(text)) }
            }
            .onChange(of: hoursText, initial: true) { _, shown in
                if let shown { text = shown }
            }
        }
    }

    /// The text to set in the field; nil to leave the field unchanged, even if its text isn't a
    /// number.
    private var hoursText: String? { shownHours(interval, typedHours, presets) }
}

struct ChoiceRow: View {
    let title: String
    let isOn: Bool
    let choose: @MainActor () -> Void

    init(_ title: String, isOn: Bool, choose: @escaping @MainActor () -> Void) {
        (self.title, self.isOn, self.choose) = (title, isOn, choose)
    }

    var body: some View {
        Button(action: choose) {
            HStack {
                Text(title)
                Spacer()
                if isOn { Symbol.check.picture }
            }
            .frame(minHeight: 44)
            .contentShape(.rect)
        }
        .buttonStyle(.plain)
        .accessibilityAddTraits(isOn ? [.isButton, .isSelected] : .isButton)
    }
}

// MARK: Reminders

struct ReminderChoice: View {
    @Bindable var store: StoreOf<ScheduleFeature>

    var body: some View {
        VStack(alignment: .leading, spacing: 12) {
            Heading("Remind me before the deadline")
            Toggle(
                "\(Reminder.twoHours.lead.words) before",
                isOn: $store[value: \.twoHoursBefore, toggle: \.twoHoursReminderToggled])
            Toggle(
                "\(Reminder.thirtyMinutes.lead.words) before",
                isOn: $store[value: \.thirtyMinutesBefore, toggle: \.thirtyMinutesReminderToggled])
            Quiet("A reminder longer than the time between check-ins is skipped.")
            Heading(LastCall.title)
            Toggle(
                LastCall.messageWords,
                isOn: $store[value: \.lastCall.sendsMessage, toggle: \.lastCallToggled])
            Toggle(
                LastCall.answerWords,
                isOn: $store[value: \.lastCall.takesAnswers, toggle: \.lastCallAnswersToggled])
            LabeledContent(LastCall.callTitle) {
                Picker(
                    LastCall.callTitle,
                    selection: $store[value: \.lastCall.calls, send: \.lastCallByPhoneChosen]
                ) {
                    ForEach(LastCall.callChoices, id: \.self) { choice in
                        Text(LastCall.words(ofCalls: choice)).tag(choice)
                    }
                }
                .pickerStyle(.menu)
                .labelsHidden()
            }
            Quiet(LastCall.hint)
        }
    }
}
