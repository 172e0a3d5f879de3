import Domain
import Foundation

@testable import Features

/// Sets the state that the fourth tap causes.
func expectRaising(_ state: inout AlertFeature.State) {
    state.activationProgress = 1
    state.isActivatingAlert = true
    state.alertID = Fixture.id(0)
    state.alertStartTime = Fixture.now
}

func expectOpen(_ state: inout AlertFeature.State, history: [AlertRecord] = []) {
    state.activationProgress = 0
    state.isActivatingAlert = false
    state.isAlertActive = true
    state.alertHistory = history
}

/// Sets the state that a completed hold causes.
func expectEnding(_ state: inout AlertFeature.State, at time: Date = Fixture.now) {
    state.deactivationProgress = 1
    state.isDeactivatingAlert = true
    state.isEndConfirmed = false
    state.alertEndTime = time
}
