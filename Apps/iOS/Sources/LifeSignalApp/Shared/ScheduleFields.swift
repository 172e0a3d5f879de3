import Domain
import Features
import SwiftUI
import UIKit

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

struct ReminderChoice: View {
    @Binding var twoHours: Bool
    @Binding var thirtyMinutes: Bool

    var body: some View {
        VStack(alignment: .leading, spacing: 12) {
            Heading("Remind me before the deadline")
            Toggle("\(Reminder.twoHours.lead.words) before", isOn: $twoHours)
            Toggle("\(Reminder.thirtyMinutes.lead.words) before", isOn: $thirtyMinutes)
            Quiet("A reminder longer than the time between check-ins is skipped.")
        }
    }
}
