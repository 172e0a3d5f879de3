import AppIntents
import LifeSignalDevice

/// Checks in, from Shortcuts, Siri, the widget or the Live Activity. A `LiveActivityIntent` always
/// runs in the app's process, even if its button is in the widget.
struct CheckInIntent: LiveActivityIntent {
    static let title: LocalizedStringResource = "Check in"
    static let description: IntentDescription? = "I’m fine"
    // The phone must be unlocked, so that a thief can't check in.
    static let authenticationPolicy = IntentAuthenticationPolicy.requiresAuthentication

    func perform() async throws -> some IntentResult & ProvidesDialog {
        let words = try await DeviceActions.shared.checkIn()
        return .result(dialog: "\(words)")
    }
}
