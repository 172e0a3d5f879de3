import ComposableArchitecture
import Domain
import Features
import SwiftUI

struct CheckInView: View {
    @Bindable var store: StoreOf<CheckInFeature>
    /// True if every responder would be notified of a missed check-in.
    let isProtected: Bool
    /// True after a missed check-in. The button's title then says what a press does.
    let hasMissed: Bool
    /// The deadline of the open alert about it. The ring shows this one, because a later deadline
    /// would seem to leave time.
    let missedDeadline: Date?

    var body: some View {
        Card(tone: store.tone.card) {
            ring
            status
            WaitingBanner(store.waitingWords)
            if !store.isSheetOpen { ErrorNotice(store.error) { store.send(.dismissError) } }
        }
    }

    /// The status. A check-in's confirmation replaces the status, so that nothing moves: for a
    /// moment, or until the window opens.
    @ViewBuilder private var status: some View {
        if let confirmation = store.confirmation {
            if let early = confirmation.earlyTimes {
                StatusPill(earlyWords(early.deadline, early.opening), .warning)
                    .announced(
                        """
                        \(CheckInRecord.earlyStart) \(DayWords(early.deadline).words) \
                        \(CheckInRecord.earlyMiddle) \(early.opening.momentWords).
                        """)
            } else {
                let time = confirmation.occurredAt
                StatusPill(Text("Checked in at ") + .moment(time), .normal)
                    .announced("Checked in at " + time.momentWords)
            }
        } else {
            let words = store.state.statusWords(isProtected: isProtected, hasMissed: hasMissed)
            let age = store.state.statusAge(hasMissed: hasMissed)
            StatusPill(
                age.map {
                    Text("\(words) ") + Text("as of") + Text(verbatim: " ") + .moment($0)
                } ?? Text(words),
                store.state.statusTone(hasMissed: hasMissed)
            )
            .announced(words)
        }
    }

    /// "Recorded. Your check-in for Monday, 10:00 opens at 4:00."
    private func earlyWords(_ deadline: Date, _ opening: Date) -> Text {
        Text("\(CheckInRecord.earlyStart) ") + .day(deadline)
            + Text(" \(CheckInRecord.earlyMiddle) ") + .moment(opening)
            + Text(verbatim: ".")
    }

    private var ring: some View {
        RingButton(
            title: store.state.buttonWords(hasMissed: hasMissed), span: span,
            isEnabled: store.canCheckIn
        ) {
            store.send(.checkInButtonTapped)
        }
    }

    /// nil during a pause, when no time runs out.
    private var span: ClosedRange<Date>? {
        guard !store.isPaused, let last = store.lastCheckInTime,
            let next = missedDeadline ?? store.nextCheckInTime, last <= next
        else { return nil }
        let end = next.onThisClock
        return min(last.onThisClock, end)...end
    }
}

struct CheckInDetails: View {
    let store: StoreOf<CheckInFeature>

    var body: some View {
        Card {
            saved
            timeZoneQuestion
            facts
            schedule
            PauseRow(
                store: store.scope(state: \.pause, action: \.pause), isPaused: store.isPaused)
        }
    }

    @ViewBuilder private var timeZoneQuestion: some View {
        if let question = store.state.timeZoneQuestion {
            let answers = store.state.timeZoneAnswers
            Text(question)
            WideButton(answers.new) { store.send(.timeZoneAnswered(usesNew: true)) }
            WideButton(answers.present) { store.send(.timeZoneAnswered(usesNew: false)) }
        }
    }

    @ViewBuilder private var saved: some View {
        if store.isScheduleSaved {
            Banner(.fine, .check) {
                Text("Schedule saved")
                Spacer()
                Button("OK") { store.send(.scheduleSavedDismissed) }
                    .buttonStyle(.borderless)
                    .accessibilityLabel("OK: Schedule saved")
            }
            .announced("Schedule saved")
            .dismissed(after: .seconds(10)) { store.send(.scheduleSavedDismissed) }
        }
    }

    @ViewBuilder private var facts: some View {
        Fact("Last check-in", store.lastCheckInTime.map { .when($0) } ?? Text("Not yet"))
        if !store.isPaused, let deadline = store.nextCheckInTime {
            Fact(ScheduleWords.deadline, .day(deadline))
        }
        if let waiting = store.waitingCheckInTime {
            Fact("Waiting to be sent since", .when(waiting))
        }
    }

    /// The schedule and the reminders in one row. A tap opens the sheet.
    private var schedule: some View {
        Button {
            store.send(.scheduleButtonTapped)
        } label: {
            HStack {
                VStack(alignment: .leading, spacing: 2) {
                    Text("Schedule").bold()
                    Quiet(store.scheduleWords)
                }
                Spacer()
                Symbol.forward.picture
            }
            .frame(minHeight: 44)
            .contentShape(.rect)
        }
        .buttonStyle(.plain)
        .disabled(store.isSavingSettings)
        .accessibilityLabel("Schedule")
        .accessibilityValue(store.scheduleWords)
    }
}
