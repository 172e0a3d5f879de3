import ClientsLive
import ComposableArchitecture
import Domain
import Features
import Foundation

/// A person's app without screens: the whole app's store in its own actor, with live clients.
/// `arrive` sends the actions of appearing screens.
public actor TestUser {
    public nonisolated let clients: LiveClients
    public nonisolated let deviceName: String
    public nonisolated let tokens: any TokenStore
    private let store: StoreOf<AppFeature>

    /// - Parameters:
    ///   - over: the transport to the server; nil for the server's own router.
    ///   - inspect: called with the state after every action.
    public init(
        _ deviceName: String, in app: TestApp, over transport: (any Transport)? = nil,
        tokens: any TokenStore = MemoryTokenStore(),
        storage: LiveClients.Storage = .session,
        inspect: (@Sendable (AppFeature.State) -> Void)? = nil
    ) {
        let time = app.time
        let environment = ClientEnvironment(
            clock: .continuous, now: { time.now }, makeID: { UUID() },
            random: { .random(in: 0..<1) }, pictures: app.pictures)
        let clients = LiveClients(
            transport: transport ?? app.transport, tokens: tokens, storage: storage,
            options: .init(deviceName: deviceName), environment: environment)
        (self.clients, self.deviceName, self.tokens) = (clients, deviceName, tokens)
        store = Store(initialState: AppFeature.State()) {
            AppFeature()
            Reduce { state, _ in
                inspect?(state)
                return .none
            }
        } withDependencies: {
            // Even in a test, everything except the time works as in the app.
            $0.context = .live
            $0.date = DateGenerator { time.now }
            clients.install(in: &$0)
        }
    }

    // MARK: Acting and looking

    public func send(_ action: AppFeature.Action) { store.send(action) }

    /// Sends an action only if the current screen offers it, because a person can tap only what is
    /// shown.
    public func send(_ action: AppFeature.Action, ifShown isShown: (MainTabFeature.State) -> Bool) {
        if state.tabs.map(isShown) == true { store.send(action) }
    }

    public var state: AppFeature.State { store.withState { $0 } }

    /// Waits until `find` returns a value for the store's state, and returns that value. Throws
    /// `NotShown` after `bound`, which is far more than the slowest machine needs.
    @discardableResult
    public func shows<Value: Sendable>(
        _ what: String, within bound: Duration = .seconds(300),
        _ find: @escaping @Sendable (AppFeature.State) -> Value?
    ) async throws -> Value {
        let states = store.states
        let found = await withTaskGroup(of: Value?.self) { group in
            group.addTask {
                for await state in states { if let value = find(state) { return value } }
                return nil
            }
            group.addTask {
                try? await Task.sleep(for: bound)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
        guard let found else { throw NotShown(what: what, who: deviceName, state: state.summary) }
        return found
    }

    /// Waits until a condition on the store's state is true. Throws `NotShown` after `bound`.
    public func shows(
        _ what: String, within bound: Duration = .seconds(300),
        that isSo: @escaping @Sendable (AppFeature.State) -> Bool
    ) async throws {
        try await shows(what, within: bound) { isSo($0) ? true : nil }
    }
}

public struct NotShown: Error, CustomStringConvertible {
    public var what: String
    public var who: String
    public var state: String

    public var description: String { "\(who) does not show \(what). Shown is: \(state)" }
}

extension AppFeature.State {
    /// The tabs; nil before the sign-in and during the onboarding.
    public var tabs: MainTabFeature.State? { screen?.main }

    fileprivate var summary: String {
        guard let tabs else { return "\(screen.map { "\($0)" } ?? "the start"), errors \(errors)" }
        let parts: [Any] = [
            "online \(connectivity.isOnline)", "errors \(errors)", tabs.responders.contacts,
            tabs.dependents.alerts, tabs.dependents.addContact,
            tabs.home.checkIn, tabs.home.alert, tabs.notifications.notifications.elements,
            tabs.responders.ping.pingHistory.elements, tabs.profile,
            tabs.dependentAlert as Any, tabs.dependents.dependentAlert as Any,
        ]
        return parts.map { "\($0)" }.joined(separator: "\n")
    }
}
