import AppIntents
import LifeSignalDevice

/// Says that the user has arrived, from Shortcuts, Siri or the widget.
struct ArriveIntent: LiveActivityIntent {
    static let title: LocalizedStringResource = "I have arrived"
    // The phone must be unlocked, so that a thief can't end the journey.
    static let authenticationPolicy = IntentAuthenticationPolicy.requiresAuthentication

    func perform() async throws -> some IntentResult & ProvidesDialog {
        let words = try await DeviceActions.shared.arrive()
        return .result(dialog: "\(words)")
    }
}

/// Moves the return of the journey, from Shortcuts, Siri or the widget.
struct ExtendJourneyIntent: LiveActivityIntent {
    static let title: LocalizedStringResource = "30 minutes more"
    static let authenticationPolicy = IntentAuthenticationPolicy.requiresAuthentication

    func perform() async throws -> some IntentResult & ProvidesDialog {
        let words = try await DeviceActions.shared.extendJourney()
        return .result(dialog: "\(words)")
    }
}
