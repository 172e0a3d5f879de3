import Clients
import ComposableArchitecture
import Domain
import Features
import Foundation
import LifeSignalDevice

/// Ends or extends the journey from outside the app's screens: from an intent, a widget, or a
/// notification's button. Throws `UserFacingError` without a journey, and if the press fails or is
/// only queued, because the alert depends on what the server knows.
enum JourneyAction {
    /// - Parameter askedAt: when the reminder came, by this device's clock; nil for a press without
    ///   one.
    static func arrive(askedAt: Date? = nil) async throws {
        @Dependency(\.journeyClient) var journeyClient
        let journey = try await running(askedAt)
        let submission = try await journeyClient.arrive(id: journey.id).handedOver()
        try await show(submission, waiting: .arrival)
    }

    /// Adds 30 minutes, also to a later return that is queued. Returns, for example, "Back by
    /// Monday, 18:30".
    /// - Parameter askedAt: when the reminder came, by this device's clock; nil for a press without
    ///   one.
    static func extend(askedAt: Date? = nil) async throws -> String {
        @Dependency(\.date) var date
        @Dependency(\.journeyClient) var journeyClient
        let journey = try await running(askedAt)
        let now = date.now.onServerClock
        // An earlier press may be queued.
        let present = await journeyClient.expectedReturn() ?? journey.expectedReturn
        let time = JourneyRules.extended(present, pressedAt: now)
        let submission = try await journeyClient.extend(
            id: journey.id, expectedReturn: time, isLater: true
        ).handedOver()
        try await show(submission, waiting: .laterReturn)
        guard let later = submission.confirmed?.journey, later.id == journey.id else {
            // The person may have said on another device that they have arrived.
            throw UserFacingError.noJourney(PressWords.journeyIsOver)
        }
        return "\(JourneyWords.back) \(DayWords(later.expectedReturn).words)"
    }

    /// Returns the running journey. An older journey's reminder doesn't change this one.
    private static func running(_ askedAt: Date?) async throws -> JourneyRecord {
        @Dependency(\.userClient) var userClient
        try await DeviceSession.user()
        let known = try await userClient.profile()
        if let journey = meant(askedAt, in: known) { return journey }
        // While the server is unreachable, the known profile is this device's copy, which may be
        // old. Only the server can say that the journey is over.
        let loaded = try await userClient.loadedProfile()
        if let journey = meant(askedAt, in: loaded) { return journey }
        throw UserFacingError.noJourney(askedAt == nil ? "" : PressWords.journeyIsOver)
    }

    /// Returns the journey that the press is about; nil if the reminder was about an earlier one.
    /// Its start is by the server's clock, `askedAt` by this device's.
    private static func meant(_ askedAt: Date?, in profile: UserProfile) -> JourneyRecord? {
        profile.journey.flatMap { journey in
            askedAt.map { journey.startTime <= $0.onServerClock } ?? true ? journey : nil
        }
    }

    private static func show(
        _ submission: Submission<UserProfile>, waiting: JourneyFeature.Waiting
    ) async throws {
        guard let profile = submission.confirmed else { throw UserFacingError.waits(waiting) }
        await ReminderFeature.State(profile).schedule()
        await DeadlineDisplay.shared.show(DeadlineSnapshot(profile))
    }
}

extension UserFacingError {
    fileprivate static func noJourney(_ message: String) -> UserFacingError {
        UserFacingError(
            title: AppWords.noJourney, message: message, recoverySuggestion: "", code: .notFound)
    }

    fileprivate static func waits(_ waiting: JourneyFeature.Waiting) -> UserFacingError {
        UserFacingError(
            title: AppWords.notSentYet,
            message: JourneyFeature.State(waiting: waiting).waitingWords ?? "",
            recoverySuggestion: "", code: "waiting")
    }
}
