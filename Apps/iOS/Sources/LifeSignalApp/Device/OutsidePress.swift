import Domain
import UIKit

/// A press on the widget or the Live Activity, or a command to Siri.
enum OutsidePress {
    /// Performs the work of a press. Returns what Siri says. A button of the widget shows no error,
    /// so a notification says that the press was not sent, unless the app is open.
    /// Throws `SpokenError` instead of `UserFacingError`.
    static func perform(
        _ action: PushAction,
        isAppActive: @MainActor @Sendable () -> Bool = {
            UIApplication.shared.applicationState == .active
        },
        _ work: @Sendable () async throws -> String
    ) async throws -> String {
        do {
            let words = try await work()
            PressNotice.removeNotSent(of: action)
            return words
        } catch {
            let refusal = error as? UserFacingError
            if await !isAppActive() { await PressNotice.showFailure(refusal, of: action) }
            if let refusal { throw SpokenError(refusal) }
            throw error
        }
    }
}
