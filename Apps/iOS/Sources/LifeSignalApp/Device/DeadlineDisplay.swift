import ActivityKit
import Clients
import ComposableArchitecture
import Domain
import Features
import Foundation
import LifeSignalDevice
import WidgetKit

/// Shows the deadline and the journey outside the app: in the widget, and the deadline in the Live
/// Activity.
@MainActor
final class DeadlineDisplay {
    static let shared = DeadlineDisplay(folder: DeviceConfiguration()?.sharedFolder)

    private let folder: URL?
    /// The last snapshot, and its offset at that time; nil before the first one.
    private var shown: (snapshot: DeadlineSnapshot, offset: Duration)?

    /// - Parameter folder: the folder shared with the widget; nil to show nothing.
    init(folder: URL?) { self.folder = folder }

    /// - Parameters:
    ///   - snapshot: nil while the deadline is unknown; the snapshot of an earlier run then stays
    ///     visible.
    ///   - keepsJourney: true while the journey is unknown.
    func show(_ snapshot: DeadlineSnapshot?, keepsJourney: Bool = false) async {
        guard var snapshot, let folder else { return }
        @Dependency(\.serverClock) var serverClock
        // Stored even if this device's clock is right, because somebody may set it later.
        snapshot.clock = serverClock.measurement()
        let offset = snapshot.clockOffset()
        let last = shown?.snapshot ?? .read(in: folder)
        if keepsJourney { snapshot.journey = last.journey }
        if let shown,
            !snapshot.differs(from: shown.snapshot, offset: offset, shownOffset: shown.offset)
        {
            return
        }
        shown = (snapshot, offset)
        try? snapshot.write(in: folder)
        WidgetCenter.shared.reloadAllTimelines()
        await updateActivity(snapshot)
        if let checkIn = snapshot.lastCheckIn {
            await LocalReminder.takeAwayAnswered(by: snapshot.onThisClock(checkIn))
        }
        if snapshot.journey != last.journey { await LocalReminder.takeAwayJourney() }
    }

    /// Starts the Live Activity if it is missing. The system ends it after eight hours, and a
    /// snapshot may first have been shown in the background.
    func becameActive() async {
        if let snapshot = shown?.snapshot { await updateActivity(snapshot) }
    }

    /// Updates the Live Activity, or ends it during a pause. Only an app in the foreground can
    /// start an activity.
    private func updateActivity(_ snapshot: DeadlineSnapshot) async {
        let activities = Activity<CheckInActivity>.activities
        guard let deadline = snapshot.deadline.map({ snapshot.onThisClock($0) }),
            snapshot.pauseEnd(at: snapshot.onServerClock(.now)) == nil
        else {
            for activity in activities { await activity.end(nil, dismissalPolicy: .immediate) }
            return
        }
        let running = activities.first { $0.activityState.canBeUpdated }
        // An ended activity may stay on the lock screen for four hours.
        for activity in activities where activity.id != running?.id {
            await activity.end(nil, dismissalPolicy: .immediate)
        }
        // At launch, the deadline may be known before the last check-in.
        let last = snapshot.lastCheckIn.map { snapshot.onThisClock($0) } ?? min(.now, deadline)
        let content = ActivityContent(
            state: CheckInActivity.ContentState(lastCheckIn: last, deadline: deadline),
            staleDate: deadline)
        if let running {
            await running.update(content)
        } else if ActivityAuthorizationInfo().areActivitiesEnabled {
            _ = try? Activity.request(attributes: CheckInActivity(), content: content)
        }
    }
}

extension ActivityState {
    /// False once the system or the person has ended the activity. A stale activity has passed its
    /// deadline.
    var canBeUpdated: Bool { self == .active || self == .stale }
}

extension AppFeature.State {
    /// The deadline and the journey to show outside the app. Nil while they are unknown: before the
    /// profile is known, and before the first check-in. An empty snapshot while signed out. A
    /// snapshot without a deadline under a schedule that has none.
    var deadline: DeadlineSnapshot? {
        switch screen {
        case nil, .onboarding: return nil
        case .signedOut: return DeadlineSnapshot()
        case .main(let main):
            guard reminders.isProfileKnown else { return nil }
            let checkIn = main.home.checkIn
            let hasDeadlines = reminders.settings.plan != .none
            // Prefers the reminders, which follow the profile on every tab. Home does so only while
            // it is shown. Their deadline stays while a schedule without deadlines waits to be
            // sent.
            let deadline = reminders.deadline ?? (hasDeadlines ? checkIn.nextCheckInTime : nil)
            let journey = reminders.journey.map { DeadlineSnapshot.Journey($0) }
            guard deadline != nil || journey != nil || !hasDeadlines else { return nil }
            var snapshot = DeadlineSnapshot(
                lastCheckIn: checkIn.lastCheckInTime, deadline: deadline,
                pausedUntil: reminders.deadline == nil && hasDeadlines
                    ? checkIn.pause.pause?.until : reminders.pausedUntil,
                journey: journey)
            // A snapshot with a changed offset differs, so the app shows it again. `show` then sets
            // the measurement.
            if reminders.clockOffset != .zero {
                snapshot.clock = ClockMeasurement(
                    offset: reminders.clockOffset, deviceTime: .distantPast)
            }
            return snapshot
        }
    }
}
