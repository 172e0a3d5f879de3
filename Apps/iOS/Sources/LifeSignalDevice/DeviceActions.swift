import Foundation
import Synchronization

/// The work of intents, done in the app's process. The widget also contains the intents, but never
/// performs them.
public final class DeviceActions: Sendable {
    public static let shared = DeviceActions()

    private let checkInAction = Mutex<(@Sendable () async throws -> Void)?>(nil)

    /// Sets the action. Called once when the app is launched.
    public func set(checkIn: @escaping @Sendable () async throws -> Void) {
        checkInAction.withLock { $0 = checkIn }
    }

    /// Checks in. Throws the errors of the app's clients. Does nothing before the app has set the
    /// action.
    public func checkIn() async throws { try await checkInAction.withLock(\.self)?() }
}
