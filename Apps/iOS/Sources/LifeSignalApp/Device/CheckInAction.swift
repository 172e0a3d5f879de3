import Clients
import ComposableArchitecture
import Domain
import Features
import Foundation
import LifeSignalDevice

/// A check-in from outside the app's screens: from an intent, a widget, or a notification's button.
enum CheckInAction {
    /// Returns the server's record. Throws `UserFacingError` while signed out, and if the check-in
    /// fails or is only queued, because the deadline moves only once the server has the check-in.
    @discardableResult
    static func perform() async throws -> CheckInRecord {
        @Dependency(\.checkInClient) var checkInClient
        @Dependency(\.date) var date
        @Dependency(\.userClient) var userClient
        @Dependency(\.uuid) var uuid
        try await DeviceSession.user()
        let submission = try await checkInClient.checkIn(
            id: CheckInID(uuid()), occurredAt: date.now
        ).handedOver()
        guard let record = submission.confirmed else { throw UserFacingError.waitsToBeSent }
        let profile = try? await userClient.profile()
        if let profile {
            var reminders = ReminderFeature.State(profile)
            reminders.deadline = record.nextCheckInTime
            await reminders.schedule()
        }
        await DeadlineDisplay.shared.show(
            DeadlineSnapshot(
                lastCheckIn: record.occurredAt, deadline: record.nextCheckInTime,
                pausedUntil: profile?.pause?.until,
                journey: profile?.journey.map { DeadlineSnapshot.Journey($0) }),
            keepsJourney: profile == nil)
        return record
    }
}

extension ReminderFeature.State {
    /// Schedules the reminders after a press outside the app's screens, because iOS may suspend the
    /// app before its store learns of the change.
    func schedule() async {
        @Dependency(\.date) var date
        @Dependency(\.localNotificationClient) var localNotificationClient
        @Dependency(\.timeZone) var timeZone
        let now = date.now.onServerClock
        try? await localNotificationClient.schedule(
            notifications: notifications(at: now, in: ClockZone(timeZone.identifier)))
    }
}

extension CheckInRecord {
    /// What Siri says: that the user is checked in, or that the check-in came before its window or
    /// after its deadline.
    var spokenWords: String {
        guard let due = nextDueWords else { return Self.cameTooLate }
        return opensAt == nil ? PushAction.checkIn.done : due
    }
}

extension UserFacingError {
    fileprivate static let waitsToBeSent = UserFacingError(
        title: AppWords.notSentYet, message: AppWords.checkInWaits, recoverySuggestion: "",
        code: "waiting")
}
