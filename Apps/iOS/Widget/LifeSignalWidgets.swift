import AppIntents
import LifeSignalDevice
import SwiftUI
import WidgetKit

@main
struct LifeSignalWidgets: WidgetBundle {
    var body: some Widget {
        DeadlineWidget()
        CheckInActivityWidget()
    }
}

struct DeadlineWidget: Widget {
    var body: some WidgetConfiguration {
        StaticConfiguration(kind: "deadline", provider: DeadlineProvider()) { entry in
            DeadlineWidgetView(entry: entry)
                .containerBackground(Color("color-ground"), for: .widget)
        }
        .configurationDisplayName("Check-in")
        .description("Time left")
        .supportedFamilies([.systemSmall, .systemMedium, .accessoryRectangular])
    }
}

struct DeadlineEntry: TimelineEntry {
    /// The entry's time by this device's clock.
    let date: Date
    let snapshot: DeadlineSnapshot

    var serverTime: Date { snapshot.onServerClock(date) }
}

/// Provides the widget's timeline: the current entry, and entries for the times when the pause
/// ends, the deadline passes, and the user should be back. SwiftUI counts down by itself. The app
/// reloads the widget after each change.
struct DeadlineProvider: TimelineProvider {
    func placeholder(in context: Context) -> DeadlineEntry {
        DeadlineEntry(date: .now, snapshot: DeadlineSnapshot())
    }

    func getSnapshot(in context: Context, completion: @escaping @Sendable (DeadlineEntry) -> Void) {
        completion(entry(at: .now))
    }

    func getTimeline(
        in context: Context, completion: @escaping @Sendable (Timeline<DeadlineEntry>) -> Void
    ) {
        let now = entry(at: .now)
        let changes = [
            now.snapshot.pauseEnd(at: now.serverTime), now.snapshot.deadline,
            now.snapshot.journey?.expectedReturn,
        ]
        let later = changes.compactMap(\.self).sorted()
            .map { entry(at: max(now.snapshot.onThisClock($0), now.date)) }
        completion(Timeline(entries: [now] + later, policy: .never))
    }

    private func entry(at date: Date) -> DeadlineEntry {
        let folder = DeviceConfiguration()?.sharedFolder
        return DeadlineEntry(
            date: date, snapshot: folder.map { .read(in: $0) } ?? DeadlineSnapshot())
    }
}

struct DeadlineWidgetView: View {
    let entry: DeadlineEntry
    @Environment(\.widgetFamily) private var family

    var body: some View {
        VStack(alignment: .leading, spacing: isOnLockScreen ? 2 : 8) {
            if let journey = entry.snapshot.journey, !isCheckInMoreUrgent(than: journey) {
                JourneyLines(journey: journey, now: entry.serverTime, family: family)
            } else if let end = entry.snapshot.pauseEnd(at: entry.serverTime) {
                Text("Paused until").font(.footnote)
                Text(end.formatted(date: .abbreviated, time: .shortened)).bold()
            } else if let deadline = entry.snapshot.deadline {
                if deadline <= entry.serverTime {
                    Text("You’re overdue: check in now").bold()
                        .foregroundStyle(Color("color-critical"))
                } else {
                    Text("Time left").font(.footnote)
                    countdown(to: entry.snapshot.onThisClock(deadline))
                        .font(.title2)
                        .monospacedDigit()
                }
                if !isOnLockScreen { CheckInButton() }
            } else if entry.snapshot.lastCheckIn != nil {
                Text("No deadlines")
                if !isOnLockScreen { CheckInButton() }
            } else {
                Text("Not started")
            }
        }
        .foregroundStyle(Color("color-text"))
    }

    /// True in the family that is 72 points high, which fits three lines but no button.
    private var isOnLockScreen: Bool { family == .accessoryRectangular }

    /// - Parameter end: the deadline by this device's clock.
    private func countdown(to end: Date) -> Text {
        Text(timerInterval: min(entry.date, end)...end, countsDown: true)
    }

    /// True if the check-in is overdue and the journey isn't.
    private func isCheckInMoreUrgent(than journey: DeadlineSnapshot.Journey) -> Bool {
        guard let deadline = entry.snapshot.deadline,
            entry.snapshot.pauseEnd(at: entry.serverTime) == nil
        else { return false }
        return deadline <= entry.serverTime && entry.serverTime < journey.expectedReturn
    }
}

/// The journey with the buttons that fit: none on the lock screen, the one for arrival in the small
/// widget, and beside it the one for a later return in the wide one.
private struct JourneyLines: View {
    let journey: DeadlineSnapshot.Journey
    /// The server's time.
    let now: Date
    let family: WidgetFamily

    var body: some View {
        Text(journey.name).font(.footnote).lineLimit(1)
        Text("Back by").font(.footnote)
        Text(journey.expectedReturn.formatted(date: .abbreviated, time: .shortened)).bold()
            .lineLimit(1)
            .minimumScaleFactor(0.6)
            .foregroundStyle(
                Color(journey.expectedReturn <= now ? "color-critical" : "color-text"))
        if family != .accessoryRectangular {
            HStack(spacing: 8) {
                Button(intent: ArriveIntent()) { Text("I have arrived").bold() }
                    .tint(Color("color-brand"))
                if family != .systemSmall {
                    Button(intent: ExtendJourneyIntent()) { Text("30 minutes more") }
                        .tint(Color("color-brand"))
                }
            }
        }
    }
}

struct CheckInButton: View {
    var body: some View {
        Button(intent: CheckInIntent()) { Text("Check in").bold() }
            .tint(Color("color-brand"))
    }
}
