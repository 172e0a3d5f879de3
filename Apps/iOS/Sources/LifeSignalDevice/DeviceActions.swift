import Foundation
import Synchronization

/// The work of intents in the app's process. The widget knows the intent as well, and never runs
/// it.
public final class DeviceActions: Sendable {
    public static let shared = DeviceActions()

    private let checkInAction = Mutex<(@Sendable () async throws -> Void)?>(nil)

    /// The app sets it at its start.
    public func set(checkIn: @escaping @Sendable () async throws -> Void) {
        checkInAction.withLock { $0 = checkIn }
    }

    /// Throws what the app's clients throw; nothing happens before the app has set it.
    public func checkIn() async throws { try await checkInAction.withLock(\.self)?() }
}
