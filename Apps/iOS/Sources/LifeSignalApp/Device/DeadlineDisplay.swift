import ActivityKit
import Features
import Foundation
import LifeSignalDevice
import WidgetKit

/// Shows the deadline outside of the app: in the widget and the Live Activity.
@MainActor
final class DeadlineDisplay {
    static let shared = DeadlineDisplay()

    private var shown: DeadlineSnapshot?

    func show(_ snapshot: DeadlineSnapshot) async {
        guard snapshot != shown, let folder = DeviceConfiguration()?.folder else { return }
        shown = snapshot
        try? snapshot.write(in: folder)
        WidgetCenter.shared.reloadAllTimelines()
        await updateActivity(snapshot)
    }

    /// The system lets only an app in front begin one, and ends it after eight hours by itself.
    private func updateActivity(_ snapshot: DeadlineSnapshot) async {
        guard let last = snapshot.lastCheckIn, let deadline = snapshot.deadline else {
            for activity in Activity<CheckInActivity>.activities {
                await activity.end(nil, dismissalPolicy: .immediate)
            }
            return
        }
        let content = ActivityContent(
            state: CheckInActivity.ContentState(lastCheckIn: last, deadline: deadline),
            staleDate: deadline)
        if let activity = Activity<CheckInActivity>.activities.first {
            await activity.update(content)
        } else if ActivityAuthorizationInfo().areActivitiesEnabled {
            _ = try? Activity.request(attributes: CheckInActivity(), content: content)
        }
    }
}

extension AppFeature.State {
    /// The deadline for what is shown outside of the app.
    var deadline: DeadlineSnapshot {
        guard case .main(let main) = screen else { return DeadlineSnapshot() }
        return DeadlineSnapshot(
            lastCheckIn: main.home.checkIn.lastCheckInTime,
            deadline: main.home.checkIn.nextCheckInTime)
    }
}
