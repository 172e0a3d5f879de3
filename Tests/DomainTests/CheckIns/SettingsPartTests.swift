import Foundation
import Testing

@testable import Domain

/// A change of the settings takes what the person has changed. The rest stays as it is on the
/// server (product.md, "Offline").
@Suite struct SettingsPartTests {
    private static let seen = CheckInSettings(
        intervalSeconds: 16 * 3600, remindTwoHoursBefore: true, remindThirtyMinutesBefore: false)

    /// What another device has chosen since.
    private static let present = CheckInSettings(
        plan: .times(.dailyUntil10), intervalSeconds: 8 * 3600, remindTwoHoursBefore: false,
        remindThirtyMinutesBefore: false,
        lastCall: LastCall(sendsMessage: false, calls: true, takesAnswers: true))

    private static func changed(_ change: (inout CheckInSettings) -> Void) -> CheckInSettings {
        var settings = seen
        change(&settings)
        return settings
    }

    @Test func aReminderLeavesTheNewerPlan() {
        let pressed = Self.changed { $0.remindThirtyMinutesBefore = true }
        var expected = Self.present
        expected.remindThirtyMinutesBefore = true
        let parts = pressed.parts(changedFrom: Self.seen)
        #expect(parts == [.thirtyMinutes])
        #expect(pressed.merged(parts, into: Self.present) == expected)
    }

    @Test func anIntervalReplacesTheNewerPlanOnly() {
        let pressed = Self.changed { $0.intervalSeconds = 10 * 3600 }
        let parts = pressed.parts(changedFrom: Self.seen)
        #expect(parts == [.plan])
        let merged = pressed.merged(parts, into: Self.present)
        #expect(merged.plan == .interval && merged.intervalSeconds == 10 * 3600)
        #expect(merged.lastCall == Self.present.lastCall && !merged.remindTwoHoursBefore)
    }

    /// The form keeps a hidden interval while times are chosen.
    @Test func aHiddenIntervalDoesNotCount() {
        var seen = Self.seen
        seen.plan = .times(.dailyUntil10)
        var pressed = seen
        pressed.intervalSeconds = 10 * 3600
        #expect(pressed.parts(changedFrom: seen).isEmpty)
        pressed.plan = .interval
        #expect(pressed.parts(changedFrom: seen) == [.plan])
    }

    @Test func eachPartIsTakenByItself() {
        let pressed = Self.changed {
            $0.plan = .none
            $0.remindTwoHoursBefore = false
            $0.remindThirtyMinutesBefore = true
            $0.lastCall = LastCall(sendsMessage: false, calls: false, takesAnswers: true)
        }
        let all = Set(CheckInSettings.Part.allCases)
        #expect(pressed.parts(changedFrom: Self.seen) == all)
        for part in CheckInSettings.Part.allCases {
            let merged = pressed.merged([part], into: Self.seen)
            #expect(merged.parts(changedFrom: Self.seen) == [part])
            #expect(pressed.parts(changedFrom: merged) == all.subtracting([part]))
        }
        #expect(pressed.merged(all, into: Self.seen) == pressed)
    }

    @Test func noPartChangesNothingAndNilEverything() {
        #expect(Self.seen.merged([], into: Self.present) == Self.present)
        #expect(Self.seen.merged(nil, into: Self.present) == Self.seen)
        #expect(Self.seen.parts(changedFrom: Self.seen).isEmpty)
    }
}
