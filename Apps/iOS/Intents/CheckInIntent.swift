import AppIntents
import LifeSignalDevice

/// "Check in", from Shortcuts, Siri, the widget and the Live Activity. An intent of this kind runs
/// in the app's process, wherever its button is.
struct CheckInIntent: LiveActivityIntent {
    static let title: LocalizedStringResource = "Check in"
    static let description: IntentDescription? = "I’m fine"
    // Somebody who took the phone must not say that its owner is fine.
    static let authenticationPolicy = IntentAuthenticationPolicy.requiresAuthentication

    func perform() async throws -> some IntentResult & ProvidesDialog {
        try await DeviceActions.shared.checkIn()
        return .result(dialog: "You are checked in")
    }
}
