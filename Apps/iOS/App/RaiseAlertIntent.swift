import AppIntents
import LifeSignalApp

/// Raises the user's own alert. Asks for confirmation first, because Siri may have misheard.
struct RaiseAlertIntent: AppIntent {
    static let title: LocalizedStringResource = "Call for help"
    static let authenticationPolicy = IntentAuthenticationPolicy.alwaysAllowed

    func perform() async throws -> some IntentResult & ProvidesDialog {
        try await requestConfirmation(
            actionName: .send, dialog: "Call for help? Your responders are alerted at once.")
        let words = try await IntentActions.raiseAlert()
        return .result(dialog: "\(words)")
    }
}
