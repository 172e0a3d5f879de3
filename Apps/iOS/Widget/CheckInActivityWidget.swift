import AppIntents
import LifeSignalDevice
import SwiftUI
import WidgetKit

struct CheckInActivityWidget: Widget {
    var body: some WidgetConfiguration {
        ActivityConfiguration(for: CheckInActivity.self) { context in
            HStack(spacing: 12) {
                VStack(alignment: .leading, spacing: 4) {
                    Text("Time left").font(.footnote)
                    TimeLeft(state: context.state, isOver: context.isStale).font(.title2)
                }
                Spacer()
                CheckInButton()
            }
            .padding(16)
        } dynamicIsland: { context in
            DynamicIsland {
                DynamicIslandExpandedRegion(.leading) {
                    TimeLeft(state: context.state, isOver: context.isStale).font(.title2)
                }
                DynamicIslandExpandedRegion(.trailing) { CheckInButton() }
            } compactLeading: {
                Image(systemName: "checkmark.shield").accessibilityHidden(true)
            } compactTrailing: {
                TimeLeft(state: context.state, isOver: context.isStale)
            } minimal: {
                TimeLeft(state: context.state, isOver: context.isStale)
            }
        }
    }
}

private struct TimeLeft: View {
    let state: CheckInActivity.ContentState
    /// True once the deadline has passed. The system then marks the activity as stale.
    let isOver: Bool

    var body: some View {
        if isOver {
            Text("Check in now").foregroundStyle(Color("color-critical"))
        } else {
            Text(
                timerInterval: min(state.lastCheckIn, state.deadline)...state.deadline,
                countsDown: true
            )
            .monospacedDigit()
        }
    }
}
