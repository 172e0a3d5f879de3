import Clients
import ClientsLive
import ComposableArchitecture

/// Gives the queued actions to iOS after an action outside the app's screens. iOS may suspend the
/// app right after that action.
struct BackgroundHandover: Sendable {
    var perform: @Sendable () async -> Void = {}

    static func by(_ sender: any BackgroundSender, of clients: LiveClients) -> BackgroundHandover {
        BackgroundHandover { await clients.sendInBackground(by: sender) }
    }
}

extension BackgroundHandover: DependencyKey {
    /// A placeholder. The app sets its own at launch.
    static let liveValue = BackgroundHandover()
    static let testValue = BackgroundHandover()
}

extension DependencyValues {
    var backgroundHandover: BackgroundHandover {
        get { self[BackgroundHandover.self] }
        set { self[BackgroundHandover.self] = newValue }
    }
}

extension Submission {
    /// Gives the queued actions to iOS if this one is waiting. Returns the submission.
    func handedOver() async -> Submission {
        @Dependency(\.backgroundHandover) var backgroundHandover
        if isWaiting { await backgroundHandover.perform() }
        return self
    }
}
