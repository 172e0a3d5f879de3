import ComposableArchitecture
import CustomDump
import Testing

struct AlertTests {
    enum Action: Equatable { case yes, no }

    private func alert(_ isLong: Bool = false) -> AlertState<Action> {
        AlertState {
            TextState("Delete ") + TextState("all").bold()
        } actions: {
            ButtonState(role: .destructive, action: .yes) { TextState("Yes") }
            if isLong { ButtonState(action: .send(.no)) { TextState("No") } }
            ButtonState(role: .cancel) { TextState("Cancel") }
        } message: {
            TextState("For ever.")
        }
    }

    @Test func equalityIgnoresIDs() {
        #expect(alert() == alert())
        #expect(alert().id != alert().id)
        #expect(alert() != alert(true))
        #expect(Set([TextState("a"), TextState(verbatim: "a")]).count == 1)
    }

    @Test func mapTransformsAlertActions() {
        let mapped = alert(true).map { $0.map { "\($0)" } }
        #expect(mapped.buttons.map { $0.action.action } == ["yes", "no", nil])
        let dialog = ConfirmationDialogState<Action>(titleVisibility: .hidden) {
            TextState("Sure?")
        } actions: {
            ButtonState(action: .yes) { TextState("Yes") }
        }
        #expect(dialog.map { _ in 1 }.buttons.first?.action.action == 1)
        #expect(String(state: dialog.title) == "Sure?")
    }

    @Test func dumpOmitsIDs() {
        #expect(
            String(customDumping: alert()) == """
                AlertState(
                  title: "Delete all",
                  actions: [
                    [0]: ButtonState(
                      role: .destructive,
                      action: .yes,
                      label: "Yes"
                    ),
                    [1]: ButtonState(
                      role: .cancel,
                      label: "Cancel"
                    )
                  ],
                  message: "For ever."
                )
                """
        )
    }
}
