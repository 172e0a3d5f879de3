import AppIntents
import LifeSignalApp

/// Raises the user's own alert. Asks for confirmation first, because Siri may have misheard.
struct RaiseAlertIntent: AppIntent {
    static let title: LocalizedStringResource = "Call for help"
    static let authenticationPolicy = IntentAuthenticationPolicy.alwaysAllowed

    func perform() async throws -> some IntentResult & ProvidesDialog {
        try await requestConfirmation(
            actionName: .send, dialog: "Call for help? Your responders are alerted at once.")
        let isSent = try await IntentActions.raiseAlert()
        return .result(
            dialog: isSent
                ? "Your alert was sent."
                : """
                Your alert will be sent as soon as LifeSignal can be reached. In an emergency, \
                call for help directly.
                """)
    }
}
