import Domain
import Testing

@testable import Features

@Suite struct AlertFeatureCurrentTests {
    @Test func currentAlertIsFoundByID() {
        var state = AlertFeature.State.active()
        #expect(state.currentAlert == nil)
        state.alertHistory = [Fixture.alert(9), Fixture.alert(7), Fixture.alert(1)]
        #expect(state.currentAlert == Fixture.alert(7))
        state.alertID = nil
        #expect(state.currentAlert == nil)
    }
}
