import Clients
import ComposableArchitecture
import Domain
import Foundation
import LifeSignalDevice

/// A check-in from outside of the screens: by an intent, a widget, or a notification's button.
enum CheckInAction {
    /// Throws `UserFacingError`, also while it waits to be sent: the deadline stays until then.
    static func perform() async throws {
        @Dependency(\.checkInClient) var checkInClient
        @Dependency(\.date) var date
        @Dependency(\.uuid) var uuid
        let submission = try await checkInClient.checkIn(
            id: CheckInID(uuid()), occurredAt: date.now)
        guard let record = submission.confirmed else { throw UserFacingError.waitsToBeSent }
        await DeadlineDisplay.shared.show(
            DeadlineSnapshot(lastCheckIn: record.occurredAt, deadline: record.nextCheckInTime))
    }
}

extension UserFacingError {
    fileprivate static let waitsToBeSent = UserFacingError(
        title: AppWords.notSentYet, message: AppWords.checkInWaits, recoverySuggestion: "",
        code: "waiting")
}
