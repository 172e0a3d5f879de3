import ComposableArchitecture
import Features
import Testing

@Suite struct ConfirmationAlertStateTests {
    @Test func questionHasItsButtons() {
        let alert = ConfirmationAlertState<Int> {
            TextState("Sign out?")
        } actions: {
            ButtonState(role: .destructive, action: 1) { TextState("Sign out") }
        }
        #expect(alert.buttons.count == 1)
    }
}
