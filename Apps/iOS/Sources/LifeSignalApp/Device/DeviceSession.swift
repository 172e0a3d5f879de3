import Clients
import ComposableArchitecture
import Domain

/// The session of work outside the app's screens: intents, the widget, and notifications' buttons.
enum DeviceSession {
    /// Returns the signed-in user. Waits until the stored session is resumed, because iOS may have
    /// just launched the app. Throws `UserFacingError` while signed out.
    @discardableResult
    static func user() async throws -> UserID {
        @Dependency(\.authClient) var authClient
        guard let user = await authClient.session()?.userID else {
            throw UserFacingError.nobodySignedIn
        }
        return user
    }
}

extension UserFacingError {
    fileprivate static let nobodySignedIn = UserFacingError(
        title: "Sign in to LifeSignal", message: "", recoverySuggestion: "",
        code: .unauthenticated)
}
