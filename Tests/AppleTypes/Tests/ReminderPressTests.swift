import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import LifeSignalApp

/// A journey's reminder can be pressed long after it came.
@Suite struct ReminderPressTests {
    private let start = Date(timeIntervalSince1970: 1_772_366_400)
    private let journey = JourneyID(UUID())
    private let user = UserID(UUID())

    private func profile(isUnderway: Bool) throws -> UserProfile {
        var profile = UserProfile(
            id: user, name: "Ana", phoneNumber: try PhoneNumber("+15550101"), emergencyNote: "",
            profilePictureURL: nil, settings: .standard, lastCheckInTime: nil,
            nextCheckInTime: nil, status: .active, createdAt: start)
        if isUnderway {
            profile.journey = JourneyRecord(
                id: journey, name: "Zugspitze", startTime: start,
                expectedReturn: start.adding(.hours(1)))
        }
        return profile
    }

    /// Presses "I have arrived". Returns the journeys that end.
    /// - Parameters:
    ///   - wait: from the journey's start to the reminder, by this device's clock.
    ///   - offset: how far the server's clock is ahead.
    private func ends(
        remindedAfter wait: Duration, serverAhead offset: Duration = .zero
    ) async throws -> [JourneyID] {
        let ended = LockIsolated<[JourneyID]>([])
        let (present, over) = (try profile(isUnderway: true), try profile(isUnderway: false))
        let (asked, signedIn) = (start.adding(wait), SignedIn(userID: user, isNewUser: false))
        do {
            try await withDependencies {
                $0.authClient.session = { signedIn }
                $0.userClient.profile = { present }
                $0.userClient.loadedProfile = { present }
                $0.journeyClient.arrive = { id in
                    ended.withValue { $0.append(id) }
                    return .confirmed(over)
                }
                $0.serverClock.offset = { offset }
                $0.date.now = asked
                $0.timeZone = .gmt
            } operation: {
                try await JourneyAction.arrive(askedAt: asked)
            }
        } catch let error as UserFacingError {
            #expect(error.message == "This journey is over.")
        }
        return ended.value
    }

    @Test func reminderOfAnEarlierJourneyEndsNone() async throws {
        #expect(try await ends(remindedAfter: .zero) == [journey])
        #expect(try await ends(remindedAfter: .milliseconds(-1)) == [])
    }

    /// The journey's start is by the server's clock.
    @Test func reminderCountsByTheServersClock() async throws {
        #expect(try await ends(remindedAfter: .hours(-1), serverAhead: .hours(1)) == [journey])
        #expect(try await ends(remindedAfter: .hours(1), serverAhead: .hours(-2)) == [])
    }
}
