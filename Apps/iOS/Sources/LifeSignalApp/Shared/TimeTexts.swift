import Foundation
import SwiftUI

/// Moments in the words of the device's language and time zone, kept up to date by SwiftUI without
/// a timer of ours.
extension Text {
    /// "5 minutes ago", counted up by the system.
    static func since(_ date: Date) -> Text { Text(date, style: .relative) }

    /// "10:02", with the day when that is another one.
    static func moment(_ date: Date) -> Text {
        Text(
            date.formatted(
                date: Calendar.current.isDateInToday(date) ? .omitted : .abbreviated,
                time: .shortened))
    }

    /// The time with its seconds, for steps that follow each other fast.
    static func second(_ date: Date) -> Text {
        Text(date.formatted(date: .omitted, time: .standard))
    }

    /// "5 minutes · 10:02".
    static func when(_ date: Date) -> Text { since(date) + Text(verbatim: " · ") + moment(date) }

    /// The time left, second by second; 0:00 from then on.
    static func countdown(to date: Date, from start: Date) -> Text {
        Text(timerInterval: min(start, date)...date, countsDown: true).monospacedDigit()
    }

    /// The time since then, second by second.
    static func stopwatch(since date: Date) -> Text {
        Text(timerInterval: date...Date.distantFuture, countsDown: false).monospacedDigit()
    }
}

/// A line of a list of facts: what it is, and what it says.
struct Fact: View {
    let name: String
    let value: Text

    init(_ name: String, _ value: Text) { (self.name, self.value) = (name, value) }

    var body: some View {
        LabeledContent(name) { value.multilineTextAlignment(.trailing) }
            .accessibilityElement(children: .combine)
    }
}
