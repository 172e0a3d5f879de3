import Clients
import ComposableArchitecture
import Domain
import Features
import Foundation
import SwiftUI

/// Times in the device's language and time zone. SwiftUI keeps them up to date without a timer in
/// the app.
extension Text {
    /// "5 minutes ago", for a time of the server. The system keeps it up to date.
    static func since(_ date: Date) -> Text { since(onDevice: date.onThisClock) }

    /// "5 minutes ago", for a time by this device's clock.
    static func since(onDevice date: Date) -> Text { Text(date, style: .relative) }

    /// "10:02", with the date unless it is today.
    static func moment(_ date: Date) -> Text { Text(verbatim: date.momentWords) }

    /// "Monday, 10:02", for a time in the future.
    /// - Parameter zone: the zone of the clock; nil for the device's.
    static func day(_ date: Date, in zone: TimeZone? = nil) -> Text {
        Text(verbatim: DayWords(date, in: zone).words)
    }

    /// "Paused until Tuesday, 8:00".
    static func paused(until end: Date) -> Text {
        Text("\(ScheduleWords.pausedUntil) ") + .day(end)
    }

    /// The time with seconds, for steps that follow each other quickly. Has the date unless it is
    /// today.
    static func second(_ date: Date) -> Text {
        Text(
            date.formatted(
                date: Calendar.current.isDateInToday(date) ? .omitted : .abbreviated,
                time: .standard))
    }

    /// "5 minutes · 10:02", for a time of the server.
    static func when(_ date: Date) -> Text { since(date) + Text(verbatim: " · ") + moment(date) }

    /// "5 minutes · 10:02", for a time by this device's clock.
    static func when(onDevice date: Date) -> Text {
        since(onDevice: date) + Text(verbatim: " · ") + moment(date)
    }

    /// " (20:05 JST for them)" if the other person's clock differs; empty otherwise.
    static func theirs(_ date: Date, _ watch: ContactData.WatchedState?) -> Text {
        let words = watch?.theirTime(date, readIn: .current, at: .now)
        return Text(verbatim: words.map { " (\($0))" } ?? "")
    }

    /// The time left, to the second. The countdown stops at 0:00. Both times are by this device's
    /// clock.
    static func countdown(to date: Date, from start: Date) -> Text {
        Text(timerInterval: min(start, date)...date, countsDown: true).monospacedDigit()
    }

    /// The time since `date`, to the second, for a time of the server.
    static func stopwatch(since date: Date) -> Text {
        Text(timerInterval: date.onThisClock...Date.distantFuture, countsDown: false)
            .monospacedDigit()
    }
}

extension Date {
    private static var serverOffset: Duration {
        @Dependency(\.serverClock) var serverClock
        return serverClock.offset()
    }

    /// The same moment by this device's clock, which SwiftUI counts by; for a time of the server.
    var onThisClock: Date { adding(.zero - Self.serverOffset) }

    /// The same moment by the server's clock; for a time by this device's clock.
    var onServerClock: Date { adding(Self.serverOffset) }

    /// "10:02", with the date unless it is today.
    var momentWords: String {
        formatted(
            date: Calendar.current.isDateInToday(self) ? .omitted : .abbreviated, time: .shortened)
    }
}

/// A day and a time in the future: "Monday, 10:02". A date follows the weekday if it is a week away
/// or more.
struct DayWords {
    let words: String

    init(_ date: Date, in zone: TimeZone? = nil) {
        let zone = zone ?? .current
        var calendar = Calendar.current
        calendar.timeZone = zone
        let days = calendar.dateComponents(
            [.day], from: calendar.startOfDay(for: .now), to: calendar.startOfDay(for: date))
        let style = Date.FormatStyle(timeZone: zone).weekday(.wide)
        let isNear = (0...6).contains(days.day ?? 0)
        let day = date.formatted(isNear ? style : style.day().month(.wide))
        let time = date.formatted(
            Date.FormatStyle(date: .omitted, time: .shortened, timeZone: zone))
        words = "\(day), \(time)"
    }
}

struct Fact: View {
    let name: String
    let value: Text

    init(_ name: String, _ value: Text) { (self.name, self.value) = (name, value) }

    var body: some View {
        LabeledContent(name) { value.multilineTextAlignment(.trailing) }
            .accessibilityElement(children: .combine)
    }
}
