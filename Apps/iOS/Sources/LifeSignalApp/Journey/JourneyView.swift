import ComposableArchitecture
import Domain
import Features
import Foundation
import SwiftUI

/// The running journey with the buttons for arrival and for a later return. Empty without one.
struct JourneyCard: View {
    let store: StoreOf<JourneyFeature>
    let told: JourneyFeature.Told

    var body: some View {
        if let journey = store.journey {
            let isOverdue = store.stage == .overdue
            Card(tone: store.tone.card) {
                Heading(journey.name)
                Text("\(JourneyWords.back) ").bold() + Text.moment(journey.expectedReturn).bold()
                if isOverdue { Text(store.state.overdueWords(told)) } else { times(of: journey) }
                JourneyPresses(store: store)
            }
            .announced(isOverdue ? store.state.overdueWords(told) : journey.name)
        }
    }

    private func times(of journey: JourneyRecord) -> Text {
        guard told.isAnyoneTold else { return Text(JourneyWords.noOneIsTold) }
        var text = Text("\(JourneyWords.toldAt(told.names)) ") + .moment(journey.deadline)
        if let others = told.othersAt {
            text = text + Text("\(JourneyWords.othersAt) ") + .moment(others)
        }
        return text + Text(" \(JourneyWords.unless(told.othersAt))")
    }
}

/// The buttons for arrival and for a later return, and what the server doesn't know yet. Empty
/// before the journey is known.
struct JourneyPresses: View {
    let store: StoreOf<JourneyFeature>

    var body: some View {
        if store.journey != nil {
            WaitingBanner(store.waitingWords)
            WideButton(JourneyWords.arrived, .check, kind: .primary) {
                store.send(.arriveButtonTapped)
            }
            .disabled(!store.canArrive)
            WideButton(JourneyWords.extend) { store.send(.extendButtonTapped) }
                .disabled(!store.canExtend)
            WideButton(JourneyWords.anotherReturn, kind: .plain) {
                store.send(.laterReturnButtonTapped)
            }
            .disabled(!store.canExtend)
            if store.laterReturn == nil {
                ErrorNotice(store.error) { store.send(.dismissError) }
            }
        }
    }
}

/// The button that opens the form. Empty during a journey.
struct JourneyEntry: View {
    let store: StoreOf<JourneyFeature>

    var body: some View {
        if store.journey == nil {
            WideButton(JourneyWords.title) { store.send(.formButtonTapped) }
        }
    }
}

// MARK: Sheets

/// The form, and the sheet for another return. Every tab can open the latter.
private struct JourneySheets: ViewModifier {
    @Bindable var store: StoreOf<JourneyFeature>

    func body(content: Content) -> some View {
        content.sheet(isPresented: $store[presented: \.isSheetOpen, close: \.sheetDismissed]) {
            if let form = store.form {
                StartSheet(form: form, store: store)
            } else if let time = store.laterReturn {
                ReturnSheet(time: time, store: store)
            }
        }
    }
}

extension View {
    func journeySheets(_ store: StoreOf<JourneyFeature>) -> some View {
        modifier(JourneySheets(store: store))
    }
}

private struct StartSheet: View {
    let form: JourneyFeature.Form
    @Bindable var store: StoreOf<JourneyFeature>

    var body: some View {
        SheetFrame(
            title: JourneyWords.title, closeLabel: "Cancel",
            close: { store.send(.sheetDismissed) }
        ) {
            Text(JourneyWords.explanation)
            Field(
                JourneyWords.name, text: $store[value: \.name, send: \.nameChanged],
                hint: JourneyWords.nameHint, error: form.nameRefusalWords)
            ReturnFields(time: form.expectedReturn, store: store)
            grace
            responders
            Toggle(
                JourneyWords.tellStart,
                isOn: $store[value: \.tellsStart, toggle: \.tellsStartToggled])
            Field(
                JourneyWords.note, text: $store[value: \.note, send: \.noteChanged],
                hint: JourneyWords.noteHint, error: form.noteRefusalWords, lines: 4)
            ErrorNotice(store.error) { store.send(.dismissError) }
            SubmitButton(store.startWords, isEnabled: store.canStart) {
                store.send(.startButtonTapped)
            }
        }
    }

    private var grace: some View {
        LabeledContent(JourneyWords.grace) {
            Picker(JourneyWords.grace, selection: $store.chosenGrace) {
                ForEach(JourneyFeature.Form.graceChoices, id: \.self) { minutes in
                    Text(JourneyWords.graceWords(minutes)).tag(minutes)
                }
            }
            .pickerStyle(.menu)
            .labelsHidden()
        }
    }

    private var responders: some View {
        VStack(alignment: .leading, spacing: 0) {
            Heading(JourneyWords.responders)
            ChoiceRow(JourneyWords.allResponders, isOn: form.tellsAllResponders) {
                store.send(.tellsAllRespondersChosen(true))
            }
            ChoiceRow(JourneyWords.chosenResponders, isOn: !form.tellsAllResponders) {
                store.send(.tellsAllRespondersChosen(false))
            }
            if !form.tellsAllResponders {
                ForEach(form.responders) { person in
                    Toggle(person.name, isOn: $store[tells: person.id])
                }
            }
            FieldError(form.responderRefusalWords)
        }
    }
}

private struct ReturnSheet: View {
    let time: JourneyFeature.ReturnTime
    let store: StoreOf<JourneyFeature>

    var body: some View {
        SheetFrame(
            title: JourneyWords.anotherReturn, closeLabel: "Cancel",
            close: { store.send(.sheetDismissed) }
        ) {
            ReturnFields(time: time, store: store)
            ErrorNotice(store.error) { store.send(.dismissError) }
            SubmitButton(store.confirmReturnWords, isEnabled: store.canConfirmReturn) {
                store.send(.confirmReturnButtonTapped)
            }
        }
    }
}

private struct ReturnFields: View {
    let time: JourneyFeature.ReturnTime
    @Bindable var store: StoreOf<JourneyFeature>

    var body: some View {
        VStack(alignment: .leading, spacing: 0) {
            Heading(JourneyWords.expectedReturn)
            ForEach(JourneyFeature.ReturnTime.hoursToChoose, id: \.self) { hours in
                ChoiceRow(JourneyWords.hoursWords(hours), isOn: time.hours == hours) {
                    store.send(.hoursChosen(hours))
                }
            }
        }
        DatePicker(
            JourneyWords.ownReturn, selection: $store.chosenReturn,
            displayedComponents: [.date, .hourAndMinute])
        FieldError(time.refusalWords)
    }
}

// MARK: Bindings

extension JourneyFeature.State {
    fileprivate var isSheetOpen: Bool { form != nil || laterReturn != nil }
    fileprivate var name: String { form?.name ?? "" }
    fileprivate var note: String { form?.note ?? "" }
    fileprivate var tellsStart: Bool { form?.tellsStart ?? false }
}

extension Store where State == JourneyFeature.State, Action == JourneyFeature.Action {
    @MainActor
    fileprivate var chosenGrace: Int {
        get { state.form?.graceMinutes ?? JourneyRules.standardGraceMinutes }
        set { if newValue != chosenGrace { send(.graceChosen(minutes: newValue)) } }
    }

    /// The return in the picker. While the sheet closes, any date will do.
    @MainActor
    fileprivate var chosenReturn: Date {
        get { (state.form?.expectedReturn ?? state.laterReturn)?.date ?? .now }
        set { if newValue != chosenReturn { send(.returnChosen(newValue)) } }
    }

    @MainActor
    fileprivate subscript(tells id: UserID) -> Bool {
        get { state.form?.chosen.contains(id) ?? false }
        set { if newValue != self[tells: id] { send(.responderToggled(id)) } }
    }
}
