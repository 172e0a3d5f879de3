import Foundation
import Synchronization

/// The work of the intents, which is done in the app's process. The widget contains the intents,
/// too, but never performs them.
public final class DeviceActions: Sendable {
    public static let shared = DeviceActions()

    private let checkInAction = Mutex<(@Sendable () async throws -> Void)?>(nil)

    /// Called once at the app's launch.
    public func set(checkIn: @escaping @Sendable () async throws -> Void) {
        checkInAction.withLock { $0 = checkIn }
    }

    /// Throws the errors of the app's clients. Does nothing before the app has set the action.
    public func checkIn() async throws { try await checkInAction.withLock(\.self)?() }
}
