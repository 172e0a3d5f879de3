import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import Features

extension AlertFeatureSeedTests {
    @Test("`alertDuration: TimeInterval` – if no alert is active, this is 0")
    func durationWithoutAlert() { #expect(state.alertDuration == 0) }

    @Test(
        """
        `alertDuration` – if an alert is active but has not been deactivated, this is the time \
        since the alert was activated
        """
    )
    func durationOfAnActiveAlert() {
        var state = AlertFeature.State.active()
        state.now = Fixture.now.adding(.seconds(312))
        #expect(state.alertDuration == 312)
    }

    @Test("`alertDuration` – endTime.timeIntervalSince(startTime)")
    func durationOfAnEndedAlert() {
        var state = AlertFeature.State(
            isAlertActive: true, alertStartTime: Fixture.now,
            alertEndTime: Fixture.now.adding(.seconds(60)))
        state.now = Fixture.now.adding(.days(1))
        #expect(state.alertDuration == 60)
    }

    @Test(
        """
        `formattedAlertDuration: String` – a human-readable string representing the alert duration
        """,
        arguments: [
            (0, "00:00"), (59, "00:59"), (60, "01:00"), (3_599, "59:59"), (3_600, "01:00:00"),
            (3_661, "01:01:01"), (360_000, "100:00:00"),
        ])
    func formattedDuration(seconds: Int, text: String) {
        let state = AlertFeature.State(
            isAlertActive: true, alertStartTime: Fixture.now,
            alertEndTime: Fixture.now.adding(.seconds(seconds)))
        #expect(state.formattedAlertDuration == text)
    }
}
