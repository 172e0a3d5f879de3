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
    let date: Date
    let snapshot: DeadlineSnapshot
}

/// Provides the widget's timeline: the current entry, and entries for the times when the pause ends
/// and the deadline passes. SwiftUI counts down by itself. The app reloads the widget after each
/// change of the deadline.
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
        let changes = [now.snapshot.pauseEnd(at: now.date), now.snapshot.deadline]
        let later = changes.compactMap(\.self).map { entry(at: max($0, now.date)) }
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

    var body: some View {
        VStack(alignment: .leading, spacing: 8) {
            if let end = entry.snapshot.pauseEnd(at: entry.date) {
                Text("Paused until").font(.footnote)
                Text(end.formatted(date: .abbreviated, time: .shortened)).bold()
            } else if let deadline = entry.snapshot.deadline {
                if deadline <= entry.date {
                    Text("You’re overdue: check in now").bold()
                        .foregroundStyle(Color("color-critical"))
                } else {
                    Text("Time left").font(.footnote)
                    Text(timerInterval: entry.date...deadline, countsDown: true)
                        .font(.title2)
                        .monospacedDigit()
                }
                CheckInButton()
            } else if entry.snapshot.lastCheckIn != nil {
                Text("No deadlines")
                CheckInButton()
            } else {
                Text("Not started")
            }
        }
        .foregroundStyle(Color("color-text"))
    }
}

struct CheckInButton: View {
    var body: some View {
        Button(intent: CheckInIntent()) { Text("Check in").bold() }
            .tint(Color("color-brand"))
    }
}
