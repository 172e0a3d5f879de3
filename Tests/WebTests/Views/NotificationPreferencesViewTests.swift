import Domain
import Features
import Testing

@testable import LivePages
@testable import Web

@Suite("The choice of notifications, on a page")
struct NotificationPreferencesViewTests {
    @Test func choiceNeedsTheKnownPreferences() throws {
        for (isKnown, isLoading) in [(false, false), (true, true), (true, false)] {
            let state = NotificationPreferencesFeature.State(
                isKnown: isKnown, isLoading: isLoading)
            let page = screen { NotificationPreferencesFeature.view(state) }
            for type in state.mutableTypes {
                let isEnabled = try !page.control(labelled: type.words).isDisabled
                #expect(isEnabled == (isKnown && !isLoading))
            }
        }
    }
}
