import Foundation
import Synchronization

/// The work of intents, done in the app's process. The widget also contains the intents, but never
/// performs them.
public final class DeviceActions: Sendable {
    public static let shared = DeviceActions()

    /// Returns what to say about what was done. Throws the errors of the app's clients.
    public typealias Action = @Sendable () async throws -> String

    private struct Actions: Sendable {
        var checkIn: Action
        var arrive: Action
        var extendJourney: Action
    }

    private let actions = Mutex<Actions?>(nil)

    /// Sets the actions, which do nothing before. Called once when the app is launched.
    public func set(
        checkIn: @escaping Action, arrive: @escaping Action, extendJourney: @escaping Action
    ) {
        let new = Actions(checkIn: checkIn, arrive: arrive, extendJourney: extendJourney)
        actions.withLock { $0 = new }
    }

    public func checkIn() async throws -> String { try await present?.checkIn() ?? "" }

    /// Says that the user has arrived.
    public func arrive() async throws -> String { try await present?.arrive() ?? "" }

    /// Adds 30 minutes to the journey.
    public func extendJourney() async throws -> String {
        try await present?.extendJourney() ?? ""
    }

    private var present: Actions? { actions.withLock(\.self) }
}
