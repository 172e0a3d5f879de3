import ComposableArchitecture
import Domain
import Foundation

/// Journeys: a way home with an expected return. Every error is a `UserFacingError`.
@DependencyClient
public struct JourneyClient: Sendable {
    /// Starts a journey. Needs a connection: responders can't miss a person whose start still
    /// waits on the device.
    public var start: @Sendable (_ journey: JourneyDraft) async throws -> UserProfile
    /// Moves the return. Counts from the press, even if it arrives late. With `isLater`, never
    /// moves it earlier, even if this device knows an older return.
    public var extend:
        @Sendable (_ id: JourneyID, _ expectedReturn: Date, _ isLater: Bool) async throws
            -> Submission<UserProfile>
    /// Says that the person has arrived. Counts from the press, even if it arrives late.
    public var arrive: @Sendable (_ id: JourneyID) async throws -> Submission<UserProfile>
    /// Returns the return of the running journey with unsent later returns applied; nil without a
    /// journey, and while signed out.
    public var expectedReturn: @Sendable () async -> Date? = { nil }
}

extension JourneyClient: TestDependencyKey {
    public static let testValue = JourneyClient()
}

extension DependencyValues {
    public var journeyClient: JourneyClient {
        get { self[JourneyClient.self] }
        set { self[JourneyClient.self] = newValue }
    }
}
