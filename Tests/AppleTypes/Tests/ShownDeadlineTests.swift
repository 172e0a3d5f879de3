import ActivityKit
import ComposableArchitecture
import Domain
import Features
import Foundation
import LifeSignalDevice
import Testing

@testable import LifeSignalApp

/// Home follows the profile only while it is shown, so its journey may be stale.
@Suite struct ShownDeadlineTests {
    private let now = Date(timeIntervalSince1970: 1_772_366_400)

    private func journey(_ name: String) -> JourneyRecord {
        JourneyRecord(
            id: JourneyID(UUID()), name: name, startTime: now,
            expectedReturn: now.adding(.hours(1)))
    }

    /// Returns the state of an app whose Home has loaded a journey to the Zugspitze.
    private func state(_ reminders: ReminderFeature.State) -> AppFeature.State {
        var main = MainTabFeature.State(userID: UserID(UUID()), selectedTab: .responders)
        main.home.journey.journey = journey("Zugspitze")
        var state = AppFeature.State(screen: .main(main))
        state.reminders = reminders
        return state
    }

    @Test func journeyFollowsTheProfileOnEachTab() {
        let deadline = now.adding(.hours(24))
        let present = journey("Wank")
        let later = state(ReminderFeature.State(deadline: deadline, journey: present)).deadline
        #expect(later?.journey == DeadlineSnapshot.Journey(present))
        let ended = state(ReminderFeature.State(deadline: deadline)).deadline
        #expect(ended?.deadline == deadline && ended?.journey == nil)
    }

    @Test func unknownProfileChangesNothing() {
        #expect(state(ReminderFeature.State()).deadline == nil)
    }

    @Test func endedActivitiesAreNotUpdated() {
        let states: [ActivityState] = [.active, .stale, .ended, .dismissed]
        #expect(states.map(\.canBeUpdated) == [true, true, false, false])
    }

    @Test func signedOutAppShowsNothing() {
        let state = AppFeature.State(screen: .signedOut(AuthFeature.State()))
        #expect(state.deadline == DeadlineSnapshot())
    }
}
