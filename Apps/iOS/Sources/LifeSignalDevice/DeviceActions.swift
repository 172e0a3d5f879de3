import Foundation
import Synchronization

/// The work of intents, done in the app's process. The widget also contains the intents, but never
/// performs them.
public final class DeviceActions: Sendable {
    public static let shared = DeviceActions()

    private let checkInAction = Mutex<(@Sendable () async throws -> String)?>(nil)

    /// Sets the action. Called once when the app is launched.
    public func set(checkIn: @escaping @Sendable () async throws -> String) {
        checkInAction.withLock { $0 = checkIn }
    }

    /// Checks in, and returns what to say about it. Throws the errors of the app's clients. Does
    /// nothing before the app has set the action.
    public func checkIn() async throws -> String {
        try await checkInAction.withLock(\.self)?() ?? ""
    }
}
